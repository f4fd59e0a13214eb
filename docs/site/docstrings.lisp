;;;; Prints the exported names of the Lisp binding with their arguments and docstrings, for reference.py.

(require :sb-introspect)

(defun print-item (kind name arguments text)
  (when text
    (let ((*print-pretty* nil) (*print-case* :downcase) (*package* (symbol-package name)))
      (format t "~&@~A ~(~A~)~%~@[~A~]~%@text~%~A~%" kind (symbol-name name) arguments text))))

(dolist (package '(:warpfold :warpfold.operators :warpfold.random))
  (format t "~&@package ~(~A~)~%~@[~A~]~%" package (documentation (find-package package) t))
  (let (names)
    (do-external-symbols (name package) (push name names))
    (dolist (name (sort names #'string< :key #'symbol-name))
      (when (fboundp name)
        (print-item (if (macro-function name) "macro" "function") name (sb-introspect:function-lambda-list name) (documentation name 'function)))
      (print-item "variable" name nil (documentation name 'variable))
      (print-item "type" name nil (documentation name 'type)))))
