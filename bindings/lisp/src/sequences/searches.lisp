;;;; Searches, functions of indices, comparisons of sequences. Work n, span log n. On the result of a filter, functions of indices run the
;;;; filter first.

(in-package #:warpfold)

(define-called iota (n &key context)
  "0, 1, ..., n - 1 as :i64; for a list of dimensions, an array of these numbers in row-major order."
  (if (listp n)
      (let ((dimensions (extent-list n)))
        (reshape (tabulate (fn (i) i) (cl:reduce #'* dimensions) :context context) dimensions))
      (tabulate (fn (i) i) n :context context)))

(define-called enumerate (sequence)
  "r[i] = (i, s[i]); for an array, (i, j, ..., s[i, j, ...])"
  (if (= (seq-rank sequence) 1)
      (zip (indices sequence) sequence)
      (apply #'zip (cl:append (loop for axis below (seq-rank sequence) collect (indices-along sequence axis)) (list sequence)))))

(define-called map-indexed (f sequence)
  "r[i] = f(i, s[i]); for an array, r[i, j, ...] = f(i, j, ..., s[i, j, ...])"
  (map f (enumerate sequence)))

(define-called filter-indexed (f sequence)
  "The elements for which f(i, s[i]) is true, in order."
  (columns-from (filter f (enumerate sequence)) 1))

(define-formed of-element (n f)
  "f as a function of an index and an element."
  (let ((as (column-names "A" n))) `(fn (i ,@as) (declare (ignore i)) (funcall f ,@as))))

(define-formed negated (n f)
  "The complement of f."
  (let ((as (column-names "A" n))) `(fn ,as (not (funcall f ,@as)))))

(defun find-predicate (f sequence) (find-fn f (width sequence)))

(define-called positions-if (f sequence)
  "The indices of the elements for which f is true, ascending, as :i64."
  (columns (filter (of-element (width sequence) (find-predicate f sequence)) (enumerate sequence)) 0))

(define-called partition (f sequence)
  "Two values: the elements for which f is true, and the others, both in order."
  (values (filter f sequence) (filter (negated (width sequence) (find-predicate f sequence)) sequence)))

(define-formed index-if (n f limit)
  "The index of an element for which f is true, else LIMIT."
  (let ((as (column-names "A" n))) `(fn (i ,@as) (if (funcall f ,@as) i limit))))

(define-called position-if (f sequence)
  "The index of the first element for which f is true, or NIL. Computed at once, in parallel; CL:POSITION-IF calls an ordinary function in
turn."
  (let* ((n (length sequence))
         (i (value (reduce #'min (map (index-if (width sequence) (find-predicate f sequence) n) (enumerate sequence)) :identity n))))
    (if (= i n) nil i)))

(define-called find-if (f sequence)
  "The first element for which f is true, a tuple as several values; or NIL. Computed at once, in parallel."
  (let ((i (position-if f sequence)))
    (if i (elt sequence i) nil)))

;;; ---- the first extreme element

(defun check-not-empty (sequence axis)
  (when (if axis (zerop (dimension sequence axis)) (zerop (length sequence)))
    (error 'range-error :message (format nil "~A: the ~:[sequence is empty~;shape is ~:*~A, without elements along axis ~A~]: expected at least one element"
                                         (called) (and axis (shape-text (dimensions sequence))) axis))))

(defun indices-along (array axis)
  "The index along an axis of each element."
  (let* ((rank (seq-rank array)) (axis (axis-number axis rank)) (dimensions (dimensions array)) (n (cl:nth axis dimensions)))
    (broadcast (reshape (iota n :context (context-of array)) (cons n (make-list (- rank axis 1) :initial-element 1))) dimensions)))

(defun index-by-name (function array axis keep)
  "The index of the best element of a single column, along AXIS, by a function of wf_call."
  (let ((index (composed function (list array) (list (or axis 0)))))
    (if keep (insert-axis index axis) index)))

(define-formed better-indexed (n better)
  "The better one of two elements with their indices; -1 is the index of the identity. The left element has the smaller index, so it stays unless
the right one is better."
  (let ((as (column-names "A" n)) (bs (column-names "B" n)))
    `(fn ((,@as i) (,@bs j))
       (if (or (< i 0) (and (>= j 0) (funcall better ,@bs ,@as)))
           (values ,@bs j)
           (values ,@as i)))))

(defun first-best (better sequence axis keep)
  (let ((n (width sequence))
        (none (loop for type in (seq-types sequence) collect (if (eq type :bool) nil 0))))
    (columns (reduce (better-indexed n better) (zip sequence (indices-along sequence (or axis 0)))
                     :identity (cl:append none '(-1)) :axis axis :keep keep)
             n)))

(defun best (sequence better function axis keep)
  "The index of the first element that is better than all others, or, if BETTER is NIL, that a function of wf_call finds."
  (check-not-empty sequence axis)
  (let* ((elements (if (or axis (= (seq-rank sequence) 1)) sequence (reshape sequence -1)))
         (keeps-axis (and axis keep))
         (index (if better (first-best better elements axis keeps-axis) (index-by-name function elements axis keeps-axis))))
    (if (and keep (not axis)) (reshape index (make-list (seq-rank sequence) :initial-element 1)) index)))

(define-formed after (n before)
  "The opposite order."
  (let ((as (column-names "A" n)) (bs (column-names "B" n))) `(fn (,@as ,@bs) (funcall before ,@bs ,@as))))

(define-called argmax (sequence &key predicate axis keep)
  "The index of the first greatest element as a delayed :i64, of an array in row-major order. PREDICATE is true if its first argument is less
than its second; without it, tuples are compared by their columns, and NaN is less than every number. With AXIS, the index along this axis; KEEP
is as for REDUCE. RANGE-ERROR if there are no elements. Work n, span log n."
  (let ((n (width sequence)))
    (best sequence (cond (predicate (after n (find-fn predicate (* 2 n)))) ((> n 1) (descending n))) "argmax" axis keep)))

(define-called argmin (sequence &key predicate axis keep)
  "Like ARGMAX, but of the first least element; NaN is greater than every number."
  (let ((n (width sequence)))
    (best sequence (cond (predicate (find-fn predicate (* 2 n))) ((> n 1) (ascending n))) "argmin" axis keep)))

;;; ---- comparisons of sequences

(define-called mismatch (sequence other &key (test #'=))
  "The first index at which TEST is false, or NIL if the sequences are equal; the length of the shorter one if it is a prefix of the longer.
Computed at once, in parallel."
  (let* ((n (length sequence)) (m (length other)) (common (min n m))
         (width (+ (width sequence) (width other)))
         (test (if (and (member test (list '= #'=)) (> width 2)) (equal-columns (floor width 2)) (find-fn test width)))
         (i (position-if (negated width test) (zip (take sequence common) (take other common)))))
    (cond (i i)
          ((= n m) nil)
          (t common))))

(define-formed equal-columns (n)
  "Equality of all columns."
  (let ((as (column-names "A" n)) (bs (column-names "B" n)))
    `(fn (,@as ,@bs) (and ,@(loop for a in as for b in bs collect `(= ,a ,b))))))

(define-formed signed-order (n before)
  "-1, 0 or 1 for two elements."
  (let ((as (column-names "A" n)) (bs (column-names "B" n)))
    `(fn (,@as ,@bs) (cond ((funcall before ,@as ,@bs) -1) ((funcall before ,@bs ,@as) 1) (t 0)))))

(define-called collate (sequence other &optional (predicate #'<))
  "The lexicographic order of two sequences: -1, 0 or 1. PREDICATE is as for SORT. Computed at once, in parallel."
  (let* ((n (length sequence)) (m (length other)) (common (min n m)) (width (width sequence))
         (signs (map (signed-order width (order-fn predicate width)) (take sequence common) (take other common)))
         (first (value (reduce (fn (a b) (if (/= a 0) a b)) signs :identity 0))))
    (if (zerop first) (signum (- n m)) first)))

;;; ---- to the shorter of two lengths, as in 15-210; ZIP and MAP signal a SIZE-ERROR if they differ

(defun shortened (sequence other)
  "Two values: both sequences, without the elements that the other one does not have."
  (let ((n (min (length sequence) (length other))))
    (values (take sequence n) (take other n))))

(define-called zip-shortest (sequence other)
  "ZIP to the shorter of both lengths."
  (multiple-value-call #'zip (shortened sequence other)))

(define-called map-shortest (f sequence other)
  "MAP to the shorter of both lengths."
  (multiple-value-call #'map f (shortened sequence other)))

;;; ---- views as in 15-210

(define-called split-head (sequence)
  "NIL for no elements, else (cons first rest): the first element, a tuple as a list, and the sequence of the others. Computes one element."
  (if (zerop (length sequence))
      nil
      (cons (element-of-values (multiple-value-list (elt sequence 0))) (drop sequence 1))))

(define-called split-mid (sequence)
  "The two halves, of lengths floor(n / 2) and ceiling(n / 2), for divide and conquer, as (values :pair left right); or :empty; or
(values :one element). Computes nothing but a single element."
  (let ((n (length sequence)))
    (case n
      (0 :empty)
      (1 (values :one (element-of-values (multiple-value-list (elt sequence 0)))))
      (t (values :pair (take sequence (floor n 2)) (drop sequence (floor n 2)))))))

(define-called to-string (sequence &key (element #'princ-to-string) limit)
  "\"<1,2,3>\": the elements as the function ELEMENT prints them, tuples as lists, shortened in the middle to LIMIT elements. Computes the sequence."
  (let ((n (length sequence)))
    (flet ((texts (part) (mapcar element (to-list part))))
      (format nil "<~{~A~^,~}>"
              (if (or (null limit) (<= n limit))
                  (texts sequence)
                  (cl:append (texts (take sequence (ceiling limit 2))) '("...") (texts (drop sequence (- n (floor limit 2))))))))))
