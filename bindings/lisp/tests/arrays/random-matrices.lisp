;;;; Random matrices: the numbers of the C++ layer for the same keys, whose tests have their moments; densities against formulas written out.

(in-package #:warpfold-test)
(in-suite warpfold)

(defun scale-matrix (type) (wf:from-array #2a((2 1/2) (1/2 1)) :type type))
(defun means (type) (wf:from-list '(1 -2) :type type))

(defun are-close (expected array &optional (bound 1d-12))
  (let ((values (wf:to-list array)))
    (is (= (length expected) (length values)))
    (loop for x in expected for y in values do (is (close-p y x bound) "~A is not close to ~A" y x))))

(test gaussian-vectors
  (let ((scale (scale-matrix :f64)))
    (let ((top (- (+ (log (* 2 pi)) (/ (log 1.75d0) 2)))))
      (are-close (list top (- top (/ 0.5 1.75d0)))
                 (wf.random:log-density 'wf.random:multivariate-gaussian (wf:from-array #2a((1d0 -2d0) (2d0 -2d0))) (means :f64) scale))))
  (are-close '(-1.5965436799882906d0 -2.804418705897036d0 0.5168306122181161d0 -3.1844764098478873d0 1.3854623591820212d0 -1.3503905142110892d0)
             (wf.random:multivariate-gaussian (wf.random:key 1) 3 (means :f64) (scale-matrix :f64)))
  (let ((x (wf.random:multivariate-gaussian (wf.random:key 1) 3 (means :f32) (scale-matrix :f32))))
    (is (equal '(:f32) (wf:element-types x)))
    (are-close '(1.6350095 -1.569458 0.75392133 -2.076236 1.0423629 -0.4616922) x 1d-6)
    (are-close '(-2.2607052 -2.1329472 -3.4518018)
               (wf.random:log-density 'wf.random:multivariate-gaussian x (means :f32) (scale-matrix :f32)) 1d-6))
  (is (equal '(0 2) (wf:dimensions (wf.random:multivariate-gaussian (wf.random:key 1) 0 (means :f64) (scale-matrix :f64))))))

(test wishart-matrices
  (let ((scale (scale-matrix :f64)))
    (let ((w (wf.random:wishart (wf.random:key 2) scale 5.5d0)) (inverse (wf.random:inverse-wishart (wf.random:key 2) scale 5.5d0)))
      (are-close '(6.846765090349143d0 -2.5113073011901452d0 -2.5113073011901452d0 3.6750144741107946d0) w)
      (are-close '(1.4660626389787776d0 0.55081113470738d0 0.55081113470738d0 0.31773138496868336d0) inverse)
      (is (close-p (wf:value (wf.random:log-density 'wf.random:wishart w scale 5.5d0)) -7.626455158265681d0 1d-12))
      (is (close-p (wf:value (wf.random:log-density 'wf.random:inverse-wishart inverse scale 5.5d0)) -0.49492096295160604d0 1d-12))))
  (are-close '(5.689046 0.7184846 0.7184846 3.68888) (wf.random:wishart (wf.random:key 2) (scale-matrix :f32) 5.5) 1d-6)
  ;; A matrix of one element is SCALE times a chi-squared number.
  (let ((chi (wf:elt (wf.random:log-density 'wf.random:chi-squared (wf:from-list '(1.75d0)) 3) 0))
        (one (wf.random:log-density 'wf.random:wishart (wf:full '(1 1) 3.5d0) (wf:full '(1 1) 2d0) 3)))
    (is (close-p (wf:value one) (- chi (log 2d0)) 1d-12))))

(test orthogonal-matrices-and-permutations
  (is (equal '(:f32) (wf:element-types (wf.random:permutation-matrix (wf.random:key 4) 5))))
  (are-close '(-0.016529786075439423d0 -0.8928170594442076d0 0.45011605674281174d0 -0.6669658639363444d0 0.34523111502143244d0
               0.660281768311608d0 0.7449048949469629d0 0.2892977282773862d0 0.6011850978672024d0)
             (wf.random:orthogonal (wf.random:key 3) 3 :type :f64))
  (is (equal '(3 4 1 2 0) (loop for row below 5 collect (wf:value (wf:argmax (wf:slice (wf.random:permutation-matrix (wf.random:key 4) 5) row))))))
  (is (close-p (wf:value (wf.random:log-density 'wf.random:orthogonal (wf:eye 2))) (- (log (* 4 pi))) 1d-12))
  (is (close-p (wf:value (wf.random:log-density 'wf.random:permutation-matrix (wf:eye 4))) (- (log 24d0)) 1d-12))
  (let ((key (wf.random:key 1)) (scale (scale-matrix :f64)))
    (errors (wf:size-error "wf.random:multivariate-gaussian: the mean has shape 3; expected 2 as the covariance"
                           (wf.random:multivariate-gaussian key 3 (wf:from-list '(1 2 3)) scale))
            (wf:size-error "wf.random:wishart: the scale has shape 2 x 3; expected a square matrix"
                           (wf.random:wishart key (wf:full '(2 3) 1.0) 3))
            (wf:size-error "wf.random:orthogonal: the 1st extent is -1" (wf.random:orthogonal key -1))
            (wf:argument-error "wf.random:wishart: the degrees of freedom are 1 for a scale of 2 x 2; expected more than 1"
                               (wf.random:wishart key scale 1))
            (wf:argument-error "wf.random:inverse-wishart: the degrees of freedom are -0.5" (wf.random:inverse-wishart key scale -0.5))
            (wf:argument-error "the degrees of freedom are 0.5 for" (wf.random:log-density 'wf.random:wishart scale scale 0.5d0))
            (wf:argument-error "the degrees of freedom are 1" (wf.random:log-density 'wf.random:inverse-wishart scale scale 1))
            (wf:range-error "pivot 0" (wf:force (wf.random:wishart key (wf.op:- scale) 3))))))
