;;;; logistic [ROWS [STEPS]]: logistic regression by steps of gradient descent. The table is made: each column is Gaussian, and a row's label is 1 with the
;;;; probability that a model with known weights gives. A step is one call of a function that wf:jit has planned, with its gradient.

(in-package #:warpfold-examples)

(defun odds (model x)
  "The logarithms of the odds of each row, in a model (weights bias)."
  (wf.op:+ (wf:matmul x (first model)) (second model)))

(defun logistic-loss (model x labels)
  "The mean of -log of the probability that the model gives to a label."
  (wf:mean (wf:map (wf:fn (p y) (- (wf:softplus p) (* y p))) (odds model x) labels)))

(wf:define-jit logistic-step (model x labels)
  "The model after one step of gradient descent."
  (wf:map-sequences (lambda (p g) (wf.op:- p (wf.op:* 2 g))) model (funcall (wf:grad #'logistic-loss) model x labels)))

(defun logistic-rows (n)
  "Two values: a matrix of N rows, and their labels."
  (let* ((x (wf:reshape (wf.random:gaussian (wf.random:key 1) (* n 4) :type :f64) (list n 4)))
         (chances (wf.random:uniform (wf.random:key 2) n :type :f64))
         (odds (odds (list (wf:from-list '(1d0 -2d0 0.5d0 0d0)) 0.25d0) x))
         (labels (wf:map (wf:fn (p u) (if (< u (wf:sigmoid p)) 1d0 0d0)) odds chances)))
    (wf:force x labels)
    (values x labels)))

(define-program logistic (&rest arguments)
  (let* ((rows (number-argument arguments 0 100000)) (steps (number-argument arguments 1 100))
         (start (list (wf:full 4 0d0) (wf:scalar 0d0))) (model start))
    (multiple-value-bind (x labels) (logistic-rows rows)
      (timed ((* rows steps) "rows")
        (dotimes (k steps) (setf model (logistic-step model x labels))))
      (format t "loss ~,4F to ~,4F, weights ~{~,2F~^ ~}, bias ~,2F~%" (wf:value (logistic-loss start x labels)) (wf:value (logistic-loss model x labels))
              (wf:to-list (first model)) (wf:value (second model))))))
