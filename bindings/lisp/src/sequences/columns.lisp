;;;; Functions of elements with any number of columns, which the following files compose: FORMED makes one from a form that is generated for
;;;; the number of columns, and orders compare elements column by column.

(in-package #:warpfold)

(defun column-names (prefix n)
  (loop for k below n collect (make-symbol (format nil "~A~D" prefix k))))

(defun values-of-names (names) (if (rest names) `(values ,@names) (first names)))

(defun with-columns (names form body)
  "A form that binds NAMES to the values of FORM around BODY."
  `(multiple-value-bind ,names ,form ,body))

;;; The functions that make functions of elements: from (kind . number of columns).
(sb-ext:define-load-time-global **formed** (make-hash-table :test #'equal :synchronized t))

(defun formed (kind n generate &rest captured)
  "A function of elements. GENERATE returns (captured-variable...) and a form, a wf:fn for N columns; it is called once for a KIND and N. The
variables have the values CAPTURED."
  (let ((key (cons kind n)))
    (apply (the function
                (or (gethash key **formed**)
                    (setf (gethash key **formed**)
                          (multiple-value-bind (variables form) (funcall generate n)
                            (compile nil `(lambda ,variables ,form))))))
           captured)))

(defmacro define-formed (name (n . variables) documentation form)
  "Defines a function of the number of columns N and of the values of captured VARIABLES, which returns a function of elements. FORM evaluates
to its wf:fn form."
  `(defun ,name (,n ,@variables)
     ,documentation
     (formed ',name ,n (lambda (,n) (values ',variables ,form)) ,@variables)))

;;; ---- numbers among the arguments of a map

(defun designated-name (designator)
  "The symbol of a function designator that is not made by wf:fn, or NIL."
  (cond ((symbolp designator) designator)
        ((functionp designator) (let ((name (nth-value 2 (function-lambda-expression designator)))) (and (symbolp name) name)))))

(defun without-numbers (f arguments)
  "Two values: f with the numbers among ARGUMENTS in its body, and the other arguments, which are sequences."
  (let* ((constants (remove-if #'seq-p arguments)) (sequences (remove-if-not #'seq-p arguments))
         (name (designated-name f)))
    (dolist (constant constants)
      (unless (and sequences (typep constant '(or real boolean))) (complain-of-sequence constant)))
    (values (apply #'formed (or name 'funcall) (loop for argument in arguments collect (and (seq-p argument) (width argument)))
                   (lambda (widths) (form-with-constants name widths))
                   (if name constants (cons f constants)))
            sequences)))

(defun form-with-constants (name widths)
  "Two values: the variables that a function captures, and its form. WIDTHS are the numbers of columns of its arguments, or NIL for a constant."
  (let* ((constants (column-names "C" (count nil widths))) (f (make-symbol "F")) (rest constants)
         (arguments (loop for width in widths collect (if width (column-names "X" width) (list (pop rest)))))
         (all (apply #'cl:append arguments)))
    (values (if name constants (cons f constants))
            `(fn ,(remove-if (lambda (argument) (member argument constants)) all)
               ,(if name `(,name ,@all) `(funcall ,f ,@all))))))

;;; ---- orders

(define-inline %before (x y)
  "The order of sorts: -0 before 0, NaN after every number."
  (if (%floatp x)
      (or (< x y)
          (and (= x y) (< (copysign (%like 1 x) x) (copysign (%like 1 y) y)))
          (and (isnan y) (not (isnan x))))
      (< x y)))

(defun lexicographic (as bs)
  "A form that is true if the columns AS come before BS."
  (if (rest as)
      `(or (%before ,(first as) ,(first bs))
           (and (not (%before ,(first bs) ,(first as))) ,(lexicographic (rest as) (rest bs))))
      `(%before ,(first as) ,(first bs))))

(define-formed ascending (n)
  "The order of #'< in sorts."
  (let ((as (column-names "A" n)) (bs (column-names "B" n)))
    `(fn (,@as ,@bs) ,(lexicographic as bs))))

(define-formed descending (n)
  "The order of #'> in sorts."
  (let ((as (column-names "A" n)) (bs (column-names "B" n)))
    `(fn (,@as ,@bs) ,(lexicographic bs as))))

(defun order-fn (predicate n)
  "PREDICATE as a function of two elements of N columns; #'< and #'> as in sorts."
  (case (order-of predicate)
    (0 (ascending n))
    (1 (descending n))
    (t (find-fn predicate (* 2 n)))))

(defun width (sequence) (cl:length (seq-types sequence)))

;;; ---- indices

(defun indices (sequence)
  "0, 1, ..., as many as there are elements."
  (tabulate (fn (i) i) (length sequence) :context (context-of sequence)))

(defun columns-from (sequence start)
  "The columns of a sequence from START on."
  (apply #'columns sequence (loop for k from start below (width sequence) collect k)))

(defun element-of-values (values)
  "An element as one object: the list of its parts if it is a tuple."
  (if (rest values) values (first values)))
