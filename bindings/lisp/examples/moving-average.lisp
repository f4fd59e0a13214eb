;;;; moving-average W NUMBER...: the means of W neighbours, by the sums of windows (work n W, one kernel) and by differences of prefix sums
;;;; (work n, two kernels).

(in-package #:warpfold-examples)

(defun averages-by-windows (w s)
  (wf:map (wf:fn (sum) (/ sum (coerce w 'double-float))) (wf:reduce-segments #'+ (wf:windows s w))))

(defun averages-by-prefixes (w s)
  (multiple-value-bind (before total) (wf:scan #'+ s)
    (let ((sums (wf:append before (wf:from-list (list (wf:value total)) :type :f64))))
      (wf:map (wf:fn (high low) (/ (- high low) (coerce w 'double-float)))
              (wf:drop sums w) (wf:take sums (- (wf:length s) w -1))))))

(define-program moving-average (&rest arguments)
  (destructuring-bind (w . numbers) (let ((*read-eval* nil)) (mapcar #'read-from-string arguments))
    (let ((s (wf:from-list numbers :type :f64)))
      (dolist (averages '(averages-by-windows averages-by-prefixes) 0)
        (format t "~A~%" (wf:to-string (timed ((length numbers) "numbers") (funcall averages w s))
                                       :element (lambda (x) (format nil "~,3F" x))))))))
