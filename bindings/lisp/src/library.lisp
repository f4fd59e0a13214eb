;;;; The shared library: found where the system looks for libraries, or in the build folder of the checkout that this
;;;; file is part of.

(in-package #:warpfold.raw)

(eval-when (:compile-toplevel :load-toplevel :execute)
  (cffi:define-foreign-library libwarpfold
    (:unix (:or "libwarpfold.so.0" "libwarpfold.so")))

  (defun load-library ()
    "Loads libwarpfold, unless it is loaded already."
    (unless (cffi:foreign-library-loaded-p 'libwarpfold)
      (pushnew (asdf:system-relative-pathname "warpfold" "../../build/") cffi:*foreign-library-directories*
               :test #'equal)
      (restart-case (cffi:load-foreign-library 'libwarpfold)
        (retry ()
          :report "Look for libwarpfold.so.0 again, after LD_LIBRARY_PATH was set or the library was installed."
          (load-library)))))

  (load-library))
