;;;; monte-carlo [N]: pi and the price of a call option, estimated from N random points, with standard errors. One kernel each, which reads no memory.

(in-package #:warpfold-examples)

(defun estimate (numbers)
  "A list of the mean of independent numbers and its standard error."
  (let* ((n (wf:length numbers)) (sum (wf:sum numbers)) (squares (wf:dot numbers numbers)))
    (wf:force sum squares)
    (let ((mean (/ (wf:value sum) n)))
      (list mean (sqrt (/ (- (/ (wf:value squares) n) (* mean mean)) n))))))

(defun estimate-pi (key n)
  (let ((of-x (wf.random:split key 0)) (of-y (wf.random:split key 1)))
    (estimate (wf:tabulate (wf:fn (i)
                             (let ((x (wf.random:uniform of-x i :type :f64)) (y (wf.random:uniform of-y i :type :f64)))
                               (if (< (+ (* x x) (* y y)) 1) 4d0 0d0)))
                           n))))

;;; A share that costs 100 now, with the interest 0.02 and the volatility 0.3, may be bought for 105 in a year.
(defparameter *price* 100d0)
(defparameter *strike* 105d0)
(defparameter *interest* 0.02d0)
(defparameter *volatility* 0.3d0)

(defun call-option (key n)
  (let ((price *price*) (strike *strike*) (volatility *volatility*) (discount (exp (- *interest*)))
        (drift (- *interest* (/ (* *volatility* *volatility*) 2))))
    (estimate (wf:tabulate (wf:fn (i)
                             (let ((then (* price (exp (+ drift (* volatility (wf.random:gaussian key i :type :f64)))))))
                               (* discount (max (- then strike) 0))))
                           n))))

(defun black-scholes ()
  (flet ((below (x) (wf:value (wf.random:distribution-function 'gaussian (wf:scalar x)))))
    (let ((d (+ (/ (+ (log (/ *price* *strike*)) *interest*) *volatility*) (/ *volatility* 2))))
      (- (* *price* (below d)) (* *strike* (exp (- *interest*)) (below (- d *volatility*)))))))

(define-program monte-carlo (&rest arguments)
  (let ((n (number-argument arguments 0 10000000)) (key (wf.random:key 2026)))
    (format t "~{pi ~,6F, error ~,6F~}~%" (timed (n "points") (estimate-pi (wf.random:split key 0) n)))
    (format t "~{call option ~,5F, error ~,5F~}; by Black and Scholes ~,5F~%" (call-option (wf.random:split key 1) n) (black-scholes))))
