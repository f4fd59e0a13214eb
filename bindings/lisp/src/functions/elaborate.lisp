;;;; Elaboration: from nodes to text. The types of the parameters and the captured values determine the types of every node and the
;;;; written form of the function. Type errors name their form.

(in-package #:warpfold)

(defvar *terms*)      ; a hash table: from each variable to its term
(defvar *captured*)   ; a vector: the captured values
(defvar *slots*)      ; an adjustable vector: the captured sequences, $0, $1, ...

(defun node-kind (node) (first node))
(defun node-form (node) (second node))

(sb-ext:define-load-time-global **elaborators** (make-hash-table :test #'eq))

(defmacro define-elaborator (kind (form &rest lambda-list) &body body)
  "Defines the translation of nodes of a kind to terms."
  `(setf (gethash ,kind **elaborators**)
         (lambda (node)
           (destructuring-bind (,form ,@lambda-list) (cdr node)
             (declare (ignorable ,form))
             ,@body))))

(defun elaborate (node)
  (funcall (the function (gethash (node-kind node) **elaborators**)) node))

(defun elaborate-single (node)
  (let ((term (elaborate node)))
    (unless (single-p term)
      (reject (node-form node) "it has ~D values, ~A, where one is needed"
              (cl:length (term-types term)) (describe-types (term-types term))))
    term))

;;; ---- leaves

(define-elaborator :constant (form value) (literal value form))
(define-elaborator :variable (form name)
  (or (gethash name *terms*)
      (reject form "it is not a parameter of the function that combines: expected a function of its two arguments alone, after a MAP of the ~
                    elements")))

(define-elaborator :captured (form k)
  (let ((value (cl:aref *captured* k)))
    (typecase value
      ((or real (member t nil)) (literal value form))
      (seq (if (zerop (seq-rank value))
               (element-of value (typed '(:i64) "0:i64"))
               (reject form "it is a sequence: expected an element, (aref ~A index)" form)))
      (fn (reject form "it is a function: expected a call, (funcall ~A ...)" form))
      (t (reject form "its value has the type ~A: expected a number, T, NIL or a sequence" (type-of value))))))

(defun slot-text (sequence)
  "$k for a captured sequence; assigns a k to a new sequence."
  (format nil "$~D" (or (position sequence *slots* :test #'eq) (vector-push-extend sequence *slots*))))

(defun element-of (sequence index)
  (typed (seq-types sequence) (parenthesised "at" (slot-text sequence) (term-text index))))

(defun captured-sequence (form k)
  (let ((value (cl:aref *captured* k)))
    (unless (seq-p value)
      (reject form (if (arrayp value)
                       "~A is an array of Lisp: expected a sequence, made by wf:from-vector or wf:from-array"
                       "~A has the type ~A: expected a sequence")
              (second form) (type-of value)))
    value))

(define-elaborator :element (form k index)
  (let ((sequence (captured-sequence form k))
        (index (elaborate-single index)))
    (unless (integer-type-p (term-type index))
      (reject form "the index has the type ~A: expected an integer" (describe-types (term-types index))))
    (element-of sequence (settled index))))

(defun row-major-index (form dimensions indices)
  "The number of an element. An index after the first that is out of range makes the number -1, which is an error where it is read."
  (flet ((i64 (term) (term-text (of-type (settled term) :i64))))
    (let ((names (loop for nil in indices collect (gensym-name "i"))) (number nil) (inside nil))
      (loop for name in names for n in dimensions
            for extent = (literal-text n :i64)
            do (setf number (if number (parenthesised "add" (parenthesised "mul" number extent) name) name))
               (unless (eq name (first names))
                 (let ((in (parenthesised "and" (parenthesised "ge" name "0:i64") (parenthesised "lt" name extent))))
                   (setf inside (if inside (parenthesised "and" inside in) in)))))
      (typed '(:i64)
             (parenthesised "let" (list "(" (loop for name in names for term in indices collect (list "(" name " " (i64 term) ")")) ")")
                        (if inside (parenthesised "where" inside number "-1:i64") number))))))

(defun require-integers (form indices)
  (dolist (index indices)
    (unless (integer-type-p (term-type index))
      (reject form "an index has the type ~A: expected an integer" (describe-types (term-types index))))))

(define-elaborator :subscripted (form k &rest nodes)
  (let* ((array (captured-sequence form k)) (indices (mapcar #'elaborate-single nodes)))
    (unless (= (cl:length indices) (seq-rank array))
      (reject form "it has ~D index~:*~[es~;~:;es~], but the array has the rank ~D: expected one index per axis; ROW-MAJOR-AREF takes the number of ~
                    an element" (cl:length indices) (seq-rank array)))
    (require-integers form indices)
    (element-of array (if (= (cl:length indices) 1)
                          (settled (first indices))
                          (row-major-index form (dimensions array) indices)))))

(define-elaborator :extent-along (form k axis)
  (let ((dimensions (dimensions (captured-sequence form k))) (axis (elaborate-single axis)))
    (unless (and (term-literal-p axis) (typep (term-value axis) `(integer 0 ,(1- (cl:length dimensions)))))
      (reject form "its axis is not one of the array, which has ~D: expected a number from 0 to ~D" (cl:length dimensions)
              (1- (cl:length dimensions))))
    (literal (cl:nth (term-value axis) dimensions) form)))

