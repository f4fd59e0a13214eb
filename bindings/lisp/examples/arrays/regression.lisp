;;;; regression [FILE.csv]: least squares by Cholesky's factorization of the normal equations. The last column of the file is explained by a constant
;;;; and the other columns. Without a file, the rows are made here.

(in-package #:warpfold-examples)

(defun least-squares (table)
  "Two values: the coefficients, that of the constant first, and the part of the variance that they explain."
  (let* ((n (wf:dimension table 0)) (y (wf:slice table t -1))
         (x (wf:force (wf:join 1 (wf:full (list n 1) 1d0) (wf:slice table t '(0 -1)))))
         (coefficients (wf:solve (wf:inner x x) (wf:matmul (wf:transpose x) y) :form :positive))
         (rest (wf.op:- y (wf:matmul x coefficients))))
    (values coefficients (wf.op:- 1 (wf.op:/ (wf:variance rest) (wf:variance y))))))

(defun made-up-table (n)
  "Two columns of numbers, and 3 + 2 a - b with noise."
  (let* ((key (wf.random:key 2026))
         (a (wf.random:gaussian (wf.random:split key 0) n :type :f64)) (b (wf.random:uniform (wf.random:split key 1) n :type :f64))
         (noise (wf.random:gaussian (wf.random:split key 2) n :type :f64)))
    (wf:stack 1 a b (wf:map (wf:fn (a b noise) (+ 3 (* 2 a) (- b) (* 0.5d0 noise))) a b noise))))

(define-program regression (&rest arguments)
  (let ((table (wf:force (if arguments (wf:read-array (first arguments)) (made-up-table 1000000)))))
    (multiple-value-bind (coefficients explained) (least-squares table)
      (timed ((wf:dimension table 0) "rows") (wf:force coefficients explained))
      (format t "~{~,4F~^ ~}~%explains ~,2F% of the variance~%" (wf:to-list coefficients) (* 100 (wf:value explained))))))
