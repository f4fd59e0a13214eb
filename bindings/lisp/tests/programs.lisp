;;;; The example programs print what ../../programs.py expects.

(in-package #:warpfold-test)
(in-suite warpfold)

(defun matches-p (pattern text)
  "Returns true if TEXT is PATTERN, in which \"...\" stands for any text."
  (let ((dots (search "..." pattern)))
    (if (null dots)
        (string= pattern text)
        (and (eql 0 (search (subseq pattern 0 dots) text))
             (loop for k from dots to (length text) thereis (matches-p (subseq pattern (+ dots 3)) (subseq text k)))))))

(defun printed-by-program (name arguments)
  "What a program prints, on one line, and its exit status if that is not 0."
  (let* ((status nil)
         (text (with-output-to-string (*standard-output*)
                 (let ((*error-output* (make-broadcast-stream)))
                   (setf status (warpfold-examples::program-status (substitute #\- #\_ name) arguments))))))
    (format nil "~{~A~^ | ~}~[~:; (status ~:*~D)~]" (remove "" (uiop:split-string text :separator '(#\Newline)) :test #'string=) status)))

(test programs-print-the-same-in-every-language
  (uiop:with-temporary-file (:pathname path)
    (let ((folder (format nil "~A.files/" (namestring path))))
      (ensure-directories-exist folder)
      (loop for (words expected) on (uiop:run-program (list "python3" (namestring (asdf:system-relative-pathname "warpfold" "../programs.py")) "lisp" folder)
                                                      :output :lines)
              by #'cddr
            for (name . arguments) = (uiop:split-string words :separator '(#\Tab))
            for found = (printed-by-program name arguments)
            do (is (matches-p expected found) "~A~{ ~A~} printed ~S, expected ~S" name arguments found expected))
      (uiop:delete-directory-tree (pathname folder) :validate t))))

(test the-line-of-timing
  (let* ((s nil)
         (line (with-output-to-string (*error-output*)
                 (setf s (warpfold-examples::timed (1000 "numbers") (wf:map #'1+ (wf:iota 1000)))))))
    (is (wf:manifest-p s))
    (is (eql (search " numbers/s" line) (- (length line) 11)))))
