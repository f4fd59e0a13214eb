;;;; The suite, and comparisons of results with those of plain Lisp.

(defpackage #:warpfold-test
  (:use #:common-lisp #:fiveam)
  (:export #:main #:run-tests))

(in-package #:warpfold-test)

(def-suite warpfold :description "The binding of Common Lisp.")

(defun test-names-with (parts)
  "The names of the tests that contain one of PARTS, or of all tests, in alphabetical order."
  (sort (loop for name in (test-names)
              when (and (eq (symbol-package name) (find-package '#:warpfold-test)) (not (eq name 'warpfold))
                        (or (null parts) (some (lambda (part) (search part (string name) :test #'char-equal)) parts)))
                collect name)
        #'string<))

(defun run-tests (&rest parts)
  "Runs the tests whose names contain one of PARTS, or all tests. A test fails if one of its checks fails. Returns true if none failed."
  (let ((passed 0) (skipped 0) (failures '()))
    (dolist (test (test-names-with parts))
      (let ((start (get-internal-real-time)))
        (multiple-value-bind (good failed its-skipped) (results-status (let ((*test-dribble* (make-broadcast-stream))) (run test)))
          (cond ((not good) (push failed failures))
                (its-skipped (incf skipped))
                (t (incf passed))))
        (format t "~(~A~) ~,2F s~%" test (/ (- (get-internal-real-time) start) internal-time-units-per-second))
        (finish-output)))
    (let ((*test-dribble* *standard-output*)) (when failures (explain! (apply #'append (reverse failures)))))
    (format t "~&~D passed, ~D failed, ~D skipped~%" passed (length failures) skipped)
    (and (null failures) (plusp (+ passed skipped)))))

(defun main ()
  (sb-ext:exit :code (if (apply #'run-tests (rest sb-ext:*posix-argv*)) 0 1) :abort t))

;;; ---- messages

(defun message-of-call (function &rest arguments)
  "The text of the error that a call signals, printed in a package that does not know the call's symbols, or NIL."
  (handler-case (progn (apply function arguments) nil)
    (error (condition) (let ((*package* (find-package '#:keyword))) (princ-to-string condition)))))

(defmacro says (text form &rest parts)
  "Checks that the message of the error of FORM begins with TEXT and contains PARTS."
  `(let ((message (message-of-call (lambda () ,form))))
     (is (eql 0 (search ,text message)) "~S should begin with ~S" message ,text)
     ,@(loop for part in parts collect `(is (search ,part message) "~S should contain ~S" message ,part))))

(defmacro errors (&rest clauses)
  "Each clause: (CONDITION PART-OF-ITS-MESSAGE FORM)."
  `(progn ,@(loop for (condition part form) in clauses
                  collect `(signals ,condition ,form)
                  collect `(is (search ,part (message-of-call (lambda () ,form))) "~S" ',form))))

(defmacro names-itself (&rest forms)
  "Checks that the error of each form names the function at its head."
  `(progn ,@(loop for form in forms collect `(says ,(format nil "wf:~(~A~): " (first form)) ,form))))

;;; ---- comparing

(defun close-p (got expected tolerance)
  "Returns true if two numbers are equal, floats differ by a small relative error, or booleans are both true or both false."
  (cond ((and (numberp got) (numberp expected))
         (or (= got expected)
             (and (floatp got) (<= (abs (- got expected)) (* tolerance (max 1 (abs expected)))))))
        ((or (numberp got) (numberp expected)) nil)
        (t (eq (and got t) (and expected t)))))

(defun samples (type)
  "Sample numbers of an element type for comparisons; products of a few of them do not overflow."
  (ecase type
    (:bool '(t nil))
    ((:u8 :u32 :u64) '(0 1 2 3 7 8 40 100 255))
    ((:i32 :i64) '(0 1 2 3 -1 -2 -3 7 -7 8 -8 40 100 -100))
    (:f32 '(0.0 1.0 -1.0 0.5 -0.5 1.5 2.5 -2.5 3.25 -7.75 40.0 100.0))
    (:f64 '(0d0 1d0 -1d0 0.5d0 -0.5d0 1.5d0 2.5d0 -2.5d0 3.25d0 -7.75d0 40d0 100d0))
    (:positive '(0.5 1.0 1.5 3.0 10.0))
    (:small '(-0.9 -0.5 0.0 0.25 0.9))))

(defun sample-type (type) (if (keywordp type) (case type ((:positive :small) :f32) (t type)) type))

(defun all-tuples (lists)
  (if (null lists)
      (list '())
      (loop for x in (first lists) append (mapcar (lambda (rest) (cons x rest)) (all-tuples (rest lists))))))

(defun mismatches (function expected types)
  "The mismatches between the wf:fn FUNCTION, mapped over all combinations of samples, and the Lisp function EXPECTED. Extra values
of EXPECTED are ignored. If Lisp signals an arithmetic error, every result is accepted."
  (let* ((tuples (all-tuples (mapcar #'samples types)))
         (columns (loop for type in types for k from 0
                        collect (wf:from-list (mapcar (lambda (tuple) (nth k tuple)) tuples) :type (sample-type type))))
         (result (apply #'wf:map function columns))
         (n (length (wf:element-types result))))
    (loop for tuple in tuples for got in (wf:to-list result)
          for its = (if (= n 1) (list got) got)
          for wanted = (handler-case (multiple-value-list (apply expected tuple)) (arithmetic-error () :anything))
          unless (or (eq wanted :anything)
                     (and (>= (length wanted) n)
                          (every (lambda (a b) (close-p a b 2e-6)) its wanted)))
            collect (list tuple :got got :expected wanted))))

(defun check-function (form function expected types)
  (let ((wrong (mismatches function expected types)))
    (is (null wrong) "~S of ~S: ~S" form types (first wrong))))

(defmacro agrees (types lambda-list &body body)
  "Checks that wf:fn and Lisp agree on the same source, for parameters of these types: (agrees (:i32 :f32) (x y) (+ x y))."
  `(check-function '(,lambda-list ,@body) (wf:fn ,lambda-list ,@body) (lambda ,lambda-list ,@body) ',types))

(defmacro agrees-for (list-of-types lambda-list &body body)
  `(progn ,@(loop for types in list-of-types collect `(agrees ,types ,lambda-list ,@body))))

(defun vector-of (type n function)
  "A specialized vector of n elements f(i)."
  (let ((vector (make-array n :element-type type)))
    (dotimes (i n vector) (setf (aref vector i) (coerce (funcall function i) type)))))
