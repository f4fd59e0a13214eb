;;;; edges IN.png OUT.png: the edges of a gray picture: Gauss's blur, then the magnitude of Sobel's gradient. Each is a sum over windows, and nothing
;;;; but the pictures is stored. Without arguments, the picture is made here and stays in memory.

(in-package #:warpfold-examples)

(defun weighted (picture weights)
  "The sum of each window with these weights, without the border where a window does not fit."
  (wf:sum (wf.op:* (wf:sliding-windows picture (array-dimensions weights)) (wf:from-array weights :type :f32)) :axis '(2 3)))

(defun blurred (picture)
  (weighted (weighted picture #2a((1/16) (4/16) (6/16) (4/16) (1/16))) #2a((1/16 4/16 6/16 4/16 1/16))))

(defun edges (picture)
  (let* ((smooth (wf:force (blurred picture)))
         (across (weighted smooth #2a((-1 0 1) (-2 0 2) (-1 0 1)))) (down (weighted smooth #2a((-1 -2 -1) (0 0 0) (1 2 1)))))
    (wf:map (wf:fn (x y) (wf:cast (min 255 (wf:hypot x y)) :u8)) across down)))

(defun rings (size)
  "A picture of rings."
  (wf:tabulate (wf:fn (i j) (let ((r (wf:hypot (- i (* 0.5f0 size)) (- j (* 0.5f0 size))))) (wf:cast (+ 128 (* 127 (sin (* 0.1f0 r)))) :u8)))
               (list size size)))

(define-program edges (&optional in out)
  (let* ((picture (if in (wf:read-array in) (rings 1000)))
         (result (timed ((wf:length picture) "pixels") (edges picture))))
    (if out (wf:write-array out result) (format t "~S~%" result))))
