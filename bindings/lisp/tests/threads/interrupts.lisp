;;;; Interrupts of computations: a timeout, C-c, TERMINATE-THREAD and wf:cancel end each kind of call soon, and everything is usable afterwards.

(in-package #:warpfold-test)
(in-suite warpfold)

(defun long-map (n)
  (wf:map (wf:fn (x) (sin (exp (sin (exp (sin (exp (sin (wf:cast x :f64)))))))))
          (wf:tabulate (wf:fn (i) i) n)))

(defun slow-calls ()
  "Functions that compute for many seconds: a force, a reduction, a sort, a product, a function made by jit."
  (let ((keys (wf:force (wf:tabulate (wf:fn (i) (* (mod i 1000003) 6364136223846793)) 4000000)))
        (matrix (wf:force (wf:reshape (wf:tabulate (wf:fn (i) (sin (wf:cast i :f64))) 2250000) '(1500 1500)))))
    (list (lambda () (wf:force (long-map 60000000)))
          (lambda () (wf:value (wf:reduce #'+ (long-map 100000000000))))
          (lambda () (wf:force (wf:sort keys (wf:fn (a b) (< (sin (exp (sin (wf:cast a :f64)))) (sin (exp (sin (wf:cast b :f64)))))))))
          (lambda () (wf:force (cl:reduce #'wf:matmul (loop repeat 30 collect matrix))))
          (let ((program (wf:jit (lambda (s)
                                   (dotimes (k 100) (setf s (wf:map (wf:fn (x) (sin (exp x))) s)))
                                   (wf:reduce #'+ s))))
                (reals (wf:force (wf:map (wf:fn (x) (wf:cast x :f64)) keys))))
            (lambda () (wf:value (funcall program reals)))))))

(defun usable-p ()
  (= 49995000 (wf:value (wf:reduce #'+ (wf:tabulate (wf:fn (i) i) 10000)))))

(defmacro ends-soon (outcome &body body)
  "Checks that the body returns OUTCOME within a time in which no slow call ends."
  `(let ((start (get-internal-real-time)))
     (is (eq ,outcome (progn ,@body)))
     (is (< (- (get-internal-real-time) start) (* 3 internal-time-units-per-second)))
     (is (usable-p))))

(test a-timeout-ends-each-kind-of-call
  (dolist (call (slow-calls))
    (dotimes (k 25)
      (ends-soon :timeout
        (handler-case (sb-ext:with-timeout (* 0.004 (1+ k)) (funcall call))
          (sb-ext:timeout () :timeout))))))

(test a-thread-that-computes-can-be-terminated
  (dolist (call (slow-calls))
    (dotimes (k 8)
      (ends-soon :terminated
        (let ((thread (sb-thread:make-thread (lambda () (funcall call)))))
          (sleep (* 0.005 (1+ k)))
          (sb-thread:terminate-thread thread)
          (sb-thread:join-thread thread :default :terminated))))))

(defmacro with-unix-signal (&body body)
  "Runs the body; this process gets SIGINT after 30 ms, as by C-c."
  `(let ((sender (sb-thread:make-thread (lambda () (sleep 0.03) (send-interrupt)))))
     (unwind-protect (progn ,@body) (sb-thread:join-thread sender))))

(defun send-interrupt ()
  (sb-alien:alien-funcall (sb-alien:extern-alien "kill" (function sb-alien:int sb-alien:int sb-alien:int)) (sb-unix:unix-getpid) 2))

(test c-c-ends-each-kind-of-call
  (dolist (call (slow-calls))
    (dotimes (k 4)
      (ends-soon :interrupted
        (handler-case (with-unix-signal (funcall call) :done)
          (sb-sys:interactive-interrupt () :interrupted))))))

(test an-interrupt-that-returns-does-not-end-a-call
  (let* ((interrupts 0)
         (timer (sb-ext:make-timer (lambda () (incf interrupts)) :thread sb-thread:*current-thread*))
         (expected (wf:value (wf:reduce #'+ (long-map 30000000)))))
    (sb-ext:schedule-timer timer 0.01 :repeat-interval 0.01)
    (unwind-protect (is (= expected (wf:value (wf:reduce #'+ (long-map 30000000)))))
      (sb-ext:unschedule-timer timer))
    (is (plusp interrupts))))

(test cancel-ends-the-computations-of-a-context
  (dolist (call (slow-calls))
    (ends-soon :canceled
      (let ((canceler (sb-thread:make-thread (lambda () (sleep 0.05) (wf:cancel)))))
        (unwind-protect (handler-case (funcall call) (wf:canceled () :canceled))
          (sb-thread:join-thread canceler))))))
