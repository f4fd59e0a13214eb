;;;; pca [POINTS [DIMENSIONS]]: the principal components of points that lie near a plane: the eigenvectors of their covariance. Prints the part of the
;;;; variance along the first two, and the distance of the points from the plane.

(in-package #:warpfold-examples)

(defun points-near-a-plane (n dimensions)
  (let ((key (wf.random:key 7)) (plane (wf:tabulate (wf:fn (i j) (cos (* 1d0 (+ (* 3 i) j)))) (list 2 dimensions))))
    (flet ((gaussian (k columns) (wf:reshape (wf.random:gaussian (wf.random:split key k) (* n columns) :type :f64) (list n columns))))
      (wf.op:+ (wf:matmul (gaussian 0 2) plane) (wf.op:* 0.05d0 (gaussian 1 dimensions))))))

(defun principal-components (points)
  "Two values: the variances along the components, the greatest first, and the components as columns."
  (let ((centred (wf.op:- points (wf:mean points :axis 0 :keep t))))
    (multiple-value-bind (variances vectors) (wf:eigen (wf.op:/ (wf:inner centred centred) (wf:dimension points 0)))
      (values (wf:flip variances 0) (wf:flip vectors 1)))))

(define-program pca (&rest arguments)
  (let* ((n (number-argument arguments 0 100000)) (points (wf:force (points-near-a-plane n (number-argument arguments 1 20)))))
    (multiple-value-bind (variances vectors)
        (timed (n "points") (multiple-value-bind (variances vectors) (principal-components points) (wf:force variances vectors) (values variances vectors)))
      (let* ((first (wf:slice vectors t '(0 2))) (flat (wf:matmul (wf:matmul points first) (wf:transpose first)))
             (distance (wf.op:- points flat)))
        (format t "~,2F % of the variance in a plane; points are ~,4F from it in each coordinate~%"
                (* 100 (/ (wf:value (wf:sum (wf:slice variances '(0 2)))) (wf:value (wf:sum variances))))
                (sqrt (wf:value (wf:mean (wf.op:* distance distance)))))))))
