;;;; jacobi [SIZE]: a system of linear equations by Jacobi's method, which ends as soon as the residual is small. One kernel reads the matrix per step.

(in-package #:warpfold-examples)

(defun jacobi (a b tolerance limit)
  "Two values: x with a x = b, and the number of steps, or NIL if there were LIMIT."
  (let ((x (wf:full (wf:dimension a 0) 0d0)) (diagonal (wf:diagonal a)))
    (loop for steps from 1 to limit
          for residual = (wf.op:- b (wf:sum (wf.op:* a x) :axis 1))
          for size = (wf:norm residual)
          do (setf x (wf.op:+ x (wf.op:/ residual diagonal)))
             (wf:force x size)
             (when (< (wf:value size) tolerance) (return (values x steps)))
          finally (return (values x nil)))))

(defun dominant-matrix (n)
  "Its diagonal is greater than the sum of the other elements of a row."
  (wf:tabulate (wf:fn (i j) (if (= i j) 4d0 (/ (cos (* 1d0 (+ (* 3 i) j))) n))) (list n n)))

(define-program jacobi (&rest arguments)
  (let* ((n (number-argument arguments 0 1000)) (a (wf:force (dominant-matrix n))) (b (wf:force (wf:full n 1d0))))
    (multiple-value-bind (x steps) (timed ((* n n) "elements") (jacobi a b 1d-10 1000))
      (format t "~:[no solution~;~:*~D steps~]~%~S~%" steps x))))
