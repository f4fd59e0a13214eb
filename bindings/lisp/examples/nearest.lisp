;;;; nearest [K [POINTS]]: the K points that are nearest to the centre of a square, and the mean distance of all points to their nearest one. For
;;;; each point a reduction inside wf:fn looks at all others: one kernel, which stores no distance.

(in-package #:warpfold-examples)

(wf:define-function distance (x1 y1 x2 y2)
  (sqrt (+ (* (- x1 x2) (- x1 x2)) (* (- y1 y2) (- y1 y2)))))

(defun square-points (n)
  (flet ((place (a m) (wf:tabulate (wf:fn (i) (/ (rem (* i a) m) (coerce m 'double-float))) n)))
    (wf:zip (place 7919 10007) (place 104729 9973))))

(defun nearest-points (k points)
  "The tuples (distance, number)."
  (wf:take (wf:sort (wf:zip (wf:map (wf:fn (x y) (distance x y 0.5d0 0.5d0)) points) (wf:iota (wf:length points))) #'<) k))

(defun mean-nearest-distance (points)
  (let ((n (wf:length points)))
    (wf:mean (wf:map-indexed (wf:fn (i x y)
                               (reduce #'min (wf:tabulate (lambda (j)
                                                            (multiple-value-bind (x2 y2) (aref points j)
                                                              (if (= i j) 1d10 (distance x y x2 y2))))
                                                          n)))
                             points))))

(define-program nearest (&rest arguments)
  (let* ((k (number-argument arguments 0 3)) (n (number-argument arguments 1 2000))
         (points (wf:force (square-points n))))
    (format t "~:{~1@*point ~D, ~0@*distance ~,6F~%~}" (wf:to-list (nearest-points k points)))
    (format t "mean distance to the nearest ~,6F~%" (timed ((* n n) "pairs") (wf:value (mean-nearest-distance points))))))
