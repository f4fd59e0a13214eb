;;;; sparse-product [ROWS]: a sparse matrix times a vector. The rows are the segments of the entries (column, value); one kernel computes the
;;;; product. Row r has about ROWS / (r + 1) entries, so that the rows' lengths differ as much as those of real graphs.

(in-package #:warpfold-examples)

(defun sparse-product (rows x)
  (wf:reduce-segments #'+ (wf:map-segments (wf:fn (column entry) (* entry (aref x column))) rows)))

(defun sparse-matrix (n)
  (let ((lengths (wf:tabulate (wf:fn (r) (truncate n (1+ r))) n)))
    (wf:segments (wf:tabulate (wf:fn (i) (values (rem (* i 7919) n) (coerce (- (rem i 10) 4) 'double-float))) (wf:value (wf:sum lengths)))
                 :lengths lengths)))

(define-program sparse-product (&rest arguments)
  (let* ((n (number-argument arguments 0 100000))
         (rows (sparse-matrix n))
         (x (wf:tabulate (wf:fn (i) (coerce (rem i 7) 'double-float)) n))
         (entries (wf:length (wf:flatten rows))))
    (wf:force (wf:flatten rows) (wf:segment-offsets rows) x)
    (let ((y (timed (entries "entries") (sparse-product rows x))))
      (format t "~D rows, ~D entries, sum ~D, last ~D~%" n entries (round (wf:value (wf:sum y))) (round (wf:elt y (1- n)))))))
