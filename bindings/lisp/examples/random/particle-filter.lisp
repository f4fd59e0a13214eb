;;;; particle-filter [PARTICLES [STEPS]]: the position of a point, which moves at random and is observed with errors, estimated by particles (N.
;;;; Gordon and others, 1993). They are resampled by a scan of the weights and a search in it. The model is linear, so Kalman's filter computes
;;;; the exact mean; the program prints how far the estimates are from it.

(in-package #:warpfold-examples)

;;; x' = decay x + z, observed as x' + error z'
(defconstant +decay+ 0.9d0)
(defconstant +error+ 0.5d0)

(defun filter-step (particles key observed)
  "The mean of the moved particles, weighted by how well they explain the observation, and a particle for each of n equal parts of the sum of
the weights."
  (let* ((n (wf:length particles))
         (moved (wf:map (wf:fn (x z) (+ (* +decay+ x) z)) particles (wf.random:gaussian (wf.random:split key 0) n :type :f64)))
         (weights (wf:map (wf:fn (x) (let ((z (/ (- observed x) +error+))) (exp (* -0.5d0 z z)))) moved))
         (sums (wf:scan-incl #'+ weights))
         (weighted (wf:dot weights moved))
         (offset (wf.random:split key 1)))
    (wf:force moved sums weighted)
    (let* ((total (wf:elt sums (1- n)))
           (places (wf:tabulate (wf:fn (i) (* (/ (+ i (wf.random:uniform offset 0 :type :f64)) n) total)) n))
           (chosen (wf:map (wf:fn (k) (aref moved (min k (1- n)))) (wf:binary-search sums places #'<))))
      (values (/ (wf:value weighted) total) (wf:force chosen)))))

(defun distance-from-kalman (n steps)
  "A list of the root of the mean square distance of the estimates from the exact means, and the deviation of the position."
  (let* ((key (wf.random:key 2026)) (truth (wf.random:split key 0)) (own (wf.random:split key 1))
         (particles (wf.random:gaussian (wf.random:split own 0) n :type :f64))
         (x 0d0) (mean 0d0) (variance 1d0) (squares 0d0)) ; the mean and the variance are Kalman's
    (flet ((gaussians (k) (wf:to-list (wf.random:gaussian (wf.random:split truth k) steps :type :f64))))
      (loop for move in (gaussians 0) for mistake in (gaussians 1) for step from 1
            do (setf x (+ (* +decay+ x) move))
               (let* ((observed (+ x (* +error+ mistake)))
                      (predicted (+ (* +decay+ +decay+ variance) 1))
                      (gain (/ predicted (+ predicted (* +error+ +error+)))))
                 (setf mean (+ (* +decay+ mean) (* gain (- observed (* +decay+ mean)))) variance (* (- 1 gain) predicted))
                 (multiple-value-bind (estimate chosen) (filter-step particles (wf.random:split own step) observed)
                   (incf squares (expt (- estimate mean) 2))
                   (setf particles chosen)))))
    (list (sqrt (/ squares steps)) (sqrt variance))))

(define-program particle-filter (&rest arguments)
  (let ((n (number-argument arguments 0 1000000)) (steps (number-argument arguments 1 50)))
    (format t "~{distance from Kalman's filter ~,6F, deviation of the position ~,6F~}~%"
            (timed ((* n steps) "particles") (distance-from-kalman n steps)))))
