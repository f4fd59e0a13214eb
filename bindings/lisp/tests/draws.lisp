;;;; Random numbers: values that other languages give too, means, parameters, keys, densities.

(in-package #:warpfold-test)
(in-suite warpfold)

(test draws-depend-on-the-key-and-the-index
  (let* ((key (wf.random:key 77)) (all (wf:to-list (wf.random:uniform key 10007))))
    (is (equal all (wf:to-list (wf.random:uniform (wf.random:key 77) 10007))))
    (is (not (equal all (wf:to-list (wf.random:uniform (wf.random:split key 0) 10007)))))
    (is (equal (subseq all 5 105) (wf:to-list (wf:subseq (wf.random:uniform key 10007) 5 105))))
    (is (every (lambda (x) (and (<= 0 x) (< x 1))) all))
    (is (= (wf:value (wf.random:split key 3)) (wf:elt (wf.random:keys key 10) 3)))))

(test draws-have-parameters
  (let ((key (wf.random:key 78)) (n 2000))
    (flet ((same (expected drawn) (is (equal (wf:to-list expected) (wf:to-list drawn)))))
      (same (wf.random:gamma key n 2) (wf:map (wf:fn (i) (wf.random:gamma key i 2)) (wf:iota n)))
      (same (wf.random:uniform-int key n 0 10) (wf:map (wf:fn (i) (wf.random:uniform-int key i 0 10)) (wf:iota n)))
      (same (wf.random:bernoulli key n 0.25) (wf:map (wf:fn (i) (wf.random:bernoulli key i 0.25)) (wf:iota n))))
    (is (equal '(:f64) (wf:element-types (wf.random:cauchy key 5 0 1 :type :f64))))
    (signals wf:argument-error (wf.random:uniform key 5 1))
    (signals wf:element-type-error (wf.random:uniform key 5 :type :i32))))

(test densities-of-elements
  (let ((x (wf:from-list '(-1d0 0d0 2d0))))
    (is (< (abs (- (wf:elt (wf.random:log-density 'gaussian x) 1) -0.9189385332046727d0)) 1d-15))
    (is (= 0.5d0 (wf:elt (wf.random:distribution-function 'gaussian x 0 1) 1)))))

(test parameters-of-every-kind-give-the-same-draws
  (let* ((key (wf.random:key 79)) (n 20000) (three (wf:reduce #'+ (wf:from-list '(1.0 2.0)))) (threes (wf:map (wf:fn (i) (+ 3 (* 0 i))) (wf:iota n))))
    (flet ((gaussian (mean) (wf:to-list (wf.random:gaussian key n mean 2)))
           (density (mean) (wf:to-list (wf.random:log-density 'gaussian (wf.random:gaussian key n) mean 2))))
      (is (equal (gaussian 3) (gaussian 3.0)))
      (is (equal (gaussian 3) (gaussian three)))
      (is (equal (gaussian 3) (gaussian threes)))
      (is (equal (density 3) (density three)))
      (is (equal (density 3) (density threes))))))

(test permutations-samples-categories
  (let ((key (wf.random:key 80)) (n 20000) (s (wf:map (wf:fn (i) (* i i)) (wf:iota 1000))) (weights (wf:from-list '(1.0 0.0 3.0))))
    (is (equal (loop for i below 1000 collect i) (sort (wf:to-list (wf.random:permutation key 1000)) #'<)))
    (is (equal (wf:to-list s) (sort (wf:to-list (wf.random:sample key s 1000)) #'<)))
    (let ((chosen (wf:to-list (wf.random:sample key s 100))))
      (is (= 100 (length (remove-duplicates chosen))))
      (is (subsetp chosen (wf:to-list s))))
    (signals wf:range-error (wf.random:sample key s 1001))
    (let ((kinds (wf:to-list (wf.random:categorical key n weights))))
      (is (= 0 (count 1 kinds)))
      (is (< (abs (- (/ (count 0 kinds) n) 1/4)) 0.02)))
    (let ((shapes (wf:from-list '(2.0 3.0 4.0))))
      (is (= 100 (wf:length (wf.random:log-density 'dirichlet (wf.random:dirichlet key 300 shapes) shapes)))))
    (is (< (abs (+ (log 120d0) (wf:elt (wf.random:log-density 'permutation (wf.random:permutation key 5)) 0))) 1d-14))
    (is (< (abs (+ (log 20d0) (wf:elt (wf.random:log-density 'permutation (wf:from-list '(4 1)) 5) 0))) 1d-14))
    (is (equal '(0.25 0.25 1.0) (wf:to-list (wf.random:distribution-function 'categorical (wf:from-list '(0.0 1.0 2.0)) weights))))))

(test errors-of-draws
  (let ((key (wf.random:key 82)) (s (wf:iota 3)))
    (macrolet ((fails (form)
                 `(is (eql 0 (search ,(format nil "wf.random:~(~A~): " (first form))
                                     (handler-case (progn ,form "no error") (wf:warpfold-error (condition) (princ-to-string condition))))))))
      (fails (wf.random:uniform key -1))
      (fails (wf.random:permutation key -1))
      (fails (wf.random:keys key -1))
      (fails (wf.random:sample key s 4))
      (fails (wf.random:sample key s -1)))))

(test functions-draw
  (let* ((key (wf.random:key 81)) (n 20000) (indices (wf:iota n)))
    (flet ((same (expected drawn) (is (equal (wf:to-list expected) (wf:to-list drawn)))))
      (same (wf.random:uniform key n) (wf:map (wf:fn (i) (wf.random:uniform key i)) indices))
      (same (wf.random:uniform key n -1 2.5 :type :f64) (wf:map (wf:fn (i) (wf.random:uniform key i -1 2.5 :type :f64)) indices))
      (same (wf.random:gaussian key n 3 0.5) (wf:map (wf:fn (i) (wf.random:gaussian key i 3 0.5)) indices))
      (same (wf.random:exponential key n) (wf:map (wf:fn (i) (wf.random:exponential key i)) indices))
      (same (wf.random:poisson key n 30) (wf:map (wf:fn (i) (wf.random:poisson key i 30)) indices))
      (same (wf.random:keys key n) (wf:map (wf:fn (i) (wf.random:split key i)) indices)))
    (is (= (reduce #'+ (wf:to-list (wf.random:gaussian (wf.random:split key 7) 5 :type :f64)))
           (wf:elt (wf:map (wf:fn (i)
                             (let ((own (wf.random:split key i)) (x 0d0))
                               (dotimes (k 5 x) (incf x (wf.random:gaussian own k :type :f64)))))
                           indices)
                   7)))))
