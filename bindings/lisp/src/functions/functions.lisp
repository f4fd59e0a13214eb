;;;; Functions of elements: the objects that wf:fn makes, and their compilation to functions of the library.
;;;;
;;;; A function is elaborated for the types of the sequences that it is applied to, once for each list of types, and passed to the
;;;; library as text. The library's function is cached: with the form in the program if it captures only numbers, else with the
;;;; function object.

(in-package #:warpfold)

;;; ---- from forms

(defmacro fn (lambda-list &body body &environment environment)
  "A function of elements, like LAMBDA. A parameter is a variable; (x :f32) declares its type; (a b) are the columns of a tuple. The body
consists of ordinary forms:

  + - * / min max abs rem mod floor ceiling truncate round ash logand logior logxor lognot exp log sqrt expt sin ... atan,
  = /= < <= > >= and or not, if when unless cond case, let let* multiple-value-bind multiple-value-call values flet labels macrolet symbol-macrolet,
  DO, DOTIMES and LOOP for iteration; before the last form of a body, SETF, INCF and similar forms for variables that the function binds;
  (aref s i) and (length s) of a captured sequence; (aref a i j) and (array-dimension a 0) of an array; REDUCE, COUNT-IF, EVERY, SOME,
  POSITION-IF, wf:sum, wf:argmax, wf:collate and so on of a sequence, or of a row (wf:slice a i) of an array, or of SUBSEQ, MAP, REVERSE, APPEND,
  REMOVE-IF, wf:take, wf:tabulate, wf:zip, wf:rotate and so on of such sequences; (funcall f x) of a captured function, coerce float the, (wf:cast x type),
  operations that this package exports, functions that wf:define-function defines, and any macro.

Variables from outside are captured: numbers, T and NIL, sequences, delayed scalars as their value, functions. Any other form signals a
FORM-ERROR when wf:fn is expanded; types that do not match signal one when the function is applied. Integers wrap, indices are checked,
nothing traps; docs/operations.md defines every operation."
  (let ((*captures* (make-array 0 :adjustable t :fill-pointer t)))
    (multiple-value-bind (names node) (walk-lambda lambda-list body environment)
      `(make-fn :template (load-time-value (make-template :parameters ',names :body ',node :form '(fn ,lambda-list ,@body)))
                :captures (vector ,@(coerce *captures* 'list))))))

(defun walk-lambda (lambda-list body environment)
  "The unique names of the parameters, and the node of a body."
  (let ((*taken-names* (make-hash-table :test #'equal))
        (variables '()) (types '()))
    (dolist (parameter lambda-list)
      (cond ((and (consp parameter) (typep (second parameter) 'element-type) (null (cddr parameter)))
             (push (first parameter) variables)
             (push (second parameter) types))
            (t (dolist (variable (if (consp parameter) parameter (list parameter)))
                 (push (checked-variable variable lambda-list) variables)
                 (push nil types)))))
    (let* ((variables (distinct-variables (cl:reverse variables) lambda-list))
           (names (mapcar #'unique-name variables))
           (declarations (loop for variable in variables for type in (cl:reverse types)
                               when type collect `(type ,type ,variable)))
           (scope (bind-variables (make-scope :lexical environment) variables names)))
      (values names
              (walk-body `(fn ,lambda-list ,@body) `((declare ,@declarations) ,@body) scope)))))

