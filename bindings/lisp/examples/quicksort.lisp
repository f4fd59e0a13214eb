;;;; quicksort [N]: sorts N numbers as textbooks do. Quicksort filters three times in one pass and recurs. Samplesort collects the numbers between
;;;; the neighbours in a sorted sample, and sorts each group. wf:sort is faster than both.

(in-package #:warpfold-examples)

(defparameter *few* 5000)

(defun quicksort (s)
  (let ((n (wf:length s)))
    (if (<= n *few*)
        (wf:sort s #'<)
        (let* ((pivot (wf:elt s (floor n 2)))
               (below (wf:filter (wf:fn (x) (< x pivot)) s))
               (same (wf:filter (wf:fn (x) (= x pivot)) s))
               (above (wf:filter (wf:fn (x) (> x pivot)) s)))
          (wf:force below same above)
          (wf:append (quicksort below) same (quicksort above))))))

(defun samplesort (s)
  (let* ((n (wf:length s)) (every (1+ (isqrt n)))
         (sample (wf:sort (wf:tabulate (wf:fn (i) (aref s (* i every))) (floor n every)) #'<))
         (buckets (nth-value 1 (wf:collect (wf:zip (wf:binary-search sample s #'<) s)))))
    (wf:flatten (wf:sort-segments buckets))))

(define-program quicksort (&rest arguments)
  (let* ((n (number-argument arguments 0 1000000))
         (numbers (wf:force (wf:tabulate (wf:fn (i) (mod (+ (* i 1103515245) 12345) 1000003)) n)))
         (expected (wf:sort numbers #'<)))
    (dolist (sort '(quicksort samplesort) 0)
      (let ((sorted (timed (n "numbers") (funcall sort numbers))))
        (format t "~(~A~): ~:[sorted~;NOT sorted~]~%" sort (wf:mismatch sorted expected))))))
