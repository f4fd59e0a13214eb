;;;; The cost of the binding: a small call against the same call from C, a call against the same traced once, and a transfer against a memory
;;;; copy, in one process.

(defpackage #:warpfold-measure
  (:use #:common-lisp)
  (:export #:main))

(in-package #:warpfold-measure)

(defun median (numbers)
  (nth (floor (length numbers) 2) (sort (copy-list numbers) #'<)))

(defun now ()
  "Seconds; GET-INTERNAL-REAL-TIME only advances every 4 ms."
  (multiple-value-bind (seconds microseconds) (sb-ext:get-time-of-day)
    (+ seconds (* 1d-6 microseconds))))

(defun cpu-time ()
  "Seconds of the process, which do not count the time of other programs."
  (/ (get-internal-run-time) (float internal-time-units-per-second 1d0)))

(defun seconds-of (function &optional (clock #'now))
  (let ((start (funcall clock)))
    (funcall function)
    (- (funcall clock) start)))

(defun random-floats (n)
  (let ((vector (make-array n :element-type 'single-float)) (state (sb-ext:seed-random-state 1)))
    (dotimes (k n vector) (setf (aref vector k) (- (random 2.0 state) 1.0)))))

;;; ---- the small call

(defun small (s)
  (wf:value (wf:reduce #'+ (wf:map (wf:fn (x) (+ (* x 1.0001) 0.5)) s) :identity 0)))

(defun seconds-in-lisp (s repetitions)
  (let ((result 0.0))
    (values (seconds-of (lambda () (dotimes (k repetitions) (setf result (small s)))) #'cpu-time) result)))

(defun seconds-in-c (s repetitions)
  (warpfold::with-pointers ((its s))
    (cffi:with-foreign-object (result :float)
      (let ((seconds (cffi:foreign-funcall "small_in_c" :pointer its :int64 repetitions :pointer result :double)))
        (when (minusp seconds) (error "the C program failed"))
        (values seconds (cffi:mem-ref result :float))))))

(defun measure-small (n repetitions rounds)
  "Alternates rounds of both, so that other load on the machine affects both; the ratio is the median over the rounds."
  (let ((s (wf:from-vector (random-floats n))))
    (assert (= (nth-value 1 (seconds-in-lisp s 1)) (nth-value 1 (seconds-in-c s 1))))
    (seconds-in-lisp s repetitions)
    (let ((pairs (loop repeat rounds collect (list (seconds-in-c s repetitions) (values (seconds-in-lisp s repetitions))))))
      (flet ((microseconds (which) (* 1d6 (/ (median (mapcar which pairs)) repetitions))))
        (format t "small call, map + reduce of ~D floats, CPU time: C ~,2F us, Lisp ~,2F us, ratio ~,2F (goal: at most 2)~%"
                n (microseconds #'first) (microseconds #'second)
                (median (mapcar (lambda (pair) (/ (second pair) (first pair))) pairs)))))))

;;; ---- a call that is traced once

(defun eight-maps (x)
  (wf:reduce #'+ (wf:map #'1+ (wf:map #'- (wf:map #'sqrt (wf:map #'abs (wf:map (wf:fn (v) (* v 0.5))
                   (wf:map (wf:fn (v) (- v 0.25)) (wf:map (wf:fn (v) (* v v)) (wf:map (wf:fn (v) (+ v 0.125)) x)))))))) :identity 0))

(defun measure-jit (n repetitions rounds)
  "Alternates rounds of the function and of its jit."
  (let ((s (wf:from-vector (random-floats n))) (jit (wf:jit #'eight-maps)))
    (assert (= (wf:value (eight-maps s)) (wf:value (funcall jit s))))
    (flet ((microseconds (function)
             (/ (* 1d6 (seconds-of (lambda () (dotimes (k repetitions) (wf:value (funcall function s)))) #'cpu-time)) repetitions)))
      (let ((pairs (loop repeat (1+ rounds) collect (list (microseconds #'eight-maps) (microseconds jit)))))
        (format t "8 maps + reduce of ~D floats, CPU time: untraced ~,2f us, by wf:jit ~,2f us~%"
                n (median (mapcar #'first (rest pairs))) (median (mapcar #'second (rest pairs))))))))

;;; ---- transfers

(defun copy-floats (from to)
  (declare (type (simple-array single-float (*)) from to) (optimize speed))
  (replace to from))

(defun measure-transfer (n rounds)
  "Measures copies of n floats from touched memory to memory that may be fresh, and memcpy to touched memory for comparison."
  (let* ((from (random-floats n)) (to (make-array n :element-type 'single-float)) (s (wf:from-vector from)) (bytes (* 4 n)))
    (assert (equalp from (wf:to-vector s)))
    (copy-floats from to)
    (flet ((report (name function)
             (funcall function)
             (let ((seconds (median (loop repeat rounds collect (seconds-of function)))))
               (format t "~A ~,2F ms, ~,2F GB/s~%" name (* 1d3 seconds) (/ (* 1d-9 bytes) seconds)))))
      (format t "transfer of ~D single-floats, bytes copied a second:~%" n)
      (report "  memcpy             " (lambda () (copy-floats from to)))
      (report "  memcpy, new memory " (lambda () (copy-floats from (make-array n :element-type 'single-float))))
      (report "  from-vector        " (lambda () (wf:release (wf:from-vector from))))
      (report "  copy-to            " (lambda () (wf:copy-to to s)))
      (report "  to-vector          " (lambda () (wf:to-vector s))))))

(defun main ()
  (let ((quick (equal (rest sb-ext:*posix-argv*) '("--quick"))))
    (wf:with-context ((wf:make-context "cpu"))
      (cffi:load-foreign-library (sb-ext:posix-getenv "WARPFOLD_SMALL_IN_C"))
      (format t "SBCL ~A, warpfold ~A, ~A~%" (lisp-implementation-version) (wf:library-version) (machine-version))
      (measure-small 1000 (if quick 2000 20000) (if quick 5 21))
      (measure-jit 1000 (if quick 2000 20000) (if quick 5 21))
      (measure-transfer 10000000 (if quick 5 21))
      (finish-output)
      (sb-ext:exit :code 0 :abort t))))
