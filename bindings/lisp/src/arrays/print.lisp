;;;; Printing of arrays: rows whose columns are aligned, at their decimal points if they have any. Axes that are longer than *PRINT-LENGTH* are
;;;; shortened in the middle.

(in-package #:warpfold)

(defun shown-indices (n limit)
  "0, ..., N - 1, or the first and the last of them with NIL between them."
  (flet ((from (start end) (loop for k from start below end collect k)))
    (if (<= n limit)
        (from 0 n)
        (cl:append (from 0 (ceiling limit 2)) '(nil) (from (- n (floor limit 2)) n)))))

(defun row-texts (array start indices)
  "The texts of the elements of a row, whose first element has the row-major number START."
  (loop while indices
        append (if (first indices)
                   (let* ((first (first indices)) (n (or (position nil indices) (cl:length indices)))
                          (columns (multiple-value-list (to-vector array :start (+ start first) :end (+ start first n)))))
                     (setf indices (nthcdr n indices))
                     (loop for k below n
                           collect (with-output-to-string (text)
                                     (print-element (loop for column in columns collect (cl:aref column k)) text))))
                   (progn (pop indices) (list "...")))))

(defun block-texts (array dimensions start)
  "The texts of the elements of a part of an array, nested as its axes."
  (let* ((inner (rest dimensions))
         (indices (shown-indices (first dimensions) (or *print-length* (if (cl:nth 2 dimensions) 4 10)))))
    (if inner
        (loop for k in indices collect (if k (block-texts array inner (+ start (* k (cl:reduce #'* inner)))) "..."))
        (row-texts array start indices))))

(defun aligned (texts)
  "Texts of one width, with their decimal points one below the other."
  (flet ((point (text) (or (and (not (find #\( text)) (position #\. text)) (cl:length text))))
    (let* ((numbers (remove "..." texts :test #'equal))
           (left (loop for text in numbers maximize (point text)))
           (right (loop for text in numbers maximize (- (cl:length text) (point text)))))
      (loop for text in texts
            for before = (if (equal text "...") 0 (- left (point text)))
            collect (format nil "~VA" (+ left right) (format nil "~A~A" (make-string before :initial-element #\Space) text))))))

(defun print-rows (rows stream)
  (let* ((cells (remove-if-not #'consp rows))
         (columns (and cells (apply #'mapcar (lambda (&rest column) (aligned column)) cells)))
         (lines (and columns (apply #'mapcar (lambda (&rest cells) (string-right-trim " " (format nil "~{ ~A~}" cells))) columns))))
    (loop for row in rows
          do (format stream "~%~A" (if (consp row) (pop lines) " ...")))))

(defun print-block (texts rank stream)
  "Prints rows; a blank line separates matrices."
  (if (= rank 2)
      (print-rows texts stream)
      (loop for (part . more) on texts
            do (if (consp part) (print-block part (1- rank) stream) (format stream "~% ..."))
               (when more (terpri stream)))))

(defun print-array (array stream)
  (let ((dimensions (dimensions array)))
    (format stream ", ~A" (shape-text dimensions))
    (cond ((not (manifest-p array)) (write-string ", delayed" stream))
          ((zerop (cl:reduce #'* dimensions)))
          (t (write-string ":" stream)
             (let ((texts (block-texts array dimensions 0)))
               (if *print-pretty*
                   (print-block texts (cl:length dimensions) stream)
                   (format stream " ~A" texts)))))))
