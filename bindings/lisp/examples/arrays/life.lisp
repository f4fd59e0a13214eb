;;;; life [SIZE [STEPS]]: Conway's Game of Life on a square with wrapped edges. Cells are 0 or 1; a rotated board has each cell's neighbour in its
;;;; place, so that two sums of three boards are the sums of the 3 x 3 squares.

(in-package #:warpfold-examples)

(defun next-generation (board)
  (flet ((three (board axis) (wf:map #'+ (wf:rotate board -1 :axis axis) board (wf:rotate board 1 :axis axis))))
    (wf:map (wf:fn (nine cell) (if (or (= nine 3) (and (= nine 4) (= cell 1))) (wf:cast 1 :u8) (wf:cast 0 :u8)))
            (three (three board 0) 1) board)))

(defun random-board (size)
  (wf:cast (wf:reshape (wf.random:bernoulli (wf.random:key 2026) (* size size) 0.3) (list size size)) :u8))

(defun after-generations (board steps)
  (dotimes (k steps board) (setf board (wf:force (next-generation board)))))

(define-program life (&rest arguments)
  (let* ((size (number-argument arguments 0 1000)) (steps (number-argument arguments 1 100))
         (board (timed ((* size size steps) "cells") (after-generations (random-board size) steps)))
         (corner (wf:to-array (wf:slice board (list 0 (min size 24)) (list 0 (min size 72))))))
    (dotimes (i (array-dimension corner 0))
      (format t "~{~[.~;#~]~}~%" (loop for j below (array-dimension corner 1) collect (aref corner i j))))
    (format t "~D cells live~%" (wf:value (wf:count-if #'plusp board)))))
