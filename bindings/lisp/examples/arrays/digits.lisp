;;;; digits PICTURE.png: draws noisy digits, writes them as a picture, reads it, and recognizes them by a network of two layers: layer 1 finds the
;;;; segments of a display that are lit, layer 2 compares them with those of each numeral.

(in-package #:warpfold-examples)

(defun layer (x w)
  "The outputs x wT of a layer, for rows of inputs and rows of weights."
  (wf:sum (wf.op:* (wf:insert-axis x 1) w) :axis 2))

(defun segments-of-display ()
  "Row k is the pixels of segment k of a display of 7 x 5 pixels."
  (let ((display (wf:from-vector (map '(vector (unsigned-byte 8)) #'char-code ".000.1...21...2.333.4...54...5.666."))))
    (wf:tabulate (wf:fn (k pixel) (if (= (aref display pixel) (+ k 48)) 1.0 0.0)) '(7 35))))

(defun numerals ()
  "Row k is the segments of numeral k."
  (wf:from-array #2a((1 1 1 0 1 1 1) (0 0 1 0 0 1 0) (1 0 1 1 1 0 1) (1 0 1 1 0 1 1) (0 1 1 1 0 1 0)
                     (1 1 0 1 0 1 1) (1 1 0 1 1 1 1) (1 0 1 0 0 1 0) (1 1 1 1 1 1 1) (1 1 1 1 0 1 1)) :type :f32))

(defun drawn-digits (n &optional (seed 7))
  "The numerals 0, 1, ..., 9, 0, 1, ... side by side, with noise: 7 x 5 N bytes."
  (let* ((shapes (wf:reshape (layer (numerals) (wf:transpose (segments-of-display))) '(10 7 5)))
         (ink (wf:tabulate (wf:fn (y x) (aref shapes (mod (floor x 5) 10) y (mod x 5))) (list 7 (* 5 n))))
         (noise (wf:reshape (wf.random:uniform (wf.random:key seed) (* 35 n)) (list 7 (* 5 n)))))
    (wf:cast (wf.op:+ (wf.op:* 150 ink) (wf.op:* 100 noise)) :u8)))

(defun pixels-of-digits (picture)
  "A row of 35 numbers from 0 to 1 for each 7 x 5 pixels of a picture."
  (let ((n (floor (wf:dimension picture 1) 5)))
    (wf:reshape (wf:permute (wf:reshape (wf.op:/ (wf:cast picture :f32) 255) (list 7 n 5)) 1 0 2) (list n 35))))

(defun recognized-digits (picture)
  "The numeral that each 7 x 5 pixels of a picture show."
  (let* ((masks (segments-of-display))
         (lit (wf.op:signum (wf.op:- (layer (pixels-of-digits picture) (wf.op:/ masks (wf:sum masks :axis 1 :keep t))) 0.5))))
    (wf:argmax (layer lit (wf.op:- (wf.op:* 2 (numerals)) 1)) :axis 1)))

(define-program digits (path)
  (let ((n 2000))
    (wf:write-array path (drawn-digits n))
    (let* ((picture (wf:force (wf:read-array path))) (found (timed (n "digits") (recognized-digits picture))))
      (format t "~D of ~D are right~%"
              (wf:value (wf:count-if #'identity (wf:map (wf:fn (digit k) (= digit (mod k 10))) found (wf:iota n)))) n))))
