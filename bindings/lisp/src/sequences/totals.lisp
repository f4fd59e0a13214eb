;;;; Reductions by name, and functions of the elements after a map. Delayed scalars of one sequence that are computed together share one pass.
;;;; The keys AXIS and KEEP are as for REDUCE. Work n, span log n.

(in-package #:warpfold)

(define-called sum (sequence &key axis keep)
  "The sum as a delayed scalar, or of an array along axes; 0 for no elements. AXIS and KEEP are as for REDUCE."
  (reduce #'+ sequence :axis axis :keep keep))

(define-called product (sequence &key axis keep)
  "The product as a delayed scalar, or of an array along axes; 1 for no elements. AXIS and KEEP are as for REDUCE."
  (reduce #'* sequence :axis axis :keep keep))

(define-called minimum (sequence &key axis keep)
  "The least element as a delayed scalar, or of an array along axes; NaN is ignored. For no elements, the largest value of the type, or infinity.
AXIS and KEEP are as for REDUCE."
  (reduce #'min sequence :axis axis :keep keep))

(define-called maximum (sequence &key axis keep)
  "The greatest element as a delayed scalar, or of an array along axes; NaN is ignored. For no elements, the smallest value of the type, or
-infinity. AXIS and KEEP are as for REDUCE."
  (reduce #'max sequence :axis axis :keep keep))

(define-called minmax (sequence &key axis keep)
  "Two values: MINIMUM and MAXIMUM."
  (values (minimum sequence :axis axis :keep keep) (maximum sequence :axis axis :keep keep)))

(defun count-along (sequence axis)
  "The number of elements that a reduction along AXIS combines: a number, or the delayed length of a sequence."
  (if (= (seq-rank sequence) 1)
      (lazy-length sequence)
      (let ((dimensions (dimensions sequence)))
        (cl:reduce #'* (axis-numbers axis (cl:length dimensions)) :key (lambda (k) (cl:nth k dimensions))))))

(define-called mean (sequence &key axis keep)
  "The arithmetic mean as a delayed :f64, or of an array along axes; NaN for no elements. AXIS and KEEP are as for REDUCE."
  (map (fn (total n) (/ total n)) (reduce #'+ (cast sequence :f64) :axis axis :keep keep) (count-along sequence axis)))

(define-called variance (sequence &key axis keep (correction 0))
  "The mean of the squares of the differences from the mean, as :f64; with CORRECTION, the sum of the squares is divided by the number of elements
less CORRECTION: 1 for a sample. AXIS and KEEP are as for REDUCE. Reads the elements twice."
  ;; The computed mean is rounded: the square of the mean distance from it is subtracted.
  (let ((distances (map #'- (cast sequence :f64) (mean sequence :axis axis :keep t))))
    (flet ((total (terms) (reduce #'+ terms :axis axis :keep keep)))
      (map (fn (squares total n)
             (let ((rest (- squares (/ (* total total) n))))
               (/ (if (< rest 0) 0 rest) (- n correction))))
           (total (map (fn (d) (* d d)) distances)) (total distances) (count-along sequence axis)))))

(define-called dot (sequence other)
  "The sum of the products as a delayed scalar. SIZE-ERROR if the lengths differ."
  (reduce #'+ (map #'* (zip sequence other))))

(define-formed counted (n f)
  "1 for an element for which f is true, else 0."
  (let ((as (column-names "A" n))) `(fn ,as (if (funcall f ,@as) (cast 1 :i64) (cast 0 :i64)))))

(define-called count-if (f sequence &key axis keep)
  "The number of elements for which f is true, as a delayed :i64. AXIS and KEEP are as for REDUCE."
  (if (and (= (seq-rank sequence) 1) (not axis) (not keep))
      (lazy-length (filter f sequence))
      (reduce #'+ (map (counted (width sequence) (find-fn f (width sequence))) sequence) :axis axis :keep keep)))

(define-called all (booleans &key axis keep)
  "T where all elements are true, also if there are none, delayed. AXIS and KEEP are as for REDUCE."
  (reduce 'and booleans :identity t :axis axis :keep keep))

(define-called any (booleans &key axis keep)
  "T where an element is true, delayed. AXIS and KEEP are as for REDUCE."
  (reduce 'or booleans :identity nil :axis axis :keep keep))

(define-called norm (sequence &key axis keep)
  "The square root of the sum of the squares, delayed. AXIS and KEEP are as for REDUCE."
  ;; The squares of other types fit f64. If the sum for f64 overflows, or is so small that squares may have vanished, the elements are scaled first.
  (let ((least (scale-float 1d0 -450)) (type (first (seq-types sequence))) (elements (cast sequence :f64)))
    (flet ((scaled-by (up &aux (down (/ up)))
             (map (fn (total) (* (sqrt total) down)) (reduce #'+ (map (fn (x) (let ((y (* x up))) (* y y))) elements) :axis axis :keep keep))))
      (let ((plain (scaled-by 1d0)))
        (case type
          (:f32 (map (fn (x) (cast x :f32)) plain))
          (:f64 (map (fn (plain small large) (cond ((< plain least) small) ((isfinite plain) plain) (t large)))
                     plain (scaled-by (scale-float 1d0 600)) (scaled-by (scale-float 1d0 -600))))
          (t plain))))))

(defun without-axes (array axis)
  "ARRAY without the axes that AXIS designates, whose extents are 1."
  (let* ((dimensions (dimensions array)) (axes (axis-numbers axis (cl:length dimensions))))
    (reshape array (loop for extent in dimensions for k from 0 unless (member k axes) collect extent))))

(define-called logsumexp (sequence &key axis keep)
  "The logarithm of the sum of the exponentials, without overflow, delayed. AXIS and KEEP are as for REDUCE."
  (let ((high (map (fn (x) (if (isfinite x) x 0)) (maximum sequence :axis axis :keep t))))
    (flet ((of-sums (sums high) (map (fn (sum high) (+ (%log sum) high)) sums high))
           (sums (keep) (reduce #'+ (map (fn (x high) (exp (- x high))) sequence high) :axis axis :keep keep)))
      (let ((kept (of-sums (sums t) high)))
        (if keep kept (without-axes kept axis))))))

(define-called softmax (sequence &key (axis -1))
  "The exponentials, divided by their sums along AXIS, without overflow."
  (let ((powers (map (fn (x high) (exp (- x high))) sequence (maximum sequence :axis axis :keep t))))
    (map #'/ powers (reduce #'+ powers :axis axis :keep t))))

(define-called cumulative-sum (array &key (axis -1))
  "The sums of the elements up to each one along AXIS; integers wrap."
  (values (scan-incl #'+ array :axis axis)))

(define-called cumulative-product (array &key (axis -1))
  "The products of the elements up to each one along AXIS; integers wrap."
  (values (scan-incl #'* array :axis axis)))

(define-called every (f sequence &rest more)
  "T if f is true for all elements, also if there are none. Computed at once, in parallel; CL:EVERY calls an ordinary function in turn."
  (value (reduce 'and (apply #'map f sequence more) :identity t)))

(define-called some (f sequence &rest more)
  "T if f is true for an element. Computed at once, in parallel."
  (value (reduce 'or (apply #'map f sequence more) :identity nil)))

;;; ---- after a map: the same kernels as without these names, since maps are fused

(define-called map-reduce (f g sequence &rest keys &key identity)
  "(wf:reduce g (wf:map f sequence) :identity identity)"
  (declare (ignore identity))
  (apply #'reduce g (map f sequence) keys))

(define-called map-scan (f g sequence &rest keys &key identity)
  "(wf:scan g (wf:map f sequence) :identity identity)"
  (declare (ignore identity))
  (apply #'scan g (map f sequence) keys))

(define-called map-scan-incl (f g sequence &rest keys &key identity)
  "(wf:scan-incl g (wf:map f sequence) :identity identity)"
  (declare (ignore identity))
  (apply #'scan-incl g (map f sequence) keys))

(define-called map-filter (f g sequence)
  "(wf:filter g (wf:map f sequence))"
  (filter g (map f sequence)))

(define-called map-filter-indexed (f g sequence)
  "(wf:filter-indexed g (wf:map-indexed f sequence))"
  (filter-indexed g (map-indexed f sequence)))

(define-called map-merge (f sequence other predicate)
  "(wf:merge (wf:map f sequence) (wf:map f other) predicate)"
  (merge (map f sequence) (map f other) predicate))
