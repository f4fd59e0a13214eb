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
        (new-seq (types) (out (s sequence)) (wf.raw:wf-sort s n order out))
        (new-seq (types) (out (its (compile-predicate predicate types n)) (s sequence)) (wf.raw:wf-sort-by its s out)))))

(defun sorted-along (array order axis)
  "Each vector along an axis sorted by its first column."
  (let ((rank (seq-rank array)))
    (with-pointers ((s array))
      (let ((axis (axis-number axis rank)))
        (new-seq ((seq-types array) rank) (out) (wf.raw:wf-sort-axis s axis order out))))))

(defun sort-keyed (sequence predicate n axis)
  "Sorted by its first N columns, or each vector along an axis by its only key."
  (cond ((null axis) (sorted-by-first sequence predicate n))
        ((and (order-of predicate) (= n 1)) (sorted-along sequence (order-of predicate) axis))
        (t (error 'unsupported-error
                  :message (format nil "wf:sort: along an axis, ~A and ~D columns of keys: expected #'< or #'> and one column" (form-text predicate) n)))))

(define-called sort (sequence predicate &key key axis)
  "The elements in order, as a new sequence; elements of which neither comes first keep their order. PREDICATE is true if its first element
comes before its second: #'<, #'>, or a function of the columns of both, a strict weak order that captures no sequences. #'< and #'> are the
fastest: numbers by value, NaN after every number, tuples by their columns. KEY maps an element to the columns that PREDICATE compares:
(wf:sort pairs #'> :key (wf:fn (x y) y)). AXIS sorts each vector of an array along that axis, by #'< or #'> of one column. Work n log n, span
log^2 n."
  (if key
      (let* ((keys (map key sequence))
             (n (cl:length (seq-types keys))))
        (apply #'columns (sort-keyed (zip keys sequence) predicate n axis)
               (loop for k from n repeat (cl:length (seq-types sequence)) collect k)))
      (sort-keyed sequence predicate (cl:length (seq-types sequence)) axis)))

(define-called merge (sequence other predicate)
  "The elements of two sequences in the order of PREDICATE, which is as for SORT, if both are in that order; else their order is unspecified. If
neither comes first, elements of SEQUENCE come before those of OTHER. Work n, span log n."
  (let* ((types (seq-types sequence)) (n (cl:length types)) (order (order-of predicate)))
    (if order
        (new-seq (types) (out (s sequence) (o other)) (wf.raw:wf-merge s o n order out))
        (new-seq (types) (out (its (compile-predicate predicate types n)) (s sequence) (o other)) (wf.raw:wf-merge-by its s o out)))))

(define-called top-k (sequence k &optional (predicate #'>))
  "The first K elements in the order of PREDICATE: the K greatest, the greatest first; all if there are fewer. RANGE-ERROR for a negative K. A
sort: work n log n."
  (let ((k (integer-argument k "the number of elements")))
    (when (minusp k) (error 'range-error :message (format nil "~A: the number of elements is ~D: expected 0 or more" (called) k)))
    (take (sort sequence predicate) (min k (length sequence)))))

(defun neighbours (test sequence)
  "TEST of each element and the one after it."
  (let ((n (length sequence)))
    (map test (take sequence (1- n)) (drop sequence 1))))

(define-called sorted-p (sequence predicate)
  "Returns true if no element comes before the one before it in the order of PREDICATE, as for SORT. Computed at once. Work n, span log n."
  (let ((n (width sequence)))
    (or (< (length sequence) 2)
        (not (value (reduce 'or (neighbours (after n (order-fn predicate n)) sequence) :identity nil))))))

;;; ---- searches in sorted sequences

(define-called binary-search (sequence needles predicate &key after)
  "For each needle, the number of elements of SEQUENCE that come before it in the order of PREDICATE, in which SEQUENCE must be sorted; or with
AFTER, the number of those that do not come after it: the first and the last index at which it could be inserted. Work m log n for m needles,
span log n; fused with what computes the needles."
  (let* ((types (seq-types sequence)) (n (cl:length types)) (order (order-of predicate)) (after (if after 1 0))
         (rank (seq-rank needles)))
    (if order
        (new-seq ('(:i64) rank) (out (s sequence) (its needles)) (wf.raw:wf-search s its n order after out))
        (new-seq ('(:i64) rank) (out (less (compile-predicate predicate types n)) (s sequence) (its needles))
          (wf.raw:wf-search-by less s its after out)))))

;;; ---- sets: sorted sequences. If m elements of one and n of the other are equal, the union has the greater one of m and n of them, the
;;; intersection the lesser one.

(defun compile-equality (types test)
  "A function that is true of two equal neighbours."
  (compile-fn (find-fn test (* 2 (cl:length types))) (cl:append types types) '(:bool)))

(define-called dedup (sequence &key (test nil test-p))
  "The elements that differ from the one before them: of equal neighbours, the first. TEST is true of equal neighbours; without it, two are equal
if neither comes first in the order of SORT. Work n, span log n."
  (let ((types (seq-types sequence)))
    (if test-p
        (new-seq (types) (out (equal (compile-equality types test)) (s sequence)) (wf.raw:wf-unique-by equal s out))
        (new-seq (types) (out (s sequence)) (wf.raw:wf-unique s (cl:length types) out)))))

(define-formed neither-first (n before)
  "Returns true if neither of two elements comes before the other."
  (let ((as (column-names "A" n)) (bs (column-names "B" n)))
    `(fn (,@as ,@bs) (not (or (funcall before ,@as ,@bs) (funcall before ,@bs ,@as))))))

(define-called unique (sequence &optional (predicate #'<))
  "The distinct elements in the order of PREDICATE: of those of which neither comes first, the first one. Work n log n, span log^2 n."
  (let ((sorted (sort sequence predicate)) (n (width sequence)))
    (if (order-of predicate)
        (dedup sorted)
        (dedup sorted :test (neither-first n (find-fn predicate (* 2 n)))))))

(defun of-sets (set other predicate by-columns by-function)
  (let* ((types (seq-types set)) (n (cl:length types)) (order (order-of predicate)))
    (if order
        (new-seq (types) (out (s set) (o other)) (funcall by-columns s o n order out))
        (new-seq (types) (out (less (compile-predicate predicate types n)) (s set) (o other)) (funcall by-function less s o out)))))

(define-called intersection (set other &optional (predicate #'<))
  "The elements of a set, sorted by PREDICATE, that are in the other one too. Work n log m, span log (n + m)."
  (of-sets set other predicate #'wf.raw:wf-intersection #'wf.raw:wf-intersection-by))

(define-called set-difference (set other &optional (predicate #'<))
  "The elements of a set, sorted by PREDICATE, that are not in the other one. Work n log m, span log (n + m)."
  (of-sets set other predicate #'wf.raw:wf-difference #'wf.raw:wf-difference-by))

(define-called union (set other &optional (predicate #'<))
  "The elements of two sets, sorted by PREDICATE, in one set: UNIQUE returns a set without equal elements. Work n + m log n, span log (n + m)."
  (merge set (set-difference other set predicate) predicate))
