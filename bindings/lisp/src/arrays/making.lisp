;;;; Arrays from numbers and from other arrays. wf:from-array copies an array of Lisp, wf:tabulate computes one from indices.

(in-package #:warpfold)

(defun extent-list (dimensions)
  "A list of dimensions, or one dimension, as a list; SIZE-ERROR for a negative one."
  (let ((dimensions (dimension-list dimensions)))
    (when (cl:some #'minusp dimensions)
      (error 'size-error :message (format nil "~A: the dimensions are ~A: expected numbers that are not negative" (called) dimensions)))
    dimensions))

(define-called full (dimensions value &key type context)
  "An array of DIMENSIONS, all of whose elements are VALUE, of TYPE or of the value's own. Delayed: it needs no memory."
  (let* ((type (if type (element-type-of type) (type-of-values (list value))))
         (host (cl:aref (host-vector (list value) type) 0))
         (element (if (eq type :bool) value host))
         (dimensions (extent-list dimensions)))
    (reshape (cast (tabulate (fn (i) (declare (ignore i)) element) (cl:reduce #'* dimensions) :context context) type) dimensions)))

(define-called eye (n &key (columns n) (type *read-default-float-format*) context)
  "The identity matrix of N rows and as many columns: 1 on the diagonal, else 0. Delayed."
  (cast (tabulate (fn (i j) (if (= i j) 1 0)) (extent-list (list n columns)) :context context) type))

(define-called diagonal-matrix (sequence)
  "The square matrix with the elements of a sequence of numbers on the diagonal, and 0 elsewhere. Delayed."
  (require-rank sequence 1 "a sequence")
  (let* ((n (length sequence)) (context (context-of sequence)))
    (map (fn (i j x) (if (= i j) x (%like 0 x)))
         (reshape (iota n :context context) (list n 1)) (iota n :context context) sequence)))

(define-called join (axis array &rest more)
  "The arrays one after another along an axis: (wf:join 0 a b) has the rows of both matrices, (wf:join 1 a b) the columns. All other extents are
equal, else SIZE-ERROR. Computed with what reads it."
  (let ((rank (seq-rank array)))
    (with-pointer-array (arrays n (cons array more))
      (let ((axis (axis-number axis rank)))
        (new-seq ((seq-types array) rank) (out) (wf.raw:wf-join arrays n axis out))))))

(define-called split-along (array axis extents)
  "A list of the parts of ARRAY of these EXTENTS along AXIS, in order: (apply #'wf:join axis (wf:split-along array axis extents)) is ARRAY. SIZE-ERROR
unless their sum is the extent. Views."
  (let* ((rank (seq-rank array)) (k (axis-number axis rank)) (dimensions (dimensions array)) (extent (cl:nth k dimensions)))
    (unless (and (cl:every (lambda (n) (typep n '(integer 0))) extents) (= (cl:reduce #'+ extents) extent))
      (error 'size-error :message (format nil "~A: the extents of the parts are ~A: expected numbers from 0 with the sum ~D, the extent of axis ~D of ~
                                               the shape ~A"
                                          (called) (form-text extents) extent k (shape-text dimensions))))
    (flet ((only (x other) (loop for j below rank collect (if (= j k) x other))))
      (loop for n in extents
            for end = n then (+ end n)
            collect (sliced array (only (if (zerop n) 0 (- end n)) 0)
                            (loop for m in dimensions for j from 0 collect (if (= j k) n m)) (only 1 1))))))

(define-called stack (axis array &rest more)
  "The arrays, of one shape, along a new axis: (wf:stack 0 a b) of sequences is the matrix with the rows a and b, (wf:stack 1 a b) has them as
columns. Computed with what reads it."
  (let ((axis (axis-number axis (1+ (seq-rank array)))) (shape (dimensions array)))
    (loop for its in more
          for other = (dimensions its)
          unless (equal other shape)
            do (error 'size-error :message (format nil "~A: the shapes are ~A and ~A: expected equal shapes"
                                                   (called) (shape-text shape) (shape-text other))))
    (apply #'join axis (loop for its in (cons array more) collect (insert-axis its axis)))))
