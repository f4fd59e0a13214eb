;;;; The expansion of wf:fn: from forms to nodes. Forms are walked as by the compiler; the result is a tree that does not depend on the
;;;; lexical environment and has no types yet.
;;;;
;;;;   (:constant form value)                  a number, T or NIL
;;;;   (:variable form name)                   a parameter or a binding; names are unique in a function
;;;;   (:captured form k)                      the k-th captured value from outside
;;;;   (:apply form key node...)               an operation of the table
;;;;   (:if form test then else)
;;;;   (:truth form node)                      a node that must be a boolean
;;;;   (:let form (((name...) node)...) body)  sequential bindings; several names bind several values
;;;;   (:values form node...)
;;;;   (:element form k node)                  an element of a captured sequence by its number
;;;;   (:subscripted form k node...)           (aref captured node...)
;;;;   (:extent-along form k node)             (array-dimension captured node)
;;;;   (:length form k)
;;;;   (:cast form type node)                  to an element type
;;;;   (:coerce form type node)                the same, to a type that contains all values of the node's; floats round
;;;;   (:draw form distribution type key-node number-node parameter-node...)  a random number (random.lisp)
;;;;   (:like form node node)                  the first, converted to the type of the second
;;;;   (:the form type node)                   a declaration, checked
;;;;   (:divide form node node)                /, which is not an operation on integers
;;;;   (:fact form which node)                 a property of the node's type: :floatp, :signedp, or :width in bits
;;;;   (:loop form (name...) (init...) test (next...) result)   one next node per name, or one with all values
;;;;   (:call form k node...)                  a function object that was captured

