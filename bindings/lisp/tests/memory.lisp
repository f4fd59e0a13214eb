;;;; Memory: budgets, recovery when they are exhausted, and collection of garbage that the collector does not see.

(in-package #:warpfold-test)
(in-suite warpfold)

(defmacro with-budget ((context bytes) &body body)
  `(let ((,context (wf:make-context "cpu")))
     (setf (wf:context-limit ,context) ,bytes)
     (unwind-protect (let ((wf:*context* ,context)) ,@body)
       (wf:close-context ,context))))

(defconstant +mega+ (* 1024 1024))

(test budgets
  (with-budget (context (* 4 +mega+))
    (is (= (* 4 +mega+) (wf:context-limit)))
    (let ((s (wf:from-vector (vector-of 'single-float 100000 #'identity))))
      (multiple-value-bind (live cached peak limit) (wf:context-memory context)
        (is (>= live 400000))
        (is (>= peak live))
        (is (<= 0 cached))
        (is (= limit (* 4 +mega+))))
      (wf:release s)
      (is (< (wf:context-memory context) 400000))
      (wf:reset-peak context)
      (is (< (nth-value 2 (wf:context-memory context)) 400000))
      (wf:trim context)
      (is (= 0 (nth-value 1 (wf:context-memory context)))))
    (setf (wf:context-limit) nil)
    (is (null (wf:context-limit)))))

(test exhaustion-is-an-error-with-a-restart
  (with-budget (context (* 4 +mega+))
    (let ((kept (wf:from-vector (vector-of 'single-float 700000 #'identity))) (asked 0))
      (signals wf:memory-error (wf:from-vector (vector-of 'single-float 700000 #'identity)))
      (is (equal '(0.0 1.0) (wf:to-list (wf:take kept 2))) "all is usable as before")
      (handler-bind ((wf:memory-error (lambda (condition)
                                        (declare (ignore condition))
                                        (incf asked)
                                        (setf (wf:context-limit context) nil)
                                        (invoke-restart 'wf:retry))))
        (is (= 700000 (wf:length (wf:from-vector (vector-of 'single-float 700000 #'identity))))))
      (is (= 1 asked)))))

(test a-failed-allocation-is-tried-again
  (with-budget (context nil)
    (warpfold::with-pointers ((its context))
      (wf.raw:wf-context-fail-allocation its 1))
    (is (= 1000 (wf:length (wf:from-vector (vector-of 'single-float 1000 #'identity)))))))

;;; Both rely on the collector alone. If nothing were released, the first would need 4 GB, the second 2 GB.
(test a-million-short-lived-sequences-in-256-megabytes
  (with-budget (context (* 256 +mega+))
    (let ((vector (vector-of 'single-float 1000 #'identity)))
      (dotimes (k 1000000) (wf:from-vector vector))
      (is (<= (nth-value 2 (wf:context-memory context)) (* 256 +mega+)))
      (is (< (sb-kernel:dynamic-usage) (* 1024 +mega+))))))

(test short-lived-results-in-256-megabytes
  (with-budget (context (* 256 +mega+))
    (let ((s (wf:from-vector (vector-of 'single-float 100000 #'identity))) (sum 0.0))
      (dotimes (k 5000)
        (incf sum (wf:value (wf:reduce #'max (wf:force (wf:map #'1+ s))))))
      (is (= sum (* 5000 100000.0)))
      (is (<= (nth-value 2 (wf:context-memory context)) (* 256 +mega+))))))

(test without-a-budget-garbage-is-collected-too
  ;; 8 GB of sequences are made, but the collector sees only small handles.
  (let ((context (wf:make-context "cpu")) (vector (vector-of 'single-float 2000000 #'identity)))
    (let ((wf:*context* context))
      (dotimes (k 1000) (wf:from-vector vector)))
    (is (< (nth-value 2 (wf:context-memory context)) (* 2048 +mega+)))))

(test old-garbage-is-collected-too
  ;; A ring of 32 sequences of 1 MB each: all become old before they become garbage.
  (let ((context (wf:make-context "cpu")) (ring (make-array 32 :initial-element nil))
        (threshold (shiftf warpfold::**bytes-between-collections** (* 8 +mega+))))
    (unwind-protect
         (let ((wf:*context* context))
           (dotimes (k 2000)
             (setf (aref ring (mod k 32)) (wf:force (wf:tabulate (wf:fn (i) (+ i k)) 131072)))))
      (setf warpfold::**bytes-between-collections** threshold))
    (is (< (nth-value 2 (wf:context-memory context)) (* 200 +mega+)))))

(test everything-is-given-back
  (with-budget (context nil)
    (flet ((work ()
             (loop repeat 100
                   do (let ((s (wf:from-list '(1.0 2.0 3.0))) (k (random 100)))
                        (wf:force (wf:map (wf:fn (x) (+ (aref s 1) x k)) s))))))
      (work)
      (sb-sys:scrub-control-stack)
      (loop repeat 5
            do (sb-ext:gc :full t)
               (warpfold::sweep :wait t))
      (is (< (wf:context-memory context) 2000)))))
