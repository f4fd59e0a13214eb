;;;; The shared library, which is loaded at the first call of one of its functions. WARPFOLD_LIBRARY names it; else it is searched in the system's
;;;; library folders, in the folder to which `meson install` installed it, and in the build folder of the checkout.

(in-package #:warpfold.raw)

(eval-when (:compile-toplevel :load-toplevel :execute)
  (defun source-file (name)
    (namestring (asdf:system-relative-pathname "warpfold" name))))

(defvar *library* nil "The file name of the loaded library, or NIL.")

(defun installed-folder ()
  "The folder of the library that was installed with this binding, or NIL; `meson install` writes it to a file."
  (let ((note (source-file "library-folder")))
    (when (probe-file note)
      (source-file (concatenate 'string (string-right-trim '(#\Newline) (uiop:read-file-string note)) "/")))))

(defun candidates ()
  "File names of the library, in the order in which they are tried."
  (let ((named (sb-ext:posix-getenv "WARPFOLD_LIBRARY")) (installed (installed-folder)))
    (if (and named (string/= named ""))
        (list named)
        (append (list "libwarpfold.so.0")
                (and installed (list (concatenate 'string installed "libwarpfold.so.0")))
                (list (source-file "../../build/libwarpfold.so.0"))))))

(defun complain-of-library (reasons)
  (error 'warpfold:library-error
         :message (format nil "libwarpfold.so.0 cannot be loaded: set the environment variable WARPFOLD_LIBRARY to its file name. ~
                               Tried:~{~%  ~A~}" reasons)))

(sb-ext:defglobal **loading** (sb-thread:make-mutex :name "loading of libwarpfold"))

(defun load-library ()
  "Loads the library if it is not loaded yet. If it is not found, signals LIBRARY-ERROR with the restart WARPFOLD:RETRY."
  (sb-thread:with-recursive-lock (**loading**)
    (unless *library*
      (let ((reasons '()))
        (dolist (name (candidates))
          (handler-case (sb-alien:load-shared-object name :dont-save t)
            (error (condition) (push (remove #\Newline (princ-to-string condition)) reasons))
            (:no-error (loaded)
              (declare (ignore loaded))
              (find-functions)
              (return-from load-library (setf *library* name)))))
        (restart-case (complain-of-library (reverse reasons))
          (warpfold:retry ()
            :report "Look for libwarpfold.so.0 again."
            (load-library)))))))

;;; A saved image loads the library of the machine on which it is started.
(defun forget-library ()
  (setf *library* nil)
  (forget-functions))
(pushnew 'forget-library sb-ext:*save-hooks*)