(in-package #:warpfold)

(defstruct (scope (:copier copy-scope))
  "The bindings in scope: VARIABLES (symbol . unique name, or the node of a sequence), FUNCTIONS (name :function lambda-list body scope) or (name :macro expander),
SYMBOL-MACROS (symbol . expansion), and the LEXICAL environment of the form. GLOBAL is true for code that has no lexical environment."
  (variables '() :type list)
  (functions '() :type list)
  (symbol-macros '() :type list)
  (lexical nil)
  (global nil))

(defvar *captures*)                     ; an adjustable vector: the captured forms
(defvar *taken-names*)                  ; a hash table: the unique names in use, with the count of each
(defvar *inlined* '())                  ; functions that are being expanded, to detect recursion

(defun unique-name (symbol)
  "An unused name for the written form, similar to the symbol's name."
  (let* ((plain (substitute-if #\_ (lambda (c) (not (or (and (char< c (code-char 128)) (alphanumericp c)) (char= c #\-))))
                               (string-downcase symbol)))
         (base (if (or (string= plain "") (not (alpha-char-p (char plain 0)))
                       (member plain '("true" "false" "inf" "nan") :test #'string=))
                   (concatenate 'string "_" plain)
                   plain))
         (count (incf (gethash base *taken-names* 0))))
    (if (= count 1) base (unique-name (format nil "~A'~D" base count)))))

(defun bind-variables (scope symbols names)
  (let ((inner (copy-scope scope)))
    (setf (scope-variables inner) (cl:append (mapcar #'cons symbols names) (scope-variables scope)))
    inner))

(defun capture (symbol scope)
  "The number of a captured variable."
  (let ((form (if (scope-global scope) `(symbol-value ',symbol) symbol)))
    (or (position form *captures* :test #'equal)
        (vector-push-extend form *captures*))))

;;; ---- forms

(sb-ext:define-load-time-global **special-forms** (make-hash-table :test #'eq)) ; handlers of (form scope); forms.lisp

(defun walk (form scope)
  (cond ((symbolp form) (walk-symbol form scope))
        ((numberp form) (constant-node form form))
        ((atom form) (reject form "it is neither a number nor a variable: expected a real number, T, NIL or a form"))
        ((eq (car form) 'quote) (reject form "a quoted object is not an element: expected a real number, T or NIL"))
        ((consp (car form)) (walk-lambda-call form scope))
        (t (walk-call form scope))))

(defun reject-sequence (symbol)
  (reject symbol "it is a sequence: expected an element, (aref ~A index), or a reduction of it, such as (reduce #'+ ~A)" symbol symbol))

(defun constant-node (form value)
  (unless (typep value '(or real (member t nil)))
    (reject form "its value ~A is not an element: expected a real number, T or NIL" value))
  (list :constant form value))

(defun walk-symbol (symbol scope)
  (let ((variable (assoc symbol (scope-variables scope)))
        (macro (assoc symbol (scope-symbol-macros scope))))
    (cond ((consp (cdr variable)) (reject-sequence symbol))
          (variable (list :variable symbol (cdr variable)))
          (macro (walk (cdr macro) scope))
          ((keywordp symbol) (reject symbol "a keyword is not an element: expected a real number, T or NIL"))
          (t (multiple-value-bind (expansion expanded) (macroexpand-1 symbol (scope-lexical scope))
               (cond (expanded (walk expansion scope))
                     ((constantp symbol (scope-lexical scope)) (constant-node symbol (eval symbol)))
                     (t (list :captured symbol (capture symbol scope)))))))))

(defun walk-call (form scope)
  "A form whose head is a symbol: a local function or macro, a special form, an operation, an inlined function, or a macro."
  (let* ((head (car form))
         (local (assoc head (scope-functions scope)))
         (handler (gethash head **special-forms**)))
    (cond ((and local (eq (second local) :macro)) (walk (funcall (third local) form (scope-lexical scope)) scope))
          (local (walk-inline form (third local) (fourth local) (fifth local) (cdr form) scope))
          (handler (funcall handler form scope))
          ((fold-constants form scope))
          ((gethash head **operators**) (walk-operator form (gethash head **operators**) (walk-all (cdr form) scope)))
          ((find-inline head) (destructuring-bind (lambda-list . body) (find-inline head)
                                (walk-inline form lambda-list body (make-scope :global t) (cdr form) scope)))
          (t (multiple-value-bind (expansion expanded) (macroexpand-1 form (scope-lexical scope))
               (if expanded
                   (walk expansion scope)
                   (reject form "~A is not an operation of elements: expected a function defined by wf:define-function, or a macro; a ~
                                 value that does not depend on elements can be bound outside, by LET"
                           head)))))))

(defun walk-all (forms scope) (mapcar (lambda (form) (walk form scope)) forms))

(defun fold-constants (form scope)
  "The constant node of a call with a constant value, such as (char-code #\\a), or NIL."
  (flet ((literal-p (argument)
           (cond ((symbolp argument) (and (not (assoc argument (scope-variables scope)))
                                          (constantp argument (scope-lexical scope))))
                 ((consp argument) (and (symbolp (car argument)) (fold-constants argument scope)))
                 (t (or (numberp argument) (characterp argument))))))
    (when (and (not (macro-function (car form))) (cl:every #'literal-p (cdr form)) (constantp form (scope-lexical scope)))
      (let ((value (handler-case (eval form) (error () :none))))
        (when (typep value '(or real (member t nil)))
          (list :constant form value))))))

(defun walk-operator (form operator nodes)
  "A call of an operation of the table, with any number of arguments that Lisp allows."
  (let* ((key (operator-key operator))
         (n (cl:length nodes)))
    (flet ((apply-to (&rest operands) (list* :apply form key operands)))
      (ecase (operator-style operator)
        (:exact (unless (= n (operator-none operator)) (reject form "it has ~D argument~:P: expected ~D" n (operator-none operator)))
         (apply #'apply-to nodes))
        (:fold (cond ((> n 0) (cl:reduce #'apply-to nodes))
                     ((operator-none operator) (constant-node form (operator-none operator)))
                     (t (reject form "it needs at least one argument"))))
        (:chain (case n
                  (0 (reject form "it needs at least one argument"))
                  (1 (constant-node form t))
                  (t (walk-chain form #'apply-to nodes))))))))

(defun walk-chain (form compare nodes)
  "(< a b c) as (and (< a b) (< b c)), with each operand bound once."
  (if (null (cddr nodes))
      (apply compare nodes)
      (let ((names (loop for nil in nodes collect (unique-name 'compared))))
        (flet ((variable (name) (list :variable form name)))
          (list :let form (loop for name in names for node in nodes collect (list (list name) node))
                (cl:reduce (lambda (a b) (list :apply form "and" a b))
                           (loop for (a b) on names while b
                                 collect (funcall compare (variable a) (variable b)))))))))

;;; ---- inlined functions: local functions, functions of the prelude, functions of the user

(sb-ext:define-load-time-global **inline-functions** (make-hash-table :test #'eq :synchronized t))

;;; The cache of FIND-FN: from (designator . number of parameters) to a function object.
(sb-ext:define-load-time-global **named-functions** (make-hash-table :test #'equal :synchronized t))

(defun find-inline (name) (gethash name **inline-functions**))

(defmacro define-inline (name lambda-list &body body)
  "Defines NAME inside wf:fn: a call expands to its body with the parameters bound."
  `(eval-when (:compile-toplevel :load-toplevel :execute)
     (setf (gethash ',name **inline-functions**) '(,lambda-list ,@(take-documentation body)))
     (clrhash **named-functions**)
     ',name))

(defmacro define-function (name lambda-list &body body)
  "Defines NAME for use inside wf:fn and as a Lisp function. Inside wf:fn a call expands to its body with the parameters bound. The Lisp
function accepts numbers, T and NIL and returns the same results. Parameters may be &optional; other variables in the body are global. For
example (wf:define-function clamp (x low high) (min high (max low x))); then (clamp 7 0 5) is 5, and (wf:map #'clamp xs lows highs) is
a sequence."
  (multiple-value-bind (its-body documentation) (take-documentation body)
    (multiple-value-bind (parameters arguments) (function-parameters lambda-list)
      `(progn
         (define-inline ,name ,lambda-list ,@its-body)
         (defun ,name ,parameters
           ,@(and documentation (list documentation))
           (call-on-numbers ',name ,arguments))))))

(defun function-parameters (lambda-list)
  "Two values: the lambda list of the Lisp function, and a form for the list of the supplied arguments."
  (let* ((optional (member '&optional lambda-list))
         (required (ldiff lambda-list optional))
         (optional (loop for item in (rest optional)
                         collect (list (if (consp item) (first item) item) nil (gensym "GIVEN")))))
    (values `(,@required ,@(and optional '(&optional)) ,@optional)
            `(list* ,@required ,(cl:reduce (lambda (item rest) `(and ,(third item) (cons ,(first item) ,rest)))
                                        optional :from-end t :initial-value nil)))))

(defun take-documentation (body)
  "The body without its docstring, and the docstring."
  (if (and (stringp (car body)) (cdr body))
      (values (cdr body) (car body))
      (values body nil)))

(defun bound-arguments (form lambda-list nodes scope)
  "The variables of a lambda list of required and optional parameters, and a node for each."
  (loop with optional = nil
        with rest = nodes
        for item in lambda-list
        if (eq item '&optional) do (setf optional t)
        else if (member item lambda-list-keywords) do (reject form "~A is in its lambda list: expected required and &optional parameters only" item)
        else collect (if (consp item) (car item) item) into variables
             and collect (cond (rest (pop rest))
                               ((and optional (consp item)) (walk (second item) scope))
                               (t (reject form "too few arguments: expected ~A" lambda-list)))
                   into values
        finally (when rest (reject form "too many arguments: expected ~A" lambda-list))
                (return (values variables values))))

(defun walk-inline (form lambda-list body scope arguments outer)
  "A call, expanded to the body with the parameters bound to the arguments."
  (when (member body *inlined*)
    (reject form "it calls itself: expected an iteration, such as DO, DOTIMES or LOOP"))
  (multiple-value-bind (variables nodes) (bound-arguments form lambda-list (walk-arguments arguments outer) scope)
    (let* ((*inlined* (cons body *inlined*))
           (names (loop for variable in variables for node in nodes
                        collect (if (sequence-node-p node) node (unique-name variable))))
           (node (walk-body form body (bind-variables scope variables names))))
      (list :let form
            (loop for name in names for node in nodes
                  unless (sequence-node-p node) collect (list (list name) node))
            (if (of-prelude-p (car form)) (attributed node form) node)))))

(defun walk-arguments (arguments scope)
  "Arguments of an inlined function may be sequences."
  (loop for argument in arguments
        collect (if (sequence-form-p argument scope) (walk-sequence argument scope) (walk argument scope))))

(defun of-prelude-p (name)
  (and (symbolp name) (find-inline name) (member (symbol-package name) (list-standard-packages)) t))

(defun list-standard-packages () (list (find-package '#:common-lisp) (find-package '#:warpfold)))

(defun attributed (tree form)
  "A node with all its forms replaced by FORM, so that errors in the prelude name the user's call."
  (cond ((atom tree) tree)
        ((keywordp (car tree)) (list* (car tree) form (mapcar (lambda (part) (attributed part form)) (cddr tree))))
        (t (mapcar (lambda (part) (attributed part form)) tree))))

(defun walk-lambda-call (form scope)
  (destructuring-bind (head &rest arguments) form
    (unless (eq (car head) 'lambda) (reject form "its head is neither a symbol nor a lambda expression: expected (operation argument ...)"))
    (walk-inline form (second head) (cddr head) scope arguments scope)))

;;; ---- bodies and declarations

(defun split-declarations (body)
  "The declaration specifiers at the head of a body, and the forms after them and after a docstring."
  (loop for head = (car body)
        if (and (consp head) (eq (car head) 'declare)) append (cdr head) into specifiers
        else unless (and (stringp head) (cdr body)) return (values specifiers body)
        do (pop body)))

(defun declared-types (specifiers)
  "An alist from variables to the types declared for them."
  (loop for (kind . rest) in specifiers
        append (cond ((eq kind 'type) (loop for variable in (cdr rest) collect (cons variable (car rest))))
                     ((member kind '(ignore ignorable optimize dynamic-extent inline notinline special ftype)) '())
                     (t (loop for variable in rest collect (cons variable kind))))))

(defun with-declared-types (form specifiers scope body)
  "BODY, a function that makes a node, with variables checked for the types declared for them."
  (let ((checks (loop for (variable . type) in (declared-types specifiers)
                      for entry = (assoc variable (scope-variables scope))
                      when entry
                        collect `((,(unique-name 'declared))
                                  (:the ,variable ,(element-type-of type `(declare (type ,type ,variable)))
                                        (:variable ,variable ,(cdr entry)))))))
    (if checks
        (list :let form checks (funcall body))
        (funcall body))))

(defun walk-body (form body scope)
  "The forms of a body: statements, and a last form that returns the values."
  (multiple-value-bind (specifiers forms) (split-declarations body)
    (when (null forms) (reject form "its body is empty: expected a form"))
    (with-declared-types form specifiers scope
      (lambda ()
        (let ((last (first (last forms))))
          (walk (if (cdr forms) `(%statements ,(butlast forms) ,last) last) scope))))))