(defun checked-variable (variable lambda-list)
  (if (and (symbolp variable) variable (not (member variable lambda-list-keywords)) (not (constantp variable)))
      variable
      (reject lambda-list "~A is not a parameter: expected a variable, (variable type) with a type such as :f32, or (variable ...) for ~
                           the columns of a tuple" variable)))

(defun distinct-variables (variables lambda-list)
  (loop for (variable . others) on variables
        do (when (member variable others)
             (reject lambda-list "the variable ~A occurs more than once: expected distinct variables" variable)))
  variables)

;;; ---- named functions

(defun find-fn (designator arity)
  "The function object for a designator, such as a function object, 'ABS or #'ABS, with ARITY parameters."
  (if (fn-p designator)
      designator
      (let ((key (cons designator arity)))
        (declare (dynamic-extent key))
        (or (gethash key **named-functions**)
            (setf (gethash (cons designator arity) **named-functions**) (fn-of-name designator arity))))))

(defun fn-of-name (designator arity)
  (let ((name (if (functionp designator) (nth-value 2 (function-lambda-expression designator)) designator)))
    (unless (and name (symbolp name))
      (error 'argument-error
             :message (format nil "~@[~A: ~]~A is not a function of elements: expected (wf:fn (x) ...), or the name of an operation, as in #'+"
                              (called) (form-text designator))))
    (let ((variables (loop for k below arity collect (make-symbol (format nil "~C" (code-char (+ 65 (mod k 26))))))))
      (eval `(fn ,variables (,name ,@variables))))))

;;; ---- compilation to functions of the library

(defmacro with-text ((pointer string) &body body)
  "Runs the body with a string as zero-terminated UTF-8, which is valid only inside the body."
  (let ((octets (gensym "OCTETS")))
    `(let ((,octets (octets-of ,string)))
       (cffi:with-pointer-to-vector-data (,pointer ,octets) ,@body))))

(defun octets-of (string)
  (sb-ext:string-to-octets string :external-format :utf-8 :null-terminate t))

(declaim (inline find-compiled))
(defun find-compiled (list types wanted captures)
  (declare (type simple-vector captures))
  (dolist (compiled list)
    (when (and (equal (compiled-types compiled) types)
               (equal (compiled-wanted compiled) wanted)
               (or (eq captures (compiled-captures compiled))
                   (cl:every #'eql captures (compiled-captures compiled)))
               (plusp (cell-pointer (handle-cell compiled)))) ; 0 after a saved image was restarted
      (return compiled))))

(defun compile-fn (fn types &optional wanted)
  "The function of the library for parameters of these types; its results are converted to the types WANTED, if any."
  (let ((template (fn-template fn)) (captures (fn-captures fn)))
    (or (find-compiled (fn-compiled fn) types wanted captures)
        (and template (find-compiled (template-compiled template) types wanted captures))
        (if template
            (compile-template fn template types wanted captures)
            (foreign-compiled (first (fn-compiled fn)) types wanted)))))

(defun foreign-compiled (compiled types wanted)
  "A foreign function if it has these types, else an ELEMENT-TYPE-ERROR."
  (if (and (equal types (compiled-types compiled))
           (or (null wanted) (equal wanted (compiled-results compiled))))
      compiled
      (error 'element-type-error
             :message (format nil "the foreign function has the type ~A -> ~A: expected ~A -> ~:[any type~;~:*~A~]"
                              (describe-types (compiled-types compiled)) (describe-types (compiled-results compiled))
                              (describe-types types) (and wanted (describe-types wanted))))))

(defconstant +most-compiled+ 8 "The maximal number of compiled functions per form.")

(defun compile-template (fn template types wanted captures)
  (multiple-value-bind (text results slots) (written-form template captures types wanted)
    (let ((compiled (make-compiled (make-cell :kind :fn) types results wanted captures)))
      (with-pointers ((its-text text :text) (its-slots slots n))
        (setf (cell-pointer (handle-cell compiled)) (foreign-pointer (out) (wf.raw:wf-fn-create its-text its-slots n out))))
      (register compiled (handle-cell compiled))
      (if (cl:some #'fn-or-handle-p captures)
          (push compiled (fn-compiled fn))
          (let ((kept (template-compiled template)))
            (setf (template-compiled template)
                  (cons compiled (if (nthcdr (1- +most-compiled+) kept) (butlast kept) kept)))))
      compiled)))

(defun fn-or-handle-p (value)
  "Returns true if a captured value keeps an object of the library alive."
  (or (fn-p value) (seq-p value) (handle-p value)))

(defun written-form (template captures types wanted)
  "Three values: the text of a function, the types of its results, and its sequences $0, $1, ..."
  (let ((*terms* (make-hash-table :test #'equal))
        (*captured* captures)
        (*slots* (make-array 0 :adjustable t :fill-pointer t))
        (*generated* 0)
        (names (template-parameters template)))
    (unless (= (cl:length names) (cl:length types))
      (reject (template-form template) "it has ~D parameter~:P, and is applied to ~D column~:P, ~A: expected one parameter per column"
              (cl:length names) (cl:length types) (describe-types types)))
    (bind-names names types)
    (let ((body (converted (settled (elaborate (template-body template))) wanted (template-form template))))
      (values (with-output-to-string (stream)
                (write-text (list "(fn (" (loop for name in names for type in types
                                                collect (list "(" name " " (type-text type) ")"))
                                  ") " (term-text body) ")")
                            stream))
              (term-types body)
              (coerce *slots* 'list)))))

(defun converted (body wanted form)
  "The values of a body converted to the types WANTED, if any; these must not be narrower than their own."
  (let ((types (term-types body)))
    (cond ((or (null wanted) (equal types wanted)) body)
          ((and (= (cl:length types) (cl:length wanted))
                (cl:every (lambda (type to) (and (eq (promoted type to) to) (eq (eq type :bool) (eq to :bool)))) types wanted))
           (let ((values (parts body "_r")))
             (if (single-p body)
                 (of-type body (first wanted))
                 (typed wanted
                        (parenthesised "let" (list "(" (binding-text (part-names "_r" values) body) ")")
                                       (apply #'parenthesised "tuple"
                                              (mapcar #'term-text (mapcar #'of-type values wanted))))))))
          (t (reject form "its result has the type ~A: expected ~A" (describe-types types) (describe-types wanted))))))

(defun fn-text (function &rest types)
  "The written form of a function for parameters of these types, after simplification: (wf:fn-text (wf:fn (x) (+ x 1)) :f32)."
  (with-pointers ((its (compile-fn (find-fn function (cl:length types)) (mapcar #'element-type-of types))))
    (copied-text (buffer capacity needed)
      (checked (wf.raw:wf-fn-text its buffer capacity needed)))))

(defmethod print-object ((fn fn) stream)
  (print-unreadable-object (fn stream :type t)
    (let ((template (fn-template fn)))
      (if template (format stream "~{~S~^ ~}" (cdr (template-form template))) (write-string "foreign" stream)))))

;;; ---- functions of C and of CUDA C++

(defun type-codes (types)
  (coerce (mapcar #'type-code types) '(simple-array (signed-byte 32) (*))))

(defun foreign-fn (types results make &optional (origin make))
  "A function of elements. MAKE returns its pointer; ORIGIN returns it in the process of a saved image."
  (let* ((cell (make-cell :kind :fn :pointer (funcall make) :origin (lambda (cell) (declare (ignore cell)) (funcall origin))))
         (compiled (make-compiled cell types results nil #())))
    (make-fn :compiled (list (register compiled cell)))))

(defun complain-of-address ()
  (error 'argument-error :message "the function was given by its address in the process that saved the image: expected a function given by its name, or made in this process"))

(defun foreign-function (function parameter-types result-type &key name)
  "A C function of scalars as a function of elements. FUNCTION is its name in a loaded library, or its address. Types are element types or
the corresponding Lisp types: (wf:foreign-function \"j0\" '(:f64) :f64). For the CPU engine only; several threads call it at once. Plans show
NAME. ARGUMENT-ERROR if no loaded library has a function of that name."
  (let ((types (mapcar #'element-type-of parameter-types))
        (result (element-type-of result-type)))
    (flet ((make ()
             (let ((address (if (stringp function) (cffi:foreign-symbol-pointer function) function)))
               (unless (cffi:pointerp address)
                 (error 'argument-error
                        :message (format nil "wf:foreign-function: ~A is not a function of the libraries that are loaded: expected its ~
                                              name in one of them, or its address" (form-text function))))
               (with-text (its-name (or name
                                        (if (stringp function) function (format nil "~(0x~X~)" (cffi:pointer-address address)))))
                 (cffi:with-pointer-to-vector-data (its-types (type-codes types))
                   (let ((code (type-code result)))
                     (foreign-pointer (out)
                       (wf.raw:wf-fn-foreign its-name address its-types (cl:length types) code out))))))))
      (foreign-fn types (list result) #'make (if (stringp function) #'make #'complain-of-address)))))

(defun block-function (function parameter-types result-types &key name (user (cffi:null-pointer)) (destroy (cffi:null-pointer)))
  "A C function that computes blocks of elements, by its address: void f(void* user, int64_t n, const void* const* in, void* const* out) reads
n elements of each in[k] and writes n of each out[k]. Each element must depend on the same element only; several threads call it at once. USER
is passed to it. DESTROY, the address of a C function, is called once on USER after the last use. For the CPU engine only."
  (let ((types (mapcar #'element-type-of parameter-types))
        (results (mapcar #'element-type-of result-types)))
    (flet ((make ()
             (with-text (its-name (or name (format nil "~(0x~X~)" (cffi:pointer-address function))))
               (cffi:with-pointer-to-vector-data (its-types (type-codes types))
                 (cffi:with-pointer-to-vector-data (its-results (type-codes results))
                   (cffi:with-foreign-object (block '(:struct wf.raw:wf-block))
                     (loop for (slot value) in `((wf.raw::name ,its-name) (wf.raw::function ,function) (wf.raw::user ,user)
                                                 (wf.raw::destroy ,destroy) (wf.raw::param-types ,its-types)
                                                 (wf.raw::result-types ,its-results) (wf.raw::n-params ,(cl:length types))
                                                 (wf.raw::n-results ,(cl:length results)))
                           do (setf (cffi:foreign-slot-value block '(:struct wf.raw:wf-block) slot) value))
                     (foreign-pointer (out) (wf.raw:wf-fn-block block out))))))))
      (foreign-fn types results #'make #'complain-of-address))))

(defun source-function (name text parameter-types result-types &key host)
  "A function in CUDA C++: TEXT defines NAME, which returns one result, or writes several to its last parameters, which are references. It is
fused with its producers and consumers. For the CUDA engine; the CPU engine calls HOST, a function of the same types made by
wf:foreign-function or wf:block-function. For example (wf:source-function \"twice\" \"float twice(float x) { return 2 * x; }\" '(:f32) '(:f32)).
The text is compiled when a sequence that uses it is first computed; that call signals COMPILE-ERROR."
  (let ((types (mapcar #'element-type-of parameter-types))
        (results (mapcar #'element-type-of result-types)))
    (flet ((make (host)
             (with-pointers ((its-name name :text) (its-text text :text))
               (cffi:with-pointer-to-vector-data (its-types (type-codes types))
                 (cffi:with-pointer-to-vector-data (its-results (type-codes results))
                   (foreign-pointer (out)
                     (wf.raw:wf-fn-source its-name its-text its-types (cl:length types) its-results (cl:length results)
                                          host out)))))))
      (foreign-fn types results
                  (lambda ()
                    (if host
                        (with-pointers ((its-host (first (fn-compiled host)))) (make its-host))
                        (make (cffi:null-pointer))))))))
