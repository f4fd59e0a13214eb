;;;; sobel [IN.png [OUT.png]]: blurs a gray picture by a Gaussian of 5 x 5 and marks its edges by Sobel's filter, in a pass for each. Without IN, the
;;;; picture is a white disk. Prints the greatest and the mean strength of an edge.

(in-package #:warpfold-examples)

(defun weighted-windows (picture weights)
  "The sum of each window with these weights, without the border where a window does not fit."
  (wf:sum (wf.op:* (wf:sliding-windows picture (array-dimensions weights)) (wf:from-array weights :type :f64)) :axis '(2 3)))

(defun edges (picture)
  "The strength of the edge at each place."
  (let ((smooth (weighted-windows (weighted-windows picture #2a((1/16) (4/16) (6/16) (4/16) (1/16))) #2a((1/16 4/16 6/16 4/16 1/16)))))
    (wf:force smooth)
    (wf:map (wf:fn (x y) (wf:hypot x y)) (weighted-windows smooth #2a((-1 0 1) (-2 0 2) (-1 0 1))) (weighted-windows smooth #2a((-1 -2 -1) (0 0 0) (1 2 1))))))

(defun disk (size)
  (let ((middle (floor size 2)) (square (floor (* size size) 16)))
    (wf:tabulate (wf:fn (i j) (if (< (+ (* (- i middle) (- i middle)) (* (- j middle) (- j middle))) square) (wf:cast 255 :u8) (wf:cast 0 :u8)))
                 (list size size))))

(define-program sobel (&optional in out)
  (let* ((picture (if in (wf:read-array in) (disk 1000)))
         (strength (timed ((wf:length picture) "pixels") (edges picture))))
    (when out (wf:write-array out (wf:cast (wf.op:min strength 255) :u8)))
    (format t "the strongest edge has ~,1F, the mean is ~,4F~%" (wf:value (wf:maximum strength)) (wf:value (wf:mean strength)))))
