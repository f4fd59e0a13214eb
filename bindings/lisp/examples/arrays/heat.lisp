;;;; heat [SIZE [STEPS]]: heat spreads on a square plate, whose edges are kept at 0. The temperature starts as half a wave along each axis, which only
;;;; loses height: each step multiplies it by one factor.

(in-package #:warpfold-examples)

(defconstant +alpha+ 0.2d0)

(defun next-temperatures (plate size)
  "An index of a neighbour outside of the plate counts only where it is chosen."
  (wf:tabulate (wf:fn (i j)
                 (if (and (< 0 i (1- size)) (< 0 j (1- size)))
                     (+ (aref plate i j)
                        (* +alpha+ (- (+ (aref plate (1- i) j) (aref plate (1+ i) j) (aref plate i (1- j)) (aref plate i (1+ j)))
                                      (* 4 (aref plate i j)))))
                     0d0))
               (list size size)))

(define-program heat (&rest arguments)
  (let* ((size (number-argument arguments 0 100)) (steps (number-argument arguments 1 1000))
         (angle (/ pi (1- size))) (factor (- 1 (* 4 +alpha+ (- 1 (cos angle))))) (middle (floor size 2))
         (plate (wf:tabulate (wf:fn (i j) (* (sin (* angle i)) (sin (* angle j)))) (list size size))))
    (timed ((* size size steps) "cells")
      (dotimes (k steps) (setf plate (wf:force (next-temperatures plate size)))))
    (format t "in the middle ~,6F, expected ~,6F~%" (wf:aref plate middle middle)
            (* (expt factor steps) (expt (sin (* angle middle)) 2)))))
