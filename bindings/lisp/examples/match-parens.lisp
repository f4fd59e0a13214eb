;;;; match_parens FILE...: do the brackets of these files balance?

(in-package #:warpfold-examples)

(defparameter *usage* "usage: match_parens [--context NAME] [--explain] FILE...

Tells of each FILE whether its brackets ( [ { and } ] ) balance, and if not, the line and column of the first closing
bracket too many, or how many are left open; then the greatest depth and where it is first reached.

What is checked: every ( [ { deepens by one and every } ] ) lowers by one, whatever their kind and wherever they stand, in
comments and strings too. A file balances if the depth is never below zero and ends at zero. That the kinds match pairwise
is not checked. Lines end at a newline; columns count bytes from 1.

  --context NAME  where it runs: cpu, cuda:0, auto (the default)
  --explain       shows the plan first: the one pass over a file's bytes
  --help          this text

Exit status: 0 if all files balance, 1 if one does not, 2 for errors, such as a file that cannot be read.
")

;;; Files are memory-mapped and read in pieces of this many bytes, so memory use does not depend on their size.
(defparameter *piece-size* (* 32 1024 1024))

(define-condition wrong-use (error)
  ((why :initarg :why))
  (:report (lambda (condition stream) (write-string (slot-value condition 'why) stream))))

(defun parse-options (arguments)
  "A plist: :context, :explain, :help, :files."
  (loop with options = '() and files = '()
        while arguments
        do (let ((argument (pop arguments)))
             (cond ((string= argument "--")
                    (setf files (append (reverse arguments) files)
                          arguments '()))
                   ((or (string= argument "") (char/= (char argument 0) #\-)) (push argument files))
                   ((member argument '("--help" "-h") :test #'string=) (setf (getf options :help) t))
                   ((string= argument "--explain") (setf (getf options :explain) t))
                   ((string/= argument "--context")
                    (error 'wrong-use :why (format nil "unknown option ~A" argument)))
                   (arguments (setf (getf options :context) (pop arguments)))
                   (t (error 'wrong-use :why "--context takes a name, such as cpu"))))
        finally (return (list* :files (reverse files) options))))

(defun describe-report (report)
  (format nil "~A; depth ~D~@[ at ~{~D:~D~}~]"
          (cond ((report-surplus report)
                 (format nil "NOT balanced: a closing bracket too many at ~{~D:~D~}" (report-surplus report)))
                ((plusp (report-left-open report))
                 (format nil "NOT balanced: ~D bracket~:P left open" (report-left-open report)))
                (t "balanced"))
          (report-depth report) (report-deepest report)))

(defun match-file (file explain)
  "Prints the report of a file. Returns its size, and true if it balances."
  (let* ((text (wf:from-file file)) (n (wf:length text)))
    (when explain
      (format t "~A~%" (apply #'wf:explain (piece-scalars (piece (wf:take text (min n *piece-size*)))))))
    (let ((report (match-text text *piece-size*)))
      (format t "~A: ~A~%" file (describe-report report))
      (values n (balanced-p report)))))

(defun match-files (files explain)
  "The exit status."
  (let ((bytes 0) (unbalanced 0) (errors 0) (start (seconds-now)))
    (dolist (file files)
      (handler-case (multiple-value-bind (n balanced) (match-file file (shiftf explain nil))
                      (incf bytes n)
                      (unless balanced (incf unbalanced)))
        (wf:warpfold-error (condition)
          (incf errors)
          (format *error-output* "match_parens: ~A: ~A~%" file condition))))
    (let ((seconds (max 1d-6 (- (seconds-now) start)))
          (n (length files)))
      (format t "~D file~:P, ~D bytes, ~D not balanced, ~D error~:P; ~,3F s, ~,2F GB/s~%"
              n bytes unbalanced errors seconds (/ (* bytes 1d-9) seconds)))
    (cond ((plusp errors) 2) ((plusp unbalanced) 1) (t 0))))

(defun match-parens (arguments)
  "The exit status for command-line arguments."
  (handler-case
      (destructuring-bind (&key files context explain help) (parse-options arguments)
        (cond (help (write-string *usage*) 0)
              ((null files) (error 'wrong-use :why "no files given"))
              (context (wf:with-context (context) (match-files files explain)))
              (t (match-files files explain))))
    (wrong-use (condition)
      (format *error-output* "match_parens: ~A~%try match_parens --help~%" condition)
      2)
    (wf:warpfold-error (condition)
      (format *error-output* "match_parens: ~A~%" condition)
      2)))

(setf (gethash "match-parens" *programs*) #'match-parens)
