;;;; mandelbrot FILE.png [WIDTH HEIGHT]: the set, coloured by how soon z = z^2 + c leaves the circle of radius 2.

(in-package #:warpfold-examples)

(defconstant +most-steps+ 255)

(wf:define-function escape (c-re c-im)
  "The number of steps until z leaves the circle, or +most-steps+. The number of iterations differs per element."
  (do ((re 0.0 (+ (- (* re re) (* im im)) c-re))
       (im 0.0 (+ (* 2 re im) c-im))
       (steps 0 (1+ steps)))
      ((or (>= (+ (* re re) (* im im)) 4) (>= steps +most-steps+)) steps)))

(defun mandelbrot (width height)
  "The pixels, HEIGHT x WIDTH x 3, :u8."
  (let* ((scale (/ 3.0 width))
         (middle (/ height 2.0))
         (level (wf:tabulate (wf:fn (y x)
                               (let ((steps (escape (- (* (float x) scale) 2.25) (* (- (float y) middle) scale))))
                                 (if (= steps +most-steps+) 0 steps)))
                             (list height width))))
    (wf:map (wf:fn (level colour) (wf:cast (min 255 (* level colour)) :u8))
            (wf:insert-axis (wf:force level) 2) (wf:from-list '(9 4 1)))))

(define-program mandelbrot (path &optional (width "1200") (height "800"))
  (let ((width (parse-integer width)) (height (parse-integer height)))
    (let ((picture (timed ((* width height) "pixels") (mandelbrot width height))))
      (wf:write-array path picture)
      (format t "~D of ~D pixels are black~%" (wf:value (wf:count-if #'zerop (wf:slice picture t t 2))) (* width height)))))
