;;;; The special forms and macros that wf:fn knows itself; all other macros are expanded.

(in-package #:warpfold)

(defmacro define-form (names (lambda-list scope) &body body)
  "Defines the translation of forms with one of these names. LAMBDA-LIST destructures the form after its head; FORM is the whole form."
  `(dolist (name ',(if (consp names) names (list names)))
     (setf (gethash name **special-forms**)
           (lambda (form ,scope)
             (declare (ignorable ,scope))
             (let ((fits nil))
               (handler-bind ((error (lambda (condition)
                                       (cond ((not fits) (reject form "expected the shape ~(~A~)"
                                                                 (cons (car form) ',lambda-list)))
                                             ((not (typep condition 'form-error)) (reject form "~A" condition))))))
                 (destructuring-bind ,lambda-list (cdr form)
                   (setf fits t)
                   ,@body)))))))

(defmacro define-refusal (names message)
  "Forms with these names signal a FORM-ERROR inside wf:fn."
  `(dolist (name ',names)
     (setf (gethash name **special-forms**)
           (lambda (form scope)
             (declare (ignore scope))
             (reject form ,message)))))

(defun constant (value &optional (form value)) (list :constant form value))

;;; ---- choosing

(define-form if ((test then &optional (else nil else-p)) scope)
  (list :if form (walk test scope) (walk then scope) (if else-p (walk else scope) (constant nil form))))

(define-form when ((test &body body) scope)
  (list :if form (walk test scope) (walk-body form body scope) (constant nil form)))

(define-form unless ((test &body body) scope)
  (list :if form (walk test scope) (constant nil form) (walk-body form body scope)))

(define-form cond ((&rest clauses) scope) (walk-clauses form clauses scope))

(defun walk-clauses (form clauses scope)
  (if (null clauses)
      (constant nil form)
      (destructuring-bind ((test &rest body) . others) clauses
        (cond ((eq test t) (walk-body form (or body '(t)) scope))
              ((null body) (list :if form (walk test scope) (constant t form) (walk-clauses form others scope)))
              (t (list :if form (walk test scope) (walk-body form body scope) (walk-clauses form others scope)))))))

(define-form (case ecase) ((key &rest clauses) scope)
  (let* ((variable (make-symbol "KEY"))
         (exhaustive (eq (car form) 'ecase))
         (clauses (loop for (keys . body) in clauses
                        for last = (or (member keys '(t otherwise)) (and exhaustive (eq keys (car (car (last clauses))))))
                        collect `(,(if last t `(or ,@(loop for k in (if (listp keys) keys (list keys))
                                                           collect `(= ,variable ,(if (characterp k) (char-code k) k)))))
                                  ,@body))))
    (let ((name (unique-name variable)))
      (list :let form (list (list (list name) (walk key scope)))
            (walk-clauses form clauses (bind-variables scope (list variable) (list name)))))))

;;; `and` and `or` evaluate a form only if the forms before it do not decide the result. A form that reads an element may fail, so it becomes
;;; the branch of a choice. Any other form becomes an operand of the operation `and` or `or`, which has the same value and is cheaper.
(defun reads-elements-p (tree)
  (cond ((atom tree) nil)
        ((keywordp (car tree)) (or (member (car tree) '(:element :call :sequence)) (cl:some #'reads-elements-p (cddr tree))))
        (t (cl:some #'reads-elements-p tree))))

(defun walk-truths (forms scope)
  (loop for form in forms collect (list :truth form (walk form scope))))

(define-form and ((&rest tests) scope)
  (if (null tests)
      (constant t form)
      (cl:reduce (lambda (a b)
                   (if (reads-elements-p b) (list :if form a b (constant nil form)) (list :apply form "and" a b)))
                 (walk-truths tests scope))))

(define-form or ((&rest tests) scope)
  (if (null tests)
      (constant nil form)
      (cl:reduce (lambda (a b)
                   (if (reads-elements-p b) (list :if form a (constant t form) b) (list :apply form "or" a b)))
                 (walk-truths tests scope))))

(define-form (not null) ((test) scope) (list :apply form "not" (first (walk-truths (list test) scope))))

;;; ---- binding

(defun walk-bindings (form bindings body scope sequential)
  (let ((inner scope) (nodes '()))
    (loop for binding in bindings
          do (destructuring-bind (variable &optional (value nil value-p)) (if (consp binding) binding (list binding))
               (unless value-p (reject form "~A is bound to nothing: expected (variable value)" variable))
               (let ((outer (if sequential inner scope)))
                 (if (sequence-form-p value outer)
                     (setf inner (bind-variables inner (list variable) (list (walk-sequence value outer))))
                     (let ((name (unique-name variable)))
                       (push (list (list name) (walk value outer)) nodes)
                       (setf inner (bind-variables inner (list variable) (list name))))))))
    (list :let form (cl:reverse nodes) (walk-body form body inner))))

(define-form let ((bindings &body body) scope) (walk-bindings form bindings body scope nil))
(define-form let* ((bindings &body body) scope) (walk-bindings form bindings body scope t))

(define-form multiple-value-bind ((variables values-form &body body) scope)
  (let ((names (mapcar #'unique-name variables)))
    (list :let form (list (list names (walk (with-remainder values-form) scope)))
          (walk-body form body (bind-variables scope variables names)))))

(defun with-remainder (form)
  "The form that returns both quotient and remainder for (floor a b) and similar forms; any other form unchanged."
  (let ((rounds (and (consp form) (assoc (car form) '((floor . %floor2) (ceiling . %ceiling2) (truncate . %truncate2)
                                                      (round . %round2))))))
    (if rounds (cons (cdr rounds) (cdr form)) form)))

(define-form multiple-value-call ((function first &rest more) scope)
  (let* ((nodes (walk-all (mapcar #'with-remainder (cons first more)) scope))
         (variables (loop for n in (value-counts form function nodes scope)
                          collect (loop repeat n collect (make-symbol "VALUE"))))
         (names (loop for its in variables collect (mapcar #'unique-name its))))
    (list :let form (mapcar #'list names nodes)
          (let ((all (apply #'cl:append variables)))
            (walk `(funcall ,function ,@all) (bind-variables scope all (apply #'cl:append names)))))))

(defun value-counts (form function nodes scope)
  "The number of values of each node. That of one node may follow from the number of the function's parameters."
  (let* ((counts (mapcar #'value-count nodes))
         (known (cl:reduce #'+ (remove nil counts)))
         (parameters (and (= (count nil counts) 1) (parameter-count function scope))))
    (cond ((not (member nil counts)) counts)
          ((and parameters (> parameters known)) (substitute (- parameters known) nil counts))
          (t (reject form "the number of values of ~A depends on its type: expected MULTIPLE-VALUE-BIND, or a function of a fixed number ~
                           of parameters" (node-form (cl:nth (position nil counts) nodes)))))))

(defun value-count (node)
  "The number of values of a node, or NIL if it depends on the types."
  (case (node-kind node)
    (:values (cl:length (cddr node)))
    (:let (value-count (fourth node)))
    (:if (or (value-count (fourth node)) (value-count (fifth node))))
    (:loop (value-count (seventh node)))
    ((:constant :variable :apply :divide :truth :extent-along :extent :length :cast :coerce :like :the :fact :draw) 1)))

(defun parameter-count (function scope)
  "The number of parameters of a lambda expression or of a local or inlined function, or NIL if it may vary."
  (when (consp function)
    (let* ((function (if (member (car function) '(function quote)) (second function) function))
           (local (assoc function (scope-functions scope)))
           (lambda-list (cond ((consp function) (second function))
                              (local (third local))
                              (t (first (find-inline function))))))
      (and lambda-list (null (cl:intersection lambda-list lambda-list-keywords)) (cl:length lambda-list)))))

(define-form values ((&rest forms) scope) (list* :values form (walk-all forms scope)))
(define-form (progn locally) ((&body body) scope) (walk-body form body scope))

(define-form symbol-macrolet ((definitions &body body) scope)
  (let ((inner (copy-scope scope)))
    (setf (scope-symbol-macros inner)
          (cl:append (loop for (symbol expansion) in definitions collect (cons symbol expansion)) (scope-symbol-macros scope))
          (scope-variables inner) (remove-if (lambda (entry) (assoc (car entry) definitions)) (scope-variables scope)))
    (walk-body form body inner)))

(define-form macrolet ((definitions &body body) scope)
  (let ((inner (copy-scope scope)))
    (setf (scope-functions inner)
          (cl:append (loop for (name lambda-list . its-body) in definitions
                           collect (list name :macro (local-expander name lambda-list its-body)))
                     (scope-functions scope)))
    (walk-body form body inner)))

(defun local-expander (name lambda-list body)
  (let ((form (gensym "FORM")) (lexical (gensym "LEXICAL")))
    (multiple-value-bind (body documentation) (take-documentation body)
      (declare (ignore documentation))
      (compile nil `(lambda (,form ,lexical)
                      (declare (ignore ,lexical))
                      (destructuring-bind ,lambda-list (cdr ,form) (block ,name ,@body)))))))

(define-form flet ((definitions &body body) scope) (walk-local-functions form definitions body scope nil))
(define-form labels ((definitions &body body) scope) (walk-local-functions form definitions body scope t))

(defun walk-local-functions (form definitions body scope see-each-other)
  (let ((inner (copy-scope scope)))
    (setf (scope-functions inner)
          (cl:append (loop for (name lambda-list . its-body) in definitions
                           collect (list name :function lambda-list its-body (if see-each-other inner scope)))
                     (scope-functions scope)))
    (walk-body form body inner)))

;;; ---- captured sequences and functions

(defun captured-place (form place scope)
  "The number of the captured variable that PLACE names."
  (let ((node (if (symbolp place) (walk place scope) (reject form "~A is not a variable: expected one that is bound outside, by LET" place))))
    (unless (eq (car node) :captured)
      (reject form "~A is not a variable from outside the function: expected one whose value is a sequence" place))
    (third node)))

(define-form funcall ((function &rest arguments) scope)
  (if (consp function)
      (walk (if (member (car function) '(function quote)) (cons (second function) arguments) (cons function arguments)) scope)
      (list* :call form (captured-place form function scope) (walk-all arguments scope))))

;;; ---- types

(define-form cast ((x type) scope) (list :cast form (element-type-of (unquoted type) form) (walk x scope)))
(define-form coerce ((x type) scope)
  (if (eq (unquoted type) 'float)
      (walk `(float ,x) scope)
      (list :coerce form (element-type-of (unquoted type) form) (walk x scope))))
(define-form the ((type x) scope) (list :the form (element-type-of type form) (walk x scope)))

(defun unquoted (type) (if (and (consp type) (eq (car type) 'quote)) (second type) type))

(define-form float ((x &optional (prototype nil prototype-p)) scope)
  (if prototype-p
      (list :like form (walk x scope) (walk prototype scope))
      (walk-inline form '(x) '((if (%floatp x) x (cast x :f32))) (make-scope :global t) (list x) scope)))

;;; Forms for the prelude: %like converts the first argument to the type of the second, the others are static properties of a type.
(define-form %like ((x y) scope) (list :like form (walk x scope) (walk y scope)))
(define-form %floatp ((x) scope) (list :fact form :floatp (walk x scope)))
(define-form %signedp ((x) scope) (list :fact form :signedp (walk x scope)))
(define-form %width ((x) scope) (list :fact form :width (walk x scope)))

(define-form identity ((x) scope) (walk x scope))

;;; ---- arithmetic with variable numbers of arguments

(defun walk-fold (form operation nodes)
  (cl:reduce (lambda (a b) (list :apply form operation a b)) nodes))

(define-form - ((x &rest more) scope)
  (if more
      (walk-fold form "sub" (walk-all (cdr form) scope))
      (list :apply form "neg" (walk x scope))))

(define-form / ((x &rest more) scope)
  (cl:reduce (lambda (a b) (list :divide form a b))
             (walk-all (if more (cdr form) (list 1 x)) scope)))

;;; A literal is shifted as an :i64, so that (ash 1 n) is correct for large n.
(define-form ash ((x count) scope)
  (walk-inline form '(x count) '((%ash x count)) (make-scope :global t) (list (if (integerp x) `(cast ,x :i64) x) count) scope))

(define-form 1+ ((x) scope) (walk-fold form "add" (list (walk x scope) (constant 1))))
(define-form 1- ((x) scope) (walk-fold form "sub" (list (walk x scope) (constant 1))))

(define-form /= ((x &rest more) scope)
  (let ((variables (loop for nil in (cons x more) collect (make-symbol "X"))))
    (case (cl:length more)
      (0 (constant t form))
      (1 (walk-fold form "ne" (walk-all (cdr form) scope)))
      (t (walk `(let ,(mapcar #'list variables (cons x more))
                  (and ,@(loop for (a . others) on variables
                               append (loop for b in others collect `(/= ,a ,b)))))
               scope)))))

(define-form atan ((y &optional (x nil x-p)) scope)
  (walk (if x-p `(atan2 ,y ,x) `(%atan ,y)) scope))

(define-form log ((x &optional (base nil base-p)) scope)
  (walk (cond ((not base-p) `(%log ,x))
              ((eql base 2) `(log2 ,x))
              ((eql base 10) `(log10 ,x))
              (t `(/ (%log ,x) (%log ,base))))
        scope))

(define-form expt ((base exponent) scope)
  (if (typep exponent '(integer 0 64))
      (let ((x (make-symbol "BASE")))
        (walk `(let ((,x ,base)) ,(power x exponent)) scope))
      (walk `(pow ,base ,exponent) scope)))

(defun power (x n)
  "A form for the n-th power of a variable, with O(log n) multiplications."
  (cond ((= n 0) `(%like 1 ,x))
        ((= n 1) x)
        ((evenp n) (let ((half (make-symbol "HALF"))) `(let ((,half ,(power x (/ n 2)))) (* ,half ,half))))
        (t `(* ,x ,(power x (1- n))))))

;;; (floor x) is an integer; the remainder is computed only if both values are used (WITH-REMAINDER).
(loop for (name of-one of-two) in '((floor %floor1 %floor) (ceiling %ceiling1 %ceiling)
                                    (truncate %truncate1 %truncate) (round %round1 %round))
      do (let ((name name) (of-one of-one) (of-two of-two))
           (setf (gethash name **special-forms**)
                 (lambda (form scope)
                   (case (cl:length (cdr form))
                     (1 (walk (cons of-one (cdr form)) scope))
                     (2 (walk (cons of-two (cdr form)) scope))
                     (t (reject form "it takes one or two arguments")))))))

;;; ---- unsupported forms

(define-refusal (setq setf psetq psetf incf decf multiple-value-setq)
  "an assignment has no value here: expected it before the last form of a body")

(define-refusal (push pop)
  "lists are not elements: expected numbers, T and NIL")

(defparameter *no-jumps*
  "functions of elements have no jumps: expected IF to choose, or a LOOP that WHILE, UNTIL or THEREIS ends early, and FINALLY (RETURN value)")

(define-refusal (return return-from) *no-jumps*)

(define-refusal (go tagbody block throw catch unwind-protect)
  "functions of elements have no jumps: expected IF to choose, or a loop that ends by its test")

(define-refusal (dolist)
  "lists are not elements: expected (loop for x across s ...) for a captured sequence")

(define-refusal (lambda function)
  "a function is not an element: expected a call")