(define-elaborator :length (form k)
  (typed '(:i64) (parenthesised "length" (slot-text (captured-sequence form k)))))

;;; ---- operations

;;; A literal has the type of the other operand, an integer, if the result is always in its range: (= c 40) compares bytes. The result of
;;; a sum, a difference or a product may be out of range: (+ c 1) of a byte is an :i32.
(defun adapting-p (operation)
  (not (member (operation-name operation) '("add" "sub" "mul") :test #'string=)))

(defun operands-type (form operation terms)
  "The common type of the operands; the operation must accept it."
  (let* ((klass (operation-klass operation))
         (type (common-type terms (adapting-p operation)))
         (booleans (count :bool terms :key #'term-type)))
    (flet ((take-p (type)
             (ecase klass
               (:any t)
               (:bits (not (float-type-p type)))
               (:int (integer-type-p type))
               ((:num :float) (not (eq type :bool))))))
      (cond ((and (plusp booleans) (or (< booleans (cl:length terms)) (not (take-p :bool))))
             (reject form "a boolean is not a number: expected (if condition 1 0)"))
            ((not (take-p type))
             (reject form "an operand has the type ~A: expected integers; FLOOR, TRUNCATE, ROUND and wf:cast convert" (type-text type)))
            ((and (eq klass :float) (integer-type-p type)) :f64)
            (t type)))))

(defun apply-operation (form operation terms)
  (let ((type (operands-type form operation terms)))
    (typed (list (if (eq (operation-result operation) :truth) :bool type))
           (apply #'parenthesised (operation-name operation)
                  (loop for term in terms
                        collect (term-text (if (term-literal-p term) (of-type term type) term)))))))

(define-elaborator :apply (form key &rest nodes)
  (apply-operation form (find-operation key) (mapcar #'elaborate-single nodes)))

(define-elaborator :divide (form a b)
  (let ((terms (list (elaborate-single a) (elaborate-single b))))
    (when (integer-type-p (common-type terms t))
      (reject form "a quotient of integers is a ratio, which is not an element: expected FLOOR, TRUNCATE or ROUND, or an operand that is a float"))
    (apply-operation form (find-operation "div") terms)))

;;; ---- choosing

(define-elaborator :truth (form node) (elaborate-truth node))

(defun elaborate-truth (node)
  (let ((term (elaborate-single node)))
    (unless (eq (term-type term) :bool)
      (reject (node-form node) "the condition has the type ~A: expected a boolean, such as (/= ~A 0)"
              (type-text (term-type term)) (node-form node)))
    term))

(defun parts (term name)
  "The single values of a term as a list of terms; several values are variables whose names begin with NAME."
  (if (single-p term)
      (list term)
      (loop for type in (term-types term) for k from 0
            collect (typed (list type) (part-name name k)))))

(defun part-name (name k) (format nil "~A_~D" name k))

(defun chosen (form a b)
  "The common type of two branches."
  (let ((type (common-type (list a b) t)))
    (unless (eq (eq (term-type a) :bool) (eq (term-type b) :bool))
      (if (and (term-literal-p b) (null (term-value b)))
          (reject form "it is NIL where no condition holds, and of type ~A elsewhere: expected ~A" (type-text (term-type a))
                  (case (and (consp form) (car form))
                    (if "an else form")
                    (cond "a last clause (t ...)")
                    ((case ecase) "a last clause (otherwise ...)")
                    (t "an IF with an else form")))
          (reject form "its branches have the types ~A and ~A: expected one type"
                  (type-text (term-type a)) (type-text (term-type b)))))
    type))

(define-elaborator :if (form test then else)
  (let ((test (elaborate-truth test)))
    (if (term-literal-p test)
        (elaborate (if (term-value test) then else))
        (let ((a (elaborate then)) (b (elaborate else)))
          (cond ((/= (cl:length (term-types a)) (cl:length (term-types b)))
                 (reject form "one branch has ~D value~:P and the other ~D: expected as many"
                         (cl:length (term-types a)) (cl:length (term-types b))))
                ((single-p a)
                 (let ((type (chosen form a b)))
                   (if (and (term-literal-p a) (eql (term-value a) 1) (term-literal-p b) (eql (term-value b) 0))
                       (of-type test type) ; (if test 1 0)
                       (typed (list type) (parenthesised "where" (term-text test)
                                                         (term-text (of-type a type)) (term-text (of-type b type)))))))
                (t (choose-all form test a b)))))))

(defun choose-all (form test a b)
  "(let ((c test) ((a_0 a_1) then) ((b_0 b_1) else)) (tuple (where c a_0 b_0) (where c a_1 b_1)))"
  (let* ((c (gensym-name "c")) (a-name (gensym-name "a")) (b-name (gensym-name "b"))
         (as (parts a a-name)) (bs (parts b b-name))
         (types (mapcar (lambda (a b) (chosen form a b)) as bs)))
    (typed types
           (parenthesised "let"
                          (list "(" (binding-text (list c) test)
                                (binding-text (part-names a-name as) a) (binding-text (part-names b-name bs) b) ")")
                          (apply #'parenthesised "tuple"
                                 (loop for a in as for b in bs for type in types
                                       collect (parenthesised "where" c (term-text (of-type a type))
                                                              (term-text (of-type b type)))))))))

(defvar *generated*)  ; the number of generated names

(defun gensym-name (prefix) (format nil "_~A~D" prefix (incf *generated*)))
(defun part-names (name terms) (loop for nil in terms for k from 0 collect (part-name name k)))

(defun binding-text (names term)
  (if (rest names)
      (list "((" (loop for (name . more) on names collect name when more collect " ") ") " (term-text term) ")")
      (list "(" (first names) " " (term-text term) ")")))

;;; ---- binding

(define-elaborator :let (form bindings body)
  (let ((texts '()))
    (loop for (names node) in bindings
          do (let* ((term (elaborate node)) (more (- (cl:length (term-types term)) (cl:length names))))
               (when (eq (car form) 'multiple-value-bind)  ; drops further values
                 (setf names (cl:append names (loop repeat more collect (gensym-name "v")))))
               (unless (= (cl:length names) (cl:length (term-types term)))
                 (reject (node-form node) "it has ~D value~:P for ~D variable~:P"
                         (cl:length (term-types term)) (cl:length names)))
               (cond ((term-literal-p term) (setf (gethash (first names) *terms*) term))
                     (t (push (binding-text names term) texts)
                        (bind-names names (term-types term))))))
    (let ((body (elaborate body)))
      (if (or (null texts) (term-literal-p body))
          body
          (typed (term-types body) (parenthesised "let" (list "(" (cl:reverse texts) ")") (term-text body)))))))

(defun bind-names (names types)
  (loop for name in names for type in types
        do (setf (gethash name *terms*) (typed (list type) name))))

(define-elaborator :values (form &rest nodes)
  (let ((terms (mapcar (lambda (node) (settled (elaborate-single node))) nodes)))
    (case (cl:length terms)
      (0 (reject form "a function has at least one value"))
      (1 (first terms))
      (t (typed (mapcar #'term-type terms) (apply #'parenthesised "tuple" (mapcar #'term-text terms)))))))

;;; ---- iterating

;;; A variable has the promoted type of its first and its next values. The next values may depend on that type, so types are promoted
;;; until they no longer change. This takes a few rounds, since there are only eight types.
(define-elaborator :loop (form names inits test nexts result)
  (let ((inits (mapcar #'elaborate-single inits)))
    (loop with types = (mapcar #'term-type inits)
          do (bind-names names types)
             (multiple-value-bind (nexts binding) (next-terms form nexts (cl:length names))
               (let ((raised (mapcar (lambda (type next) (raised-type form type next)) types nexts)))
                 (when (equal types raised)
                   (return (loop-term names types inits (elaborate-truth test) nexts binding (settled (elaborate result)))))
                 (setf types raised))))))

(defun next-terms (form nodes n)
  "Two values: N terms for the next values of a loop's variables, and the binding that they need, or NIL."
  (if (= n (cl:length nodes))
      (values (mapcar #'elaborate-single nodes) nil)
      (let* ((term (elaborate (first nodes))) (name (gensym-name "n")) (parts (parts term name)))
        (unless (= n (cl:length parts))
          (reject form "its step has ~D value~:P: expected ~D" (cl:length parts) n))
        (values parts (binding-text (part-names name parts) term)))))

(defun raised-type (form type next)
  (unless (eq (eq type :bool) (eq (term-type next) :bool))
    (reject form "a variable starts as ~A and goes on as ~A: expected one type" (type-text type) (type-text (term-type next))))
  (if (and (term-literal-p next) (fits-p (term-value next) type))
      type
      (promoted type (term-type next))))

(defun loop-term (names types inits test nexts binding result)
  (flet ((all-of-type (terms) (mapcar #'term-text (mapcar #'of-type terms types)))
         (bound (text) (if binding (parenthesised "let" (list "(" binding ")") text) text)))
    (typed (term-types result)
           (parenthesised "let"
                          (list "(" (binding-text
                                     names
                                     (typed types
                                            (parenthesised "loop"
                                                           (list "(" (loop for name in names for init in (all-of-type inits)
                                                                           collect (list "(" name " " init ")")) ")")
                                                           (parenthesised "not" (term-text (settled test)))
                                                           (bound (apply #'parenthesised "tuple" (all-of-type nexts))))))
                                ")")
                          (term-text result)))))

;;; ---- types

(define-elaborator :cast (form type node)
  (let ((term (elaborate-single node)))
    (if (and (term-literal-p term) (fits-p (term-value term) type))
        (typed (list type) (literal-text (term-value term) type))
        (of-type (settled term) type))))

(define-elaborator :coerce (form type node)
  (let ((term (elaborate-single node)))
    (unless (if (term-literal-p term)
                (fits-p (term-value term) type)
                (and (widens-p (term-type term) type) (eq (eq (term-type term) :bool) (eq type :bool))))
      (reject form "a value of type ~A need not be one of type ~A: expected FLOOR, TRUNCATE or ROUND, or wf:cast, which wraps and saturates"
              (type-text (term-type term)) (type-text type)))
    (of-type term type)))

(define-elaborator :like (form node like)
  (of-type (elaborate-single node) (term-type (elaborate-single like))))

(define-elaborator :the (form type node)
  (let ((term (elaborate-single node)))
    (cond ((eq (term-type term) type) term)
          ((and (integer-type-p type) (subtypep (lisp-type (term-type term)) (lisp-type type))) term) ; an :i32 is a FIXNUM
          ((and (term-literal-p term) (fits-p (term-value term) type)) (of-type term type))
          (t (reject form "its type is ~A: expected ~A" (type-text (term-type term)) (type-text type))))))

(define-elaborator :fact (form which node)
  (let ((type (term-type (elaborate-single node))))
    (literal (ecase which
               (:floatp (float-type-p type))
               (:signedp (and (member type '(:i32 :i64 :f32 :f64)) t))
               (:width (* 8 (type-size type))))
             form)))

;;; ---- functions that were captured

(define-elaborator :call (form k &rest nodes)
  (let ((function (cl:aref *captured* k)))
    (unless (fn-p function) (reject form "~A has the type ~A: expected a function made by wf:fn" (second form) (type-of function)))
    (inlined-call form function (mapcar #'settled (mapcar #'elaborate-single nodes)))))

(defun inlined-call (form function arguments)
  "The body of a function, under names for the arguments that are in use nowhere."
  (let* ((template (fn-template function))
         (names (loop for nil in arguments collect (gensym-name "p")))
         (bindings (loop for name in names for argument in arguments collect (binding-text (list name) argument)))
         (*terms* (make-hash-table :test #'equal)))
    (unless template (reject form "a foreign function cannot be called inside another: expected a wf:map of its own"))
    (unless (= (cl:length arguments) (cl:length (template-parameters template)))
      (reject form "it takes ~D argument~:P" (cl:length (template-parameters template))))
    (loop for parameter in (template-parameters template) for name in names for argument in arguments
          do (setf (gethash parameter *terms*) (typed (term-types argument) name)))
    (let ((body (settled (let ((*captured* (fn-captures function))) (elaborate (template-body template))))))
      (typed (term-types body) (parenthesised "let" (list "(" bindings ")") (term-text body))))))
