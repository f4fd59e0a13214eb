;;;; components [FILE.csv]: the principal components of the rows of a matrix, by the eigenvectors of their covariance. Without a file, the rows are
;;;; made here: points near a plane in 10 dimensions.

(in-package #:warpfold-examples)

(defun principal-components (points k)
  "Three values: the K directions of the greatest variance as columns, these variances, and the points in these directions."
  (let* ((centred (wf.op:- points (wf:mean points :axis 0 :keep t)))
         (covariance (wf.op:/ (wf:inner centred centred) (1- (wf:dimension points 0)))))
    (multiple-value-bind (variances vectors) (wf:eigen covariance)
      (let* ((last (list nil (- -1 k) -1)) (directions (wf:slice vectors t last)))
        (values directions (wf:slice variances last) (wf:matmul centred directions))))))

(defun points-near-a-plane (n)
  (let* ((key (wf.random:key 2026)) (axes (wf:tabulate (wf:fn (i j) (cos (* 1d0 (+ (* 10 i) (* j j))))) '(2 10))))
    (flet ((gaussian (k columns) (wf:reshape (wf.random:gaussian (wf.random:split key k) (* n columns) :type :f64) (list n columns))))
      (wf.op:+ (wf:matmul (gaussian 0 2) axes) (wf.op:* 0.1d0 (gaussian 1 10))))))

(define-program components (&rest arguments)
  (let ((points (wf:force (if arguments (wf:read-array (first arguments)) (points-near-a-plane 100000)))))
    (multiple-value-bind (directions variances projected) (principal-components points 2)
      (timed ((wf:dimension points 0) "rows") (wf:force projected variances directions))
      (format t "variances ~{~,4F~^ ~} of ~,4F~%~S~%" (wf:to-list variances) (wf:value (wf:sum (wf:variance points :axis 0 :correction 1)))
              projected))))
