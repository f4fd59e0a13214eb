;;;; run-length TEXT: the run-length code of a text, such as 3a1b for aaab, and the text decoded from it.

(in-package #:warpfold-examples)

(defun decode-runs (code)
  (multiple-value-bind (symbols lengths) (wf:unzip code)
    (let ((runs (wf:segments (wf:iota (wf:value (wf:sum lengths))) :lengths lengths)))
      (wf:map (wf:fn (run) (aref symbols run)) (wf:segment-ids runs)))))

(define-program run-length (&rest arguments)
  (let* ((text (wf:from-list (map 'list #'char-code (first arguments)) :type :i32))
         (code (timed ((wf:length text) "characters") (wf:run-lengths text))))
    (format t "~:{~1@*~D~0@*~C~}~%" (loop for (c n) in (wf:to-list code) collect (list (code-char c) n)))
    (format t "~A~%" (map 'string #'code-char (wf:to-list (decode-runs code))))))
