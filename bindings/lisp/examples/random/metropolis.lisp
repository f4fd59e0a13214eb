;;;; metropolis [CHAINS [STEPS]]: the mean and the variance of the density x^2 exp(-x) / 2, which are 3, by independent Markov chains (N. Metropolis
;;;; and others, 1953). A chain is a loop in a function, and draws by its own key; all chains are one kernel.

(in-package #:warpfold-examples)

(wf:define-function log-density-at (x)
  (if (> x 0) (- (* 2 (log x)) x) -1d300))

(defun metropolis (key n steps)
  "A list of the mean and the variance of the last points of N chains, and the rate of accepted moves."
  (let* ((results (wf:map (wf:fn (chain)
                            (let ((moves (wf.random:split chain 0)) (chances (wf.random:split chain 1)) (x 1d0) (accepted 0))
                              (dotimes (k steps (values x accepted))
                                (let ((candidate (+ x (* 2.5d0 (wf.random:gaussian moves k :type :f64)))))
                                  (when (< (log (wf.random:uniform chances k :type :f64)) (- (log-density-at candidate) (log-density-at x)))
                                    (setf x candidate)
                                    (incf accepted))))))
                          (wf.random:keys key n)))
         (x (wf:columns results 0)) (sum (wf:sum x)) (squares (wf:dot x x)) (moves (wf:sum (wf:columns results 1))))
    (wf:force sum squares moves)
    (let ((mean (/ (wf:value sum) n)))
      (list mean (- (/ (wf:value squares) n) (* mean mean)) (/ (wf:value moves) (* n steps))))))

(define-program metropolis (&rest arguments)
  (let ((n (number-argument arguments 0 100000)) (steps (number-argument arguments 1 100)))
    (destructuring-bind (mean variance accepted) (timed ((* n steps) "moves") (metropolis (wf.random:key 2026) n steps))
      (format t "mean ~,4F, variance ~,4F, ~,1F% of the moves accepted~%" mean variance (* 100 accepted)))))
