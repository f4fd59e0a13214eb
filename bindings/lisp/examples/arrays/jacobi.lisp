;;;; jacobi [SIZE]: solves a x = b for a matrix whose diagonal exceeds the sum of the rest of each row, by Jacobi's iteration, until no element changes
;;;; by more than 1e-12. The solution is known: element i is sin i.

(in-package #:warpfold-examples)

(defun times (a x) (wf:sum (wf.op:* a x) :axis 1))

(defun jacobi (a b)
  "Two values: x, and the number of steps. The test of the change is computed with the step, in one pass over the matrix."
  (loop with x = (wf:full (wf:dimension a 0) 0d0) and diagonal = (wf:diagonal a)
        for steps from 1
        for change = (wf.op:/ (wf.op:- b (times a x)) diagonal)
        for largest = (wf:maximum (wf.op:abs change))
        do (wf:force change largest)
           (setf x (wf.op:+ x change))
        until (<= (wf:value largest) 1d-12)
        finally (return (values x steps))))

(define-program jacobi (&rest arguments)
  (let* ((n (number-argument arguments 0 1000))
         (a (wf:force (wf:tabulate (wf:fn (i j) (if (= i j) (* 1d0 n) (cos (* 1d0 (+ (* i 7) (* j 3)))))) (list n n))))
         (solution (wf:tabulate (wf:fn (i) (sin (* 1d0 i))) n)))
    (multiple-value-bind (x steps) (timed ((* n n) "elements") (jacobi a (wf:force (times a solution))))
      (format t "~D steps, ~:[NOT solved~;solved~]~%" steps (< (wf:value (wf:maximum (wf.op:abs (wf.op:- x solution)))) 1d-11)))))
