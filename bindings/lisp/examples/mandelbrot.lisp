;;;; mandelbrot [WIDTH HEIGHT] > image.ppm: the set, coloured by how soon z = z^2 + c leaves the circle of radius 2.

(in-package #:warpfold-examples)

(defconstant +most-steps+ 255)

(wf:define-function escape (c-re c-im)
  "The number of steps until z leaves the circle, or +most-steps+. The number of iterations differs per element."
  (do ((re 0.0 (+ (- (* re re) (* im im)) c-re))
       (im 0.0 (+ (* 2 re im) c-im))
       (steps 0 (1+ steps)))
      ((or (>= (+ (* re re) (* im im)) 4) (>= steps +most-steps+)) steps)))

(defun mandelbrot (width height)
  "A sequence of pixels, row by row, with columns red, green and blue, :u8."
  (let* ((scale (/ 3.0 width))
         (middle (/ height 2.0))
         (steps (wf:tabulate (wf:fn (i)
                               (multiple-value-bind (y x) (truncate i width)
                                 (escape (- (* (float x) scale) 2.25) (* (- (float y) middle) scale))))
                             (* width height))))
    (wf:map (wf:fn (steps)
              (let ((level (if (= steps +most-steps+) 0 steps)))
                (values (wf:cast (min 255 (* level 9)) :u8) (wf:cast (min 255 (* level 4)) :u8) (wf:cast level :u8))))
            steps)))

(defun write-ppm (pixels width height stream)
  "Writes a sequence of pixels to a binary stream as a PPM image."
  (let ((bytes (make-array (* 3 width height) :element-type '(unsigned-byte 8))))
    (loop for column in (multiple-value-list (wf:to-vector pixels))
          for colour from 0
          do (loop for level of-type (unsigned-byte 8) across (the (simple-array (unsigned-byte 8) (*)) column)
                   for k of-type fixnum from colour by 3
                   do (setf (aref bytes k) level)))
    (write-sequence (map '(vector (unsigned-byte 8)) #'char-code (format nil "P6~%~D ~D~%255~%" width height)) stream)
    (write-sequence bytes stream)
    (finish-output stream)))

(defun mandelbrot-main ()
  (run-main "mandelbrot"
            (lambda (arguments)
              (destructuring-bind (&optional (width "1200") (height "800")) arguments
                (let ((width (parse-integer width)) (height (parse-integer height)))
                  (write-ppm (mandelbrot width height) width height
                             (sb-sys:make-fd-stream 1 :output t :buffering :full :element-type '(unsigned-byte 8)))))
              0)))
