;;;; Printing of sequences at the REPL. It computes nothing.

(in-package #:warpfold)

(defun print-element (values stream)
  (flet ((print-part (value)
           (if (and (floatp value) (or (sb-ext:float-infinity-p value) (sb-ext:float-nan-p value)))
               (write-string (float-text value) stream)
               (prin1 value stream))))
    (if (rest values)
        (loop initially (write-char #\( stream)
              for (value . more) on values
              do (print-part value)
                 (when more (write-char #\Space stream))
              finally (write-char #\) stream))
        (print-part (first values)))))

(defun print-contents (sequence n stream)
  "Prints the length of a sequence, and its elements if it has been computed."
  (cond ((> (seq-rank sequence) 1) (print-array sequence stream))
        ((not (manifest-p sequence)) (format stream "~@[, ~D element~:P~], delayed" n))
        ((zerop (seq-rank sequence))
         (write-string ": " stream)
         (print-element (multiple-value-list (value sequence)) stream))
        (t (format stream ", ~D element~:P~:[~;:~]~{ ~A~}" n (plusp n) (row-texts sequence 0 (shown-indices n (or *print-length* 10)))))))

(defmethod print-object ((sequence seq) stream)
  "Prints the type and the length or the shape of a sequence. If it has been computed, also prints *PRINT-LENGTH* elements, or ten if that is
NIL, the first and the last ones; of an array, as many along each axis, in aligned rows if *PRINT-PRETTY* is true."
  (when *print-readably* (error 'print-not-readable :object sequence))
  (let ((cell (seq-cell sequence)))
    (print-unreadable-object (sequence stream)
      (format stream "~[scalar~;seq~:;array~] ~A" (seq-cell-rank cell) (describe-types (seq-cell-types cell)))
      (if (zerop (cell-pointer cell))
          (write-string (if (cell-origin cell) ", saved" ", released") stream)
          (write-string (handler-case (with-output-to-string (text)
                                        (print-contents sequence (and (= (seq-rank sequence) 1) (known-length sequence)) text))
                          (warpfold-error () ", unusable")) ; its context was closed
                        stream)))))

(defmethod print-object ((context context) stream)
  (print-unreadable-object (context stream :type t)
    (let ((cell (handle-cell context)))
      (write-string (cond ((plusp (cell-pointer cell)) (context-name context))
                          ((cell-origin cell) "saved")
                          (t "released"))
                    stream))))

(defmethod print-object ((handle handle) stream)
  (print-unreadable-object (handle stream :type t :identity t)))
