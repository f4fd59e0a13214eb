;;;; Lisp threads, and floating-point traps: SBCL enables them, and no function of elements may trap.

(in-package #:warpfold-test)
(in-suite warpfold)

(defun in-threads (n function)
  "The values of FUNCTION, called with 0, ..., n - 1, each in its own thread."
  (mapcar #'sb-thread:join-thread
          (loop for k below n
                collect (let ((k k)) (sb-thread:make-thread (lambda () (funcall function k)))))))

(test threads-make-and-force-sequences
  (let ((shared (wf:from-vector (vector-of 'double-float 10000 #'identity))))
    (is (every #'identity
               (in-threads 8 (lambda (k)
                               (loop for j below 200
                                     for n = (+ k (* 8 j))
                                     always (and (= (+ (* 10000 n) 49995000)
                                                    (wf:value (wf:reduce #'+ (wf:map (wf:fn (x) (+ x n)) shared))))
                                                 (equal '(1 2) (wf:to-list (wf:from-list '(1 2))))))))))))

(test threads-share-a-delayed-sequence
  (dotimes (round 20)
    (let* ((s (wf:map (wf:fn (x) (* x x)) (wf:from-vector (vector-of 'double-float 100000 #'identity))))
           (sums (in-threads 4 (lambda (k) (declare (ignore k)) (wf:value (wf:reduce #'+ s))))))
      (is (every (lambda (sum) (= sum (first sums))) sums)))))

(test threads-and-collections
  (let ((done nil))
    (let ((collector (sb-thread:make-thread (lambda () (loop until done do (sb-ext:gc) (sleep 0.001))))))
      (unwind-protect
           (is (every #'identity
                      (in-threads 4 (lambda (k)
                                      (loop for j below 300
                                            always (let ((s (wf:from-list (list j k 3))))
                                                     (= (+ j k 3) (wf:value (wf:reduce #'+ (wf:map #'identity s))))))))))
        (setf done t)
        (sb-thread:join-thread collector)))))

(test contexts-are-bound-for-each-thread
  (let ((context (wf:make-context "cpu")))
    (wf:with-context (context)
      (is (eq context (wf:current-context)))
      (is (not (eq context (first (in-threads 1 (lambda (k) (declare (ignore k)) (wf:current-context))))))))))

;;; ---- traps

(defun traps () (getf (sb-int:get-floating-point-modes) :traps))

(defun special-values (n)
  "Infinities, NaNs, overflow and division by zero in all elements, with enough elements for all worker threads."
  (let* ((zeros (wf:map (wf:fn (i) (* 0.0 (float i))) (wf:tabulate (wf:fn (i) i) n)))
         (infinities (wf:map (wf:fn (z) (/ 1.0 z)) zeros))
         (nans (wf:map (wf:fn (z) (/ z z)) zeros))
         (overflows (wf:map (wf:fn (z) (* (+ z 1e30) 1e30)) zeros))
         (roots (wf:map (wf:fn (z) (sqrt (- z 1))) zeros))
         (integers (wf:map (wf:fn (x) (wf:cast x :i32)) nans)))
    (wf:force infinities nans overflows roots integers)
    (list (wf:value (wf:reduce #'+ (wf:map (wf:fn (x y) (if (and (wf:isinf x) (wf:isinf y)) 1 0)) infinities overflows)))
          (wf:value (wf:reduce #'+ (wf:map (wf:fn (x y) (if (and (wf:isnan x) (wf:isnan y)) 1 0)) nans roots)))
          (wf:value (wf:reduce #'+ integers)))))

(test traps-are-on-and-stay-on
  (is (subsetp '(:overflow :invalid :divide-by-zero) (traps)))
  (let ((before (sb-int:get-floating-point-modes)))
    (is (equal '(3000001 3000001 0) (special-values 3000001)))
    (is (equal before (sb-int:get-floating-point-modes)))
    (signals division-by-zero (princ-to-string (/ 1.0 (wf:value (wf:scalar 0.0)))))))

(test traps-in-threads-that-lisp-started
  (is (equal '((1000 1000 0) (100000 100000 0) (1000 1000 0))
             (in-threads 3 (lambda (k) (special-values (if (= k 1) 100000 1000)))))))

(test infinities-and-nans-in-and-out
  (let* ((infinity sb-ext:single-float-positive-infinity)
         (s (wf:from-list (list infinity (- infinity) 1.0)))
         (nan (wf:elt (wf:map (wf:fn (x) (- x x)) s) 0)))
    (is (equal (list infinity (- infinity) 1.0) (wf:to-list s)))
    (is (sb-ext:float-nan-p nan))
    (is (equal "#<seq f32, 3 elements: inf -inf 1.0>" (princ-to-string s)))
    (is (equal "#<seq f32, 1 element: nan>" (princ-to-string (wf:from-list (list nan)))))
    (is (equal '(nil) (wf:to-list (wf:map (wf:fn (x) (= x nan)) (wf:from-list (list nan))))) "a captured NaN")
    (is (equal (list sb-ext:double-float-positive-infinity)
               (coerce (wf:to-vector (wf:from-list (list infinity)) :type :f64) 'list)))
    (is (equal (list infinity) (wf:to-list (wf:from-list '(1d300) :type :f32))) "rounded, not trapped")))
