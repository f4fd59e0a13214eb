;;;; random-walk [STEPS]: writes a random walk in the plane to standard output, as a picture in SVG.

(in-package #:warpfold-examples)

(defun walk (key steps) (wf:scan-incl #'+ (wf.random:gaussian key steps :type :f64)))

(defun write-walk (points stream)
  "POINTS is a sequence of (x, y)."
  (multiple-value-bind (left right) (wf:minmax (wf:columns points 0))
    (multiple-value-bind (top bottom) (wf:minmax (wf:columns points 1))
      (wf:force left right top bottom)
      (let* ((left (wf:value left)) (top (wf:value top)) (width (- (wf:value right) left)) (height (- (wf:value bottom) top))
             (margin (/ (max width height 1) 50)))
        (format stream "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"~,3F ~,3F ~,3F ~,3F\">~%" (- left margin) (- top margin)
                (+ width (* 2 margin)) (+ height (* 2 margin)))
        (format stream "<polyline fill=\"none\" stroke=\"black\" stroke-width=\"~,3F\" points=\"" (/ margin 10))
        (format stream "~:{~,3F,~,3F~%~}\"/>~%</svg>~%" (wf:to-list points))))))

(define-program random-walk (&rest arguments)
  (let ((steps (number-argument arguments 0 10000)) (key (wf.random:key 2026)))
    (write-walk (timed (steps "steps") (wf:zip (walk (wf.random:split key 0) steps) (walk (wf.random:split key 1) steps)))
                *standard-output*)))
