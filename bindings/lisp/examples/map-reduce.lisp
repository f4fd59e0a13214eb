;;;; map_reduce NUMBER...: mean, standard deviation and extremes of the numbers, all from one pass over them.
;;;; k_maps K NUMBER...: k maps and a reduction, also in one pass.

(in-package #:warpfold-examples)

(defun statistics (numbers)
  "Delayed scalars for a sequence of floats: mean, standard deviation, minimum and maximum. Forced together, they are one kernel."
  (let* ((n (wf:lazy-length numbers))
         (sum (wf:reduce #'+ numbers))
         (squares (wf:reduce #'+ (wf:map (wf:fn (x) (* x x)) numbers)))
         (mean (wf:map #'/ sum n))
         (deviation (wf:map (wf:fn (squares n mean) (sqrt (max 0 (- (/ squares n) (* mean mean))))) squares n mean)))
    (list mean deviation (wf:reduce #'min numbers) (wf:reduce #'max numbers))))

(defun k-maps (k numbers)
  "A delayed scalar: the sum after k maps. One kernel reads the numbers once, for every k."
  (let ((s numbers))
    (dotimes (round k) (setf s (wf:map (wf:fn (x) (+ (* x 0.5) 1)) s)))
    (wf:reduce #'+ s)))

(define-program k-maps (&rest arguments)
  (destructuring-bind (k . numbers) (mapcar #'parse-integer arguments)
    (let ((sum (k-maps k (wf:from-list numbers :type :f32))))
      (format t "~A~%~F~%" (wf:explain sum) (wf:value sum)))))

(define-program map-reduce (&rest arguments)
  (let* ((numbers (let ((*read-default-float-format* 'double-float) (*read-eval* nil))
                    (mapcar #'read-from-string arguments)))
         (results (statistics (wf:from-list numbers :type :f64))))
    (write-line (apply #'wf:explain results))
    (timed ((length numbers) "numbers") (apply #'wf:force results))
    (format t "mean ~,6F, deviation ~,6F, from ~,6F to ~,6F~%"
            (wf:value (first results)) (wf:value (second results))
            (wf:value (third results)) (wf:value (fourth results)))))
