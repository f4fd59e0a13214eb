;;;; heat [SIZE [STEPS]]: the heat equation on a square plate, explicitly: each inner cell moves towards the mean of its four neighbours, and the
;;;; edges keep their temperature.

(in-package #:warpfold-examples)

(defun next-temperatures (plate)
  (flet ((part (rows columns) (wf:slice plate rows columns)))
    (let ((inner (wf:map (wf:fn (here above below left right) (+ here (* 0.2f0 (- (+ above below left right) (* 4 here)))))
                         (part '(1 -1) '(1 -1)) (part '(0 -2) '(1 -1)) (part '(2) '(1 -1)) (part '(1 -1) '(0 -2)) (part '(1 -1) '(2)))))
      (wf:join 0
               (part '(0 1) t)
               (wf:join 1 (part '(1 -1) '(0 1)) inner (part '(1 -1) '(-1)))
               (part '(-1) t)))))

(defun heated-plate (size)
  "Zero, but for the upper edge."
  (wf:tabulate (wf:fn (i j) (declare (ignore j)) (if (= i 0) 100.0 0.0)) (list size size)))

(defun temperatures-after (plate steps)
  (dotimes (k steps plate) (setf plate (wf:force (next-temperatures plate)))))

(define-program heat (&rest arguments)
  (let ((size (number-argument arguments 0 100)) (steps (number-argument arguments 1 1000)))
    (print (timed ((* size size steps) "cells") (temperatures-after (heated-plate size) steps)))
    (terpri)))
