;;;; Random numbers: values that other languages give too, means, parameters, keys, densities.

(in-package #:warpfold-test)
(in-suite warpfold)

(defun mean (sequence) (let ((list (wf:to-list sequence))) (/ (reduce #'+ list) (length list))))

(test draws-depend-on-the-key-and-the-index
  (let* ((key (wf.random:key 77)) (all (wf:to-list (wf.random:uniform key 10007))))
    (is (equal all (wf:to-list (wf.random:uniform (wf.random:key 77) 10007))))
    (is (not (equal all (wf:to-list (wf.random:uniform (wf.random:split key 0) 10007)))))
    (is (equal (subseq all 5 105) (wf:to-list (wf:subseq (wf.random:uniform key 10007) 5 105))))
    (is (every (lambda (x) (and (<= 0 x) (< x 1))) all))
    (is (= (wf:value (wf.random:split key 3)) (wf:elt (wf.random:keys key 10) 3)))))

(test draws-have-parameters
  (let ((key (wf.random:key 78)) (n 20000))
    (flet ((near (mean deviation sequence) (is (< (abs (- (mean sequence) mean)) (/ (* 5 deviation) (sqrt n))))))
      (near 3 0.5 (wf.random:gaussian key n 3 0.5))
      (near 3 0.5 (wf.random:gaussian key n (wf:reduce #'+ (wf:from-list '(1.0 2.0))) 0.5 :type :f64))
      (near 2 1.5 (wf.random:gamma key n 2))
      (near 4.5 2.9 (wf.random:uniform-int key n 0 10))
      (near 0.25 0.5 (wf:map (wf:fn (b) (if b 1.0 0.0)) (wf.random:bernoulli key n 0.25))))
    (is (equal '(:f64) (wf:element-types (wf.random:cauchy key 5 0 1 :type :f64))))
    (signals wf:argument-error (wf.random:uniform key 5 1))
    (signals wf:element-type-error (wf.random:uniform key 5 :type :i32))))

(test densities-of-elements
  (let ((x (wf:from-list '(-1d0 0d0 2d0))))
    (is (< (abs (- (wf:elt (wf.random:log-density 'gaussian x) 1) -0.9189385332046727d0)) 1d-15))
    (is (= 0.5d0 (wf:elt (wf.random:distribution-function 'gaussian x 0 1) 1)))))
