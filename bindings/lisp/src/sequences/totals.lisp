;;;; Reductions by name, and functions of the elements after a map. Delayed scalars of one sequence that are computed together share one pass.
;;;; The keys AXIS and KEEP are as for REDUCE. Work n, span log n.

(in-package #:warpfold)

(defmacro define-total (name documentation form)
  "Defines a function of a sequence and the keys AXIS and KEEP."
  `(define-called ,name (sequence &key axis keep)
     ,(format nil "~A; delayed, of all elements or along axes: AXIS and KEEP are as for REDUCE." documentation)
     ,form))

(define-total sum "The sum, 0 for no elements" (reduce #'+ sequence :axis axis :keep keep))
(define-total product "The product, 1 for no elements" (reduce #'* sequence :axis axis :keep keep))
(define-total minimum "The least element, NaN ignored; for no elements, the largest value of the type, or infinity"
  (reduce #'min sequence :axis axis :keep keep))
(define-total maximum "The greatest element, NaN ignored; for no elements, the smallest value of the type, or -infinity"
  (reduce #'max sequence :axis axis :keep keep))
(define-total minmax "Two values: MINIMUM and MAXIMUM"
  (values (minimum sequence :axis axis :keep keep) (maximum sequence :axis axis :keep keep)))
(define-total all "T where all elements are true, also if there are none" (reduce 'and sequence :identity t :axis axis :keep keep))
(define-total any "T where an element is true" (reduce 'or sequence :identity nil :axis axis :keep keep))

(defun number-argument (x)
  (if (realp x)
      (coerce x 'double-float)
      (error 'argument-error :message (format nil "~A: ~A is not a number" (called) (form-text x)))))

(defun composed (function arrays numbers)
  "The result of a function of wf_call."
  (let ((numbers (cl:map '(simple-array double-float (*)) #'number-argument numbers)))
    (with-pointers ((name function :text) (pointers arrays n))
      (cffi:with-pointer-to-vector-data (its numbers)
        (new-column (out) (wf.raw:wf-call name pointers n its (cl:length numbers) out))))))

(defun statistic (function sequence axis keep &rest numbers)
  "A statistic of wf_call, along AXIS or of all elements."
  (composed function (list sequence) (list* (if keep 1 0) (cl:append numbers (axis-numbers axis (seq-rank sequence))))))

(define-total mean "The arithmetic mean, of :f32 in :f32, else in :f64; NaN for no elements" (statistic "mean" sequence axis keep))
(define-total norm "The square root of the sum of the squares, in the type of MEAN" (statistic "norm" sequence axis keep))
(define-total logsumexp "The logarithm of the sum of the exponentials, without overflow, in the type of MEAN"
  (statistic "logsumexp" sequence axis keep))

(define-called variance (sequence &key axis keep (correction 0))
  "The mean of the squares of the differences from the mean, in the type of MEAN; with CORRECTION, the sum of the squares is divided by the number
of elements less CORRECTION: 1 for a sample. AXIS and KEEP are as for REDUCE. Reads the elements twice."
  (statistic "variance" sequence axis keep correction))

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

(define-called softmax (sequence &key (axis -1))
  "The exponentials, divided by their sums along AXIS, without overflow."
  (composed "softmax" (list sequence) (axis-numbers axis (seq-rank sequence))))

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

(macrolet ((define-after-map (name lambda-list form)
             `(define-called ,name ,lambda-list ,(string-downcase (prin1-to-string form)) ,form)))
  (define-after-map map-reduce (f g sequence &rest keys) (apply #'reduce g (map f sequence) keys))
  (define-after-map map-scan (f g sequence &rest keys) (apply #'scan g (map f sequence) keys))
  (define-after-map map-scan-incl (f g sequence &rest keys) (apply #'scan-incl g (map f sequence) keys))
  (define-after-map map-filter (f g sequence) (filter g (map f sequence)))
  (define-after-map map-filter-indexed (f g sequence) (filter-indexed g (map-indexed f sequence)))
  (define-after-map map-merge (f sequence other predicate) (merge (map f sequence) (map f other) predicate)))
