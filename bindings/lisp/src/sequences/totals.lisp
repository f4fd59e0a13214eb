;;;; Reductions by name, and functions of the elements after a map. Delayed scalars of one sequence that are computed together share one pass.
;;;; Work n, span log n.

(in-package #:warpfold)

(define-called sum (sequence)
  "The sum as a delayed scalar; 0 for no elements."
  (reduce #'+ sequence))

(define-called product (sequence)
  "The product as a delayed scalar; 1 for no elements."
  (reduce #'* sequence))

(define-called minimum (sequence)
  "The least element as a delayed scalar; NaN is ignored. For no elements, the largest value of the type, or infinity."
  (reduce #'min sequence))

(define-called maximum (sequence)
  "The greatest element as a delayed scalar; NaN is ignored. For no elements, the smallest value of the type, or -infinity."
  (reduce #'max sequence))

(define-called minmax (sequence)
  "Two values: MINIMUM and MAXIMUM."
  (values (minimum sequence) (maximum sequence)))

(define-called mean (sequence)
  "The arithmetic mean as a delayed :f64; NaN for no elements."
  (map (fn (total n) (/ total n)) (reduce #'+ (cast sequence :f64)) (lazy-length sequence)))

(define-called dot (sequence other)
  "The sum of the products as a delayed scalar. SIZE-ERROR if the lengths differ."
  (reduce #'+ (map #'* sequence other)))

(define-called count-if (f sequence)
  "The number of elements for which f is true, as a delayed :i64."
  (lazy-length (filter f sequence)))

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
