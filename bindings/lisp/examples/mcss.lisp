;;;; mcss NUMBER...: the maximum contiguous subsequence sum, where an empty one counts as 0.
;;;; One pass: a reduction over what has to be known of a stretch of numbers to join it with its neighbour.

(in-package #:warpfold-examples)

(defun mcss (numbers)
  "A delayed scalar for a sequence of numbers. Of a stretch four sums are kept: the largest anywhere in it, the largest that starts at its
left end, that ends at its right, and all."
  (let ((single (wf:map (wf:fn (x) (let ((gain (max x 0))) (values gain gain gain x))) numbers))
        (join (wf:fn ((best-1 prefix-1 suffix-1 total-1) (best-2 prefix-2 suffix-2 total-2))
                (values (max best-1 best-2 (+ suffix-1 prefix-2))
                        (max prefix-1 (+ total-1 prefix-2))
                        (max suffix-2 (+ suffix-1 total-2))
                        (+ total-1 total-2)))))
    (wf:columns (wf:reduce join single :identity '(0 0 0 0)) 0)))

(defun mcss-main ()
  (run-main "mcss"
            (lambda (arguments)
              (format t "~D~%" (wf:value (mcss (wf:from-list (mapcar #'parse-integer arguments) :type :i64))))
              0)))
