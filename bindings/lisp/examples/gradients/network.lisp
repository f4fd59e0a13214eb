;;;; network [STEPS]: a network of two layers learns to read noisy digits, which digits.lisp draws, by gradient descent.

(in-package #:warpfold-examples)

(defun new-network (hidden &optional (key (wf.random:key 1)))
  "The weights and biases of two layers, as a property list."
  (flet ((weights (k rows columns)
           (wf:reshape (wf.random:gaussian (wf.random:split key k) (* rows columns) 0.0 (/ (sqrt (float rows)))) (list rows columns))))
    (list :w1 (weights 0 35 hidden) :b1 (wf:full hidden 0.0) :w2 (weights 1 hidden 10) :b2 (wf:full 10 0.0))))

(defun scores (network pixels)
  "For each row of pixels, a score for each digit."
  (destructuring-bind (&key w1 b1 w2 b2) network
    (wf.op:+ (wf:matmul (wf.op:tanh (wf.op:+ (wf:matmul pixels w1) b1)) w2) b2)))

(defun network-loss (network pixels digits)
  "The mean of -log of the probability of the right digit."
  (let* ((scores (scores network pixels))
         (right (wf:map (wf:fn (score digit j) (if (= digit j) score 0.0)) scores (wf:insert-axis digits 1) (wf:iota 10))))
    (wf:mean (wf.op:- (wf:logsumexp scores :axis 1) (wf:sum right :axis 1)))))

(wf:define-jit network-step (network pixels digits rate)
  "The network after one step of gradient descent, and the loss before it."
  (multiple-value-bind (loss gradient) (funcall (wf:value-and-grad #'network-loss) network pixels digits)
    (values (wf:map-sequences (lambda (p g) (wf.op:- p (wf.op:* rate g))) network gradient) loss)))

(defun trained-network (network pixels digits steps &optional (rate 1.0))
  "Two values: the network after these steps, and the last loss."
  (let ((loss nil))
    (dotimes (step steps (values network loss))
      (multiple-value-setq (network loss) (network-step network pixels digits rate)))))

(defun noisy-digits (n seed)
  "Two values: N rows of pixels, and the digits that they show."
  (values (wf:force (pixels-of-digits (drawn-digits n seed))) (wf:map (wf:fn (k) (mod k 10)) (wf:iota n))))

(defun part-right (network pixels digits)
  (wf:value (wf:mean (wf:map (wf:fn (a b) (if (= a b) 1.0 0.0)) (wf:argmax (scores network pixels) :axis 1) digits))))

(define-program network (&rest arguments)
  (let ((steps (number-argument arguments 0 200)) (n 2000) (network (new-network 32)))
    (multiple-value-bind (pixels digits) (noisy-digits n 1)
      (multiple-value-bind (network loss) (timed ((* steps n) "digits") (trained-network network pixels digits steps))
        (multiple-value-bind (others their-digits) (noisy-digits n 2)
          (format t "loss ~,4F; right: ~,1F% of the digits learnt, ~,1F% of others~%" (wf:value loss)
                  (* 100 (part-right network pixels digits)) (* 100 (part-right network others their-digits))))))))
