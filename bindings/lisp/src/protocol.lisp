;;;; Common Lisp's sequence functions for the sequences of this library, by SBCL's protocol (sb-sequence): LENGTH, ELT, MAP, REDUCE, COERCE,
;;;; FIND, EVERY, ... and LOOP's `being the elements of`. They compute the sequence and copy its elements into a Lisp vector once per call.
;;;; A tuple is the list of its parts. Functions whose result is a new sequence return a vector.

(in-package #:warpfold)

(defun host-elements (sequence)
  "The elements as a Lisp vector."
  (if (rest (seq-types sequence))
      (coerce (to-list sequence) 'simple-vector)
      (to-vector sequence)))

(defun complain-of-change ()
  (error 'unsupported-error :message "sequences of warpfold are immutable: expected a vector of Lisp, made by wf:to-vector"))

(defmethod sb-sequence:length ((sequence seq))
  (length sequence))

(defmethod sb-sequence:elt ((sequence seq) index)
  (let ((element (multiple-value-list (elt sequence index))))
    (if (rest element) element (first element))))

(defmethod (setf sb-sequence:elt) (value (sequence seq) index)
  (declare (ignore value index))
  (complain-of-change))

(defmethod sb-sequence:adjust-sequence ((sequence seq) length &key initial-element initial-contents)
  (declare (ignore length initial-element initial-contents))
  (complain-of-change))

(defmethod sb-sequence:make-sequence-like ((sequence seq) length &rest initial &key initial-element initial-contents)
  (declare (ignore initial-element initial-contents))
  (apply #'make-array length initial))

(defmethod sb-sequence:make-sequence-iterator ((sequence seq) &rest bounds &key from-end start end)
  (declare (ignore from-end start end))
  (let ((elements (host-elements sequence)))
    (multiple-value-bind (iterator limit from-end step endp element set-element index copy)
        (apply #'sb-sequence:make-sequence-iterator elements bounds)
      (declare (ignore set-element))
      (flet ((on-elements (function)
               (lambda (sequence &rest arguments)
                 (declare (ignore sequence))
                 (apply function elements arguments))))
        (values iterator limit from-end (on-elements step) (on-elements endp) (on-elements element)
                (lambda (&rest arguments) (declare (ignore arguments)) (complain-of-change))
                (on-elements index) (on-elements copy))))))

;;; These functions return sequences of this library: parts and reversals stay delayed.

(defmethod sb-sequence:subseq ((sequence seq) start &optional end)
  (subseq sequence start end))

(defmethod sb-sequence:reverse ((sequence seq))
  (reverse sequence))

(defmethod sb-sequence:copy-seq ((sequence seq))
  sequence)

;;; The default methods of these functions modify a copy, which they expect to be of the class of the sequence.

(macrolet ((on-vectors (&rest clauses)
             `(progn
                ,@(loop for (name . parameters) in clauses
                        collect `(defmethod ,(intern (symbol-name name) '#:sb-sequence)
                                     (,@parameters (sequence seq) &rest keys &key &allow-other-keys)
                                   (apply #',name ,@parameters (host-elements sequence) keys))))))
  (on-vectors (remove item) (remove-if predicate) (remove-if-not predicate) (remove-duplicates)
              (substitute new old) (substitute-if new predicate) (substitute-if-not new predicate)))
