;;;; Shared by the example programs: the package and the entry point from a shell.

(defpackage #:warpfold-examples
  (:use #:common-lisp)
  (:export #:match-parens-main #:mcss-main #:mandelbrot-main #:map-reduce-main #:k-maps-main
           #:match-text #:mcss #:mandelbrot #:statistics #:k-maps
           #:report-left-open #:report-surplus #:report-depth #:report-deepest #:balanced-p))

(in-package #:warpfold-examples)

(defun seconds-now ()
  (multiple-value-bind (seconds microseconds) (sb-ext:get-time-of-day)
    (+ seconds (* 1d-6 microseconds))))

(defun run-main (name function)
  "Runs a program, a function from command-line arguments to an exit status. Exits with that status, or with 2 after an error."
  (sb-sys:enable-interrupt sb-unix:sigpipe :default)
  (let ((status (handler-case (funcall function (rest sb-ext:*posix-argv*))
                  (error (condition)
                    (format *error-output* "~A: ~A~%" name condition)
                    2))))
    (finish-output)
    (finish-output *error-output*)
    (sb-ext:exit :code status :abort t)))
