;;;; Random matrices. Like all random numbers they depend on their key alone. WF.RANDOM:LOG-DENSITY knows them by name:
;;;;
;;;;     (wf.random:multivariate-gaussian key n mean covariance)               ; a sample in each row
;;;;     (wf.random:log-density 'wishart (wf.random:wishart key scale 7.5) scale 7.5)
;;;;
;;;; Elements have the type of the matrix that is passed: :f64, or :f32.

(in-package #:warpfold.random)

(defun type-of-matrix (matrix) (first (wf:element-types matrix)))

(defun square-matrix (matrix what)
  "MATRIX with elements that are floats; SIZE-ERROR unless it is square."
  (warpfold::require-rank matrix 2 (format nil "~A to be a square matrix" what))
  (let ((dimensions (wf:dimensions matrix)))
    (unless (= (first dimensions) (second dimensions))
      (error 'wf:size-error :message (format nil "~A: the shape is ~A: expected ~A to be a square matrix"
                                             (warpfold::called) (warpfold::shape-text dimensions) what))))
  (warpfold::as-floats matrix))

(defun wishart-scale (scale degrees)
  "SCALE with elements that are floats; ARGUMENT-ERROR unless the Wishart distribution with DEGREES of freedom has a density."
  (let* ((scale (square-matrix scale "the scale")) (p (wf:dimension scale 0)))
    (unless (and (realp degrees) (not (and (floatp degrees) (sb-ext:float-nan-p degrees))) (> degrees (1- p)))
      (error 'wf:argument-error :message (format nil "~A: the degrees of freedom are ~A for a scale of ~D x ~D: expected more than ~D"
                                                 (warpfold::called) (warpfold::form-text degrees) p p (1- p))))
    scale))

(defun like (x matrix)
  "The number X as a float of the type of MATRIX's elements."
  (coerce x (warpfold::lisp-type (type-of-matrix matrix))))

