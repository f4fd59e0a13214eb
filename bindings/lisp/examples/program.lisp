;;;; Shared by the example programs: the package and the entry point from a shell.

(defpackage #:warpfold-examples
  (:use #:common-lisp))

(in-package #:warpfold-examples)

(defun seconds-now ()
  (multiple-value-bind (seconds microseconds) (sb-ext:get-time-of-day)
    (+ seconds (* 1d-6 microseconds))))

(defmacro timed ((amount unit) form)
  "The values of a form, the first of which is computed if it is a sequence. A line such as \"0.012 s, 8.3e+7 numbers/s\" on *ERROR-OUTPUT* has the time that
this took, and the rate for an amount of work."
  `(let* ((start (seconds-now))
          (values (multiple-value-list ,form)))
     (when (wf:seq-p (first values)) (wf:force (first values)))
     (let ((seconds (- (seconds-now) start)))
       (format *error-output* "~,6F s, ~,2E ~A/s~%" seconds (float (/ ,amount (max seconds 1d-9)) 1.0) ,unit))
     (values-list values)))

(defun number-argument (arguments k default)
  (let ((text (nth k arguments))) (if text (parse-integer text) default)))

;;; ---- programs

(defvar *programs* (make-hash-table :test #'equal) "Functions from command-line arguments to an exit status, by the programs' names.")

(defmacro define-program (name lambda-list &body body)
  "Defines the program NAME, which ends with the status 0. LAMBDA-LIST is for its command-line arguments."
  `(setf (gethash ,(string-downcase name) *programs*)
         (lambda (arguments) (destructuring-bind ,lambda-list arguments ,@body) 0)))

(defun program-status (name arguments)
  "Runs a program and returns its exit status, which is 2 after an error."
  (handler-case (funcall (gethash name *programs*) arguments)
    (error (condition)
      (format *error-output* "~A: ~A~%" name condition)
      2)))

(defun main (name)
  "Runs a program with the arguments of this process, and exits."
  (sb-sys:enable-interrupt sb-unix:sigpipe :default)
  (let ((status (program-status name (rest sb-ext:*posix-argv*))))
    (finish-output)
    (finish-output *error-output*)
    (sb-ext:exit :code status :abort t)))
