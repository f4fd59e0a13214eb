;;;; Used by the scripts of this folder: (load-quietly SYSTEM) loads a system of this folder. It prints the compiler's output only if
;;;; that fails.

(require :asdf)
(asdf:load-asd (merge-pathnames "warpfold.asd" *load-truename*))

(defun load-quietly (system)
  (let ((log (make-string-output-stream)))
    (handler-case (let ((*standard-output* log) (*error-output* log) (*compile-verbose* nil))
                    (handler-bind (((or warning sb-ext:compiler-note) #'muffle-warning)) (asdf:load-system system)))
      (error (condition)
        (format *error-output* "~A~&~A~%" (get-output-stream-string log) condition)
        (sb-ext:exit :code 2 :abort t)))))
