;;;; Random matrices. Like all random numbers they depend on their key alone. WF.RANDOM:LOG-DENSITY knows them by name:
;;;;
;;;;     (wf.random:multivariate-gaussian key n mean covariance)               ; a sample in each row
;;;;     (wf.random:log-density 'wishart (wf.random:wishart key scale 7.5) scale 7.5)
;;;;
;;;; Elements have the type of the matrix that is passed: :f64, or :f32.

(in-package #:warpfold.random)

(defun composed (function arrays &rest numbers)
  "The result of a function of wf_call, of a key and matrices."
  (warpfold::composed function arrays numbers))

;;; ---- samples

(defun multivariate-gaussian (key n mean covariance)
  "N draws from KEY with this mean, a sequence, and covariance, a positive definite matrix: a matrix with a sample in each row."
  (warpfold::calling (multivariate-gaussian)
    (composed "multivariate_gaussian" (cons key (warpfold::of-one-type (list (warpfold::as-floats mean) (warpfold::as-floats covariance)))) n)))

(defun wishart (key scale degrees)
  "A positive definite matrix with mean DEGREES * SCALE, for a positive definite SCALE with fewer than DEGREES + 1 rows (Bartlett's decomposition)."
  (warpfold::calling (wishart) (composed "wishart" (list key (warpfold::as-floats scale)) degrees)))

(defun inverse-wishart (key scale degrees)
  "The inverse of a wishart matrix whose scale is the inverse of SCALE."
  (warpfold::calling (inverse-wishart) (composed "inverse_wishart" (list key (warpfold::as-floats scale)) degrees)))

(defun orthogonal (key n &key (type :f32))
  "An orthogonal N x N matrix, uniformly distributed: the first factor of QR of a gaussian matrix."
  (warpfold::calling (orthogonal) (composed "orthogonal" (list key) n (warpfold::type-code type))))

(defun permutation-matrix (key n &key (type :f32))
  "An N x N matrix with a 1 in each row and column, else 0; all are equally likely."
  (warpfold::calling (permutation-matrix) (composed "permutation_matrix" (list key) n (warpfold::type-code type))))

;;; ---- log densities

(defmacro define-matrix-density (name (x &rest parameters) &body body)
  "Defines (LOG-DENSITY 'NAME x parameter ...)."
  `(setf (gethash ,(warpfold::library-word name) **matrix-densities**) (lambda (,x ,@parameters) ,@body)))

(define-matrix-density multivariate-gaussian (x mean covariance)
  (composed "multivariate_gaussian_log_density" (warpfold::of-one-type (mapcar #'warpfold::as-floats (list x mean covariance)))))

(define-matrix-density wishart (x scale degrees)
  (composed "wishart_log_density" (warpfold::of-one-type (mapcar #'warpfold::as-floats (list x scale))) degrees))

(define-matrix-density inverse-wishart (x scale degrees)
  (composed "inverse_wishart_log_density" (warpfold::of-one-type (mapcar #'warpfold::as-floats (list x scale))) degrees))

(define-matrix-density orthogonal (x)                  ; with respect to the surface measure
  (let ((n (wf:dimension x 0)))
    (wf:scalar (- (loop for k from 1 to n
                        sum (+ (log 2d0) (* 1/2 k (log pi))
                               (- (wf:value (wf:map 'wf:lgamma (wf:scalar (/ k 2d0))))))))
               :context (wf:context-of x))))

(define-matrix-density permutation-matrix (x)
  (wf:map (wf:fn (n) (- (wf:lfact n))) (wf:scalar (* 1d0 (wf:dimension x 0)) :context (wf:context-of x))))
