;;;; logistic [N]: logistic regression of N made-up rows by gradient descent.

(in-package #:warpfold-examples)

(defun logistic-loss (w x y)
  "The mean of -log of the probability of Y, which is 1 or 0 in each row, in the model that 1 has the probability sigmoid(x w)."
  (wf:mean (wf:map (wf:fn (p y) (- (wf:softplus p) (* y p))) (wf:matmul x w) y)))

(wf:define-jit logistic-step (w x y rate)
  "The weights after one step of gradient descent, and the loss before it."
  (multiple-value-bind (loss gradient) (funcall (wf:value-and-grad #'logistic-loss) w x y)
    (values (wf.op:- w (wf.op:* rate gradient)) loss)))

(defun logistic-regression (x y steps &optional (rate 1.0))
  "Two values: the weights, and the last loss."
  (let ((w (wf:full (wf:dimension x 1) 0.0)) (loss nil))
    (dotimes (step steps (values w loss))
      (multiple-value-setq (w loss) (logistic-step w x y rate)))))

(defun logistic-rows (n weights)
  "Two values: a matrix of N rows, and for each 1 or 0, with the probability of the model with these WEIGHTS."
  (let* ((key (wf.random:key 50)) (m (length weights))
         (x (wf:force (wf:reshape (wf.random:gaussian (wf.random:split key 0) (* n m)) (list n m)))))
    (values x (wf:force (wf:map (wf:fn (p u) (if (< u (wf:sigmoid p)) 1.0 0.0))
                                (wf:matmul x (wf:from-list weights)) (wf.random:uniform (wf.random:split key 1) n))))))

(define-program logistic (&rest arguments)
  (let ((n (number-argument arguments 0 100000)))
    (multiple-value-bind (x y) (logistic-rows n '(1.0 -2.0 0.5 0.0))
      (multiple-value-bind (w loss) (timed ((* 100 n) "rows") (logistic-regression x y 100))
        (format t "~{~,2F~^ ~}~%loss ~,4F~%" (wf:to-list w) (wf:value loss))))))
