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

(define-called top-k (sequence k &optional (predicate #'>))
  "The first K elements in the order of PREDICATE: the K greatest, the greatest first. RANGE-ERROR if there are fewer. A sort: work n log n."
  (take (sort sequence predicate) k))

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

(defun place-form (n bs)
  "A form for the number of elements of the captured sequence S before the element BS, by bisection: those before LOW come before it in the
captured order BEFORE, those from HIGH on do not."
  (let ((as (column-names "A" n)))
    `(let ((low (cast 0 :i64)) (high (length s)))
       (do () ((>= low high) low)
         (let ((middle (ash (+ low high) -1)))
           (if (multiple-value-bind ,as (aref s middle) (funcall before ,@as ,@bs))
               (setf low (1+ middle))
               (setf high middle)))))))

(define-formed place-in (n s before)
  "The number of elements before an element."
  (let ((bs (column-names "B" n))) `(fn ,bs ,(place-form n bs))))

(define-called binary-search (sequence needles predicate)
  "For each needle, the number of elements of SEQUENCE that come before it in the order of PREDICATE, in which SEQUENCE must be sorted: the first
index at which it could be inserted. Work m log n for m needles, span log n."
  (let ((n (width sequence)))
    (map (place-in n sequence (order-fn predicate n)) needles)))

;;; ---- sets: sorted sequences without equal elements

(define-formed begins-run (n s before)
  "Returns true if an element differs from the one before it."
  (let ((as (column-names "A" n)) (bs (column-names "B" n)))
    `(fn (i ,@bs)
       (or (= i 0)
           (multiple-value-bind ,as (aref s (1- i))
             (or (funcall before ,@as ,@bs) (funcall before ,@bs ,@as)))))))

(define-called dedup (sequence &optional (predicate #'<))
  "The elements that differ from the one before them: of equal neighbours, the first. Two elements are equal if neither comes first in the order of
PREDICATE. Work n, span log n."
  (let ((n (width sequence)))
    (filter-indexed (begins-run n sequence (order-fn predicate n)) sequence)))

(define-called unique (sequence &optional (predicate #'<))
  "The distinct elements in the order of PREDICATE. Work n log n, span log^2 n."
  (dedup (sort sequence predicate) predicate))

(define-formed member-of (n s before wanted)
  "Returns WANTED if an element is in a set, else its opposite."
  (let ((as (column-names "A" n)) (bs (column-names "B" n)))
    `(fn ,bs
       (let* ((i ,(place-form n bs))
              (found (and (< i (length s)) (multiple-value-bind ,as (aref s i) (not (funcall before ,@bs ,@as))))))
         (if wanted found (not found))))))

(defun filter-members (sequence other predicate wanted)
  (let ((n (width sequence)))
    (filter (member-of n other (order-fn predicate n) wanted) sequence)))

(define-called union (set other &optional (predicate #'<))
  "The union of two sets, which are sorted by PREDICATE and have no equal elements, as UNIQUE returns; a set. Work n + m, span log (n + m)."
  (dedup (merge set other predicate) predicate))

(define-called intersection (set other &optional (predicate #'<))
  "The elements of a set that are in the other one; see UNION. Work n log m, span log (n + m)."
  (filter-members set other predicate t))

(define-called set-difference (set other &optional (predicate #'<))
  "The elements of a set that are not in the other one; see UNION. Work n log m, span log (n + m)."
  (filter-members set other predicate nil))
