;;;; regression [FILE.csv]: the linear function of the other columns that predicts the last column of a table, by least squares: the normal equations by
;;;; Cholesky's factorization. Without FILE, the table is made by 1 + 2 x - 3 y, with noise.

(in-package #:warpfold-examples)

(defun made-up-table (n)
  (flet ((gaussian (k) (wf.random:gaussian (wf.random:key k) n :type :f64)))
    (let ((x (gaussian 1)) (y (gaussian 2)))
      (wf:stack 1 x y (wf:map (wf:fn (x y noise) (+ 1 (* 2 x) (* -3 y) (* 0.1d0 noise))) x y (gaussian 3))))))

(defun least-squares (table)
  "Two values: the constant and the factor of each column, and the root of the mean squared error."
  (let* ((y (wf:slice table t -1))
         (x (wf:force (wf:join 1 (wf:full (list (wf:dimension table 0) 1) 1d0) (wf:slice table t '(0 -1)))))
         (factors (wf:solve (wf:inner x x) (wf:matmul (wf:transpose x) y) :form :positive))
         (errors (wf.op:- y (wf:matmul x factors))))
    (values factors (wf.op:sqrt (wf:mean (wf.op:* errors errors))))))

(define-program regression (&rest arguments)
  (let ((table (wf:force (if arguments (wf:read-array (first arguments)) (made-up-table 1000000)))))
    (multiple-value-bind (factors error)
        (timed ((wf:dimension table 0) "rows")
          (multiple-value-bind (factors error) (least-squares table) (wf:force factors error) (values factors error)))
      (format t "~{~,4F ~}with an error of ~,4F~%" (wf:to-list factors) (wf:value error)))))