(defun matrix-of (key rows columns type)
  "A matrix of gaussian numbers."
  (let ((extents (warpfold::extent-list (list rows columns))))
    (wf:reshape (gaussian key (reduce #'* extents) :type type) extents)))

;;; ---- samples

(defun check-mean (mean covariance)
  (unless (equal (wf:dimensions mean) (rest (wf:dimensions covariance)))
    (error 'wf:size-error :message (format nil "~A: the mean has the shape ~A, and the covariance ~A: expected as many elements as columns"
                                           (warpfold::called) (warpfold::shape-text (wf:dimensions mean))
                                           (warpfold::shape-text (wf:dimensions covariance))))))

(defun multivariate-gaussian (key n mean covariance)
  "N draws from KEY with this mean, a sequence, and covariance, a positive definite matrix: a matrix with a sample in each row."
  (warpfold::calling (multivariate-gaussian)
    (let* ((covariance (square-matrix covariance "the covariance")) (m (wf:dimension covariance 0)))
      (check-mean mean covariance)
      (let ((z (matrix-of key n m (type-of-matrix covariance))))
        (wf.op:+ mean (wf:matmul z (wf:transpose (wf:cholesky covariance))))))))

(defun wishart (key scale degrees)
  "A positive definite matrix with mean DEGREES * SCALE, for a positive definite SCALE with fewer than DEGREES + 1 rows (Bartlett's decomposition)."
  (warpfold::calling (wishart)
    (let* ((scale (wishart-scale scale degrees)) (p (wf:dimension scale 0)) (type (type-of-matrix scale)) (context (wf:context-of scale))
           (df (like degrees scale))
           (each (wf:tabulate (wf:fn (i) (- df i)) p :context context))
           (roots (wf:map #'sqrt (chi-squared (split key 0) p each :type type)))
           (z (matrix-of (split key 1) p p type))
           (lower (wf:tabulate (wf:fn (i j) (cond ((> i j) (aref z i j)) ((= i j) (aref roots j)) (t 0))) (list p p) :context context))
           (factor (wf:triangle-product :lower (wf:cholesky scale) lower)))
      (wf:outer factor factor))))

(defun inverse-wishart (key scale degrees)
  "The inverse of a wishart matrix whose scale is the inverse of SCALE."
  (warpfold::calling (inverse-wishart)
    (wf:inverse (wishart key (wf:inverse (wishart-scale scale degrees) :form :positive) degrees) :form :positive)))

(defun orthogonal (key n &key (type :f32))
  "An orthogonal N x N matrix, uniformly distributed: the first factor of QR of a gaussian matrix."
  (warpfold::calling (orthogonal) (values (wf:qr (matrix-of key n n type)))))

(defun permutation-matrix (key n &key (type :f32))
  "An N x N matrix with a 1 in each row and column, else 0; all are equally likely."
  (warpfold::calling (permutation-matrix)
    (let ((order (permutation key n)))
      (wf:cast (wf.op:= (wf:insert-axis order 1) (wf:iota n :context (wf:context-of key))) type))))

;;; ---- log densities

(defmacro define-matrix-density (name (x &rest parameters) &body body)
  "Defines (LOG-DENSITY 'NAME x parameter ...)."
  `(setf (gethash ,(distribution-name name) **matrix-densities**) (lambda (,x ,@parameters) ,@body)))

(define-matrix-density multivariate-gaussian (x mean covariance)
  (check-mean mean covariance)
  (let* ((covariance (square-matrix covariance "the covariance")) (m (wf:dimension covariance 0))
         (l (wf:cholesky covariance))
         (z (wf:solve l (wf:transpose (wf.op:- x mean)) :form :lower))
         (constant (like (/ (* m (log (* 2 pi))) 2) covariance)) (half (like 1/2 covariance)))
    (wf:map (wf:fn (squares determinant) (- (* (- half) squares) (+ constant (* half determinant))))
            (wf:sum (wf.op:* z z) :axis 0) (wf:log-determinant l :form :cholesky))))

(defun log-wishart-constant (p degrees)
  "The logarithm of 2^(degrees p / 2) and the multivariate gamma function of degrees / 2."
  (+ (* degrees p 1/2 (log 2d0)) (wf:value (wf:map 'wf:mvlgamma (wf:scalar (/ degrees 2d0)) (* 1d0 p)))))

(define-matrix-density wishart (x scale degrees)
  (let* ((scale (wishart-scale scale degrees)) (p (wf:dimension scale 0)) (df (like degrees scale))
         (constant (like (log-wishart-constant p degrees) scale)))
    (wf:map (wf:fn (determinant trace scales) (- (* (/ (- df p 1) 2) determinant) (/ trace 2) (+ constant (* (/ df 2) scales))))
            (wf:log-determinant x :form :positive) (wf:trace (wf:solve scale x :form :positive))
            (wf:log-determinant scale :form :positive))))

(define-matrix-density inverse-wishart (x scale degrees)
  (let* ((scale (wishart-scale scale degrees)) (p (wf:dimension scale 0)) (df (like degrees scale))
         (constant (like (log-wishart-constant p degrees) scale)))
    (wf:map (wf:fn (determinant trace scales) (- (* (/ df 2) scales) (+ constant (* (/ (+ df p 1) 2) determinant)) (/ trace 2)))
            (wf:log-determinant x :form :positive) (wf:trace (wf:solve x scale :form :positive))
            (wf:log-determinant scale :form :positive))))

(define-matrix-density orthogonal (x)                  ; with respect to the surface measure
  (let ((n (wf:dimension (square-matrix x "the array") 0)))
    (wf:scalar (- (loop for k from 1 to n
                        sum (+ (log 2d0) (* 1/2 k (log pi))
                               (- (wf:value (wf:map 'wf:lgamma (wf:scalar (/ k 2d0))))))))
               :context (wf:context-of x))))

(define-matrix-density permutation-matrix (x)
  (wf:map (wf:fn (n) (- (wf:lfact n))) (wf:scalar (* 1d0 (wf:dimension (square-matrix x "the array") 0)) :context (wf:context-of x))))
