;;;; How sequences look at the REPL. Printing computes nothing.

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

(defun print-elements (sequence n shown stream)
  "<1 2 3 ...>, of n elements those that are shown."
  (let ((columns (multiple-value-list (to-vector sequence :end shown))))
    (write-char #\< stream)
    (dotimes (i shown)
      (unless (zerop i) (write-char #\Space stream))
      (print-element (loop for column in columns collect (aref column i)) stream))
    (when (< shown n) (write-string (if (zerop shown) "..." " ...") stream))
    (write-char #\> stream)))

(defun print-description (sequence stream)
  (let ((n (known-length sequence)))
    (print-unreadable-object (sequence stream)
      (format stream "~A ~A~@[ of length ~D~], ~:[delayed~;computed~]"
              (if (zerop (seq-rank sequence)) "scalar" "seq")
              (describe-types (seq-types sequence))
              (and (= (seq-rank sequence) 1) n)
              (manifest-p sequence)))))

(defmethod print-object ((sequence seq) stream)
  "A delayed sequence by its type and length, a computed one by its elements, *PRINT-LENGTH* of them, or ten where that is NIL."
  (cond (*print-readably* (error 'print-not-readable :object sequence))
        ((zerop (cell-pointer (handle-cell sequence)))
         (print-unreadable-object (sequence stream) (format stream "seq ~A, released" (describe-types (seq-types sequence)))))
        ((not (manifest-p sequence)) (print-description sequence stream))
        ((zerop (seq-rank sequence)) (print-element (multiple-value-list (value sequence)) stream))
        (t (let ((n (known-length sequence)))
             (handler-case (print-elements sequence n (min n (or *print-length* 10)) stream)
               (argument-error () (print-description sequence stream))))))) ; its context was closed

(defmethod print-object ((handle handle) stream)
  (print-unreadable-object (handle stream :type t :identity t)))

(defmethod print-object ((context context) stream)
  (print-unreadable-object (context stream :type t)
    (if (zerop (cell-pointer (handle-cell context)))
        (write-string "released" stream)
        (write-string (context-name context) stream))))
