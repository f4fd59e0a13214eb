;;;; Sorts and merges, with the predicates and keys of Common Lisp. #'< and #'> are orders of the library, which need no function: scalars by
;;;; value, -0 before 0, NaN after every number, NIL before T; tuples by their columns, one after another.

(in-package #:warpfold)

(defun order-of (predicate)
  "The library's code for #'< and #'>, or NIL for any other function."
  (cond ((member predicate (list '< #'<)) 0)
        ((member predicate (list '> #'>)) 1)))

(defun predicate-of-first (predicate n columns)
  "A function of two elements of COLUMNS columns that applies PREDICATE to the first N columns of each."
  (flet ((names (prefix) (loop for k below columns collect (format nil "~A~D" prefix k))))
    (let* ((form `(sort sequence ,predicate :key key))
           (a (names "a")) (b (names "b"))
           (arguments (cl:append (cl:subseq a 0 n) (cl:subseq b 0 n))))
      (make-fn :template (make-template :parameters (cl:append a b) :form form
                                        :body `(:call ,form 0 ,@(loop for name in arguments collect `(:variable ,form ,name))))
               :captures (vector (find-fn predicate (* 2 n)))))))

(defun compile-predicate (predicate types n)
  (let ((columns (cl:length types)))
    (compile-fn (if (= n columns) (find-fn predicate (* 2 n)) (predicate-of-first predicate n columns))
                (cl:append types types) '(:bool))))

(defun sorted-by-first (sequence predicate n)
  "The elements in the order of their first N columns."
  (let ((types (seq-types sequence)) (order (order-of predicate)))
    (if order
        (with-pointers ((s sequence))
          (new-seq (types) (out) (wf.raw:wf-sort s n order out)))
        (with-pointers ((its (compile-predicate predicate types n)) (s sequence))
          (new-seq (types) (out) (wf.raw:wf-sort-by its s out))))))

(define-called sort (sequence predicate &key key)
  "The elements in order, as a new sequence; elements of which neither comes first keep their order. PREDICATE is true if its first element
comes before its second: #'<, #'>, or a function of the columns of both, a strict weak order that captures no sequences. #'< and #'> are the
fastest: numbers by value, NaN after every number, tuples by their columns. KEY maps an element to the columns that PREDICATE compares:
(wf:sort pairs #'> :key (wf:fn (x y) y)). Work n log n, span log^2 n."
  (if key
      (let* ((keys (map key sequence))
             (n (cl:length (seq-types keys))))
        (apply #'columns (sorted-by-first (zip keys sequence) predicate n)
               (loop for k from n repeat (cl:length (seq-types sequence)) collect k)))
      (sorted-by-first sequence predicate (cl:length (seq-types sequence)))))

(define-called merge (sequence other predicate)
  "The elements of two sequences in the order of PREDICATE, which is as for SORT, if both are in that order; else their order is unspecified. If
neither comes first, elements of SEQUENCE come before those of OTHER. Work n, span log n."
  (let* ((types (seq-types sequence)) (n (cl:length types)) (order (order-of predicate)))
    (if order
        (with-pointers ((s sequence) (o other))
          (new-seq (types) (out) (wf.raw:wf-merge s o n order out)))
        (with-pointers ((its (compile-predicate predicate types n)) (s sequence) (o other))
          (new-seq (types) (out) (wf.raw:wf-merge-by its s o out))))))
