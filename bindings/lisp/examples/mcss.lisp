;;;; mcss NUMBER...: the maximum contiguous subsequence sum; the sum of the empty subsequence is 0.
;;;; One pass: a reduction over four sums per stretch of numbers, which suffice to join two adjacent stretches.

(in-package #:warpfold-examples)

(defun mcss (numbers)
  "A delayed scalar for a sequence of numbers. The reduction has four sums per stretch: its largest subsequence sum, its largest prefix sum,
its largest suffix sum, and its total."
  (let ((single (wf:map (wf:fn (x) (let ((gain (max x 0))) (values gain gain gain x))) numbers))
        (join (wf:fn ((best-1 prefix-1 suffix-1 total-1) (best-2 prefix-2 suffix-2 total-2))
                (values (max best-1 best-2 (+ suffix-1 prefix-2))
                        (max prefix-1 (+ total-1 prefix-2))
                        (max suffix-2 (+ suffix-1 total-2))
                        (+ total-1 total-2)))))
    (wf:columns (wf:reduce join single :identity '(0 0 0 0)) 0)))

(define-program mcss (&rest arguments)
  (let ((numbers (wf:from-list (mapcar #'parse-integer arguments) :type :i64)))
    (format t "~D~%" (wf:value (timed ((wf:length numbers) "numbers") (mcss numbers))))))
