;;;; life [SIZE [STEPS]]: Conway's Game of Life on a torus, from the R-pentomino in its middle. Prints the number of living cells, and the board if it
;;;; fits a screen. Cells are 0 or 1; two sums of three rotated boards are the sums of the 3 x 3 squares.

(in-package #:warpfold-examples)

(defun next-generation (board)
  (flet ((three (board axis) (wf:map #'+ (wf:rotate board -1 :axis axis) board (wf:rotate board 1 :axis axis))))
    (wf:map (wf:fn (nine cell) (if (or (= nine 3) (and (= nine 4) (= cell 1))) (wf:cast 1 :u8) (wf:cast 0 :u8)))
            (three (three board 0) 1) board)))

(defun pentomino (size)
  (let ((cells (make-array (list size size) :initial-element 0)) (middle (floor size 2)))
    (loop for (a b) in '((0 1) (0 2) (1 0) (1 1) (2 1))
          do (setf (aref cells (+ middle a) (+ middle b)) 1))
    (wf:from-array cells :type :u8)))

(define-program life (&rest arguments)
  (let* ((size (number-argument arguments 0 1000)) (steps (number-argument arguments 1 100)) (board (pentomino size)))
    (setf board (timed ((* size size steps) "cells") (dotimes (k steps board) (setf board (wf:force (next-generation board))))))
    (when (<= size 64)
      (let ((cells (wf:to-array board)))
        (dotimes (i size) (format t "~{~[.~;#~]~}~%" (loop for j below size collect (aref cells i j))))))
    (format t "~D cells live~%" (wf:value (wf:count-if #'plusp board)))))
