;;;; Shared by the example programs: the package and the entry point from a shell.

(defpackage #:warpfold-examples
  (:use #:common-lisp)
  (:export #:match-parens-main #:mcss-main #:mandelbrot-main #:map-reduce-main #:k-maps-main
           #:primes-main #:word-counts-main #:quicksort-main #:sparse-product-main #:n-body-main #:run-length-main
           #:moving-average-main #:big-sum-main #:bfs-main #:page-rank-main #:nearest-main
           #:match-text #:mcss #:mandelbrot #:statistics #:k-maps
           #:primes #:most-frequent-words #:quicksort #:samplesort #:sparse-matrix #:sparse-product #:bodies #:advance #:energy #:decode-runs
           #:averages-by-windows #:averages-by-prefixes #:digits #:add-digits #:digits-text #:adjacency #:bfs-counts #:page-ranks
           #:nearest-points #:mean-nearest-distance
           #:monte-carlo-main #:particle-filter-main #:metropolis-main #:ising-main #:random-walk-main
           #:estimate-pi #:call-option #:black-scholes #:distance-from-kalman #:metropolis #:magnetization #:infinite-magnetization
           #:walk #:write-walk
           #:life-main #:heat-main #:jacobi-main #:edges-main #:regression-main #:components-main #:digits-main
           #:next-generation #:after-generations #:temperatures-after #:jacobi #:dominant-matrix #:edges #:blurred #:rings
           #:least-squares #:made-up-table #:principal-components #:points-near-a-plane #:drawn-digits #:recognized-digits
           #:report-left-open #:report-surplus #:report-depth #:report-deepest #:balanced-p))

(in-package #:warpfold-examples)

(defun seconds-now ()
  (multiple-value-bind (seconds microseconds) (sb-ext:get-time-of-day)
    (+ seconds (* 1d-6 microseconds))))

(defmacro timed ((amount unit) form)
  "The value of a form that makes a sequence, which is computed. A line such as \"0.012 s, 8.3e+7 numbers/s\" on *ERROR-OUTPUT* has the time that
this took, and the rate for an amount of work."
  `(let* ((start (seconds-now))
          (value ,form))
     (when (wf:seq-p value) (wf:force value))
     (let ((seconds (- (seconds-now) start)))
       (format *error-output* "~,6F s, ~,2E ~A/s~%" seconds (float (/ ,amount (max seconds 1d-9)) 1.0) ,unit))
     value))

(defun number-argument (arguments k default)
  (let ((text (nth k arguments))) (if text (parse-integer text) default)))

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
