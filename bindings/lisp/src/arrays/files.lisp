;;;; Arrays in files: NumPy's npy and npz, CSV, PNG. FORMAT is "npy", "npz", "csv" or "png"; NIL is the one that the file's name ends in.

(in-package #:warpfold)

(define-called read-array (path &key format name type context)
  "An array from a file. npy: NumPy's format, memory-mapped if possible. npz: the array NAME of several of this format; NAME may be omitted if
there is only one. csv: a matrix of numbers, :f64; a first line without numbers is dropped. png: height x width, or height x width x
channels, as :u8. TYPE is the element type, to which the elements are converted. IO-ERROR with the system's reason, or the line and
column of a csv, and the restart USE-VALUE for another array."
  (let ((path (native-path path)) (code (if type (type-code (element-type-of type)) -1)))
    (block read
      (with-pointers ((its (or context (current-context))) (its-path path :text) (its-format (or format "") :text) (its-name (or name "") :text))
        (cffi:with-foreign-object (out :pointer)
          (checked (wf.raw:wf-read-array its its-path its-format its-name code out) :value-from read)
          (own-column (cffi:mem-ref out :pointer)))))))

(defun write-named (path format names arrays)
  "Writes arrays under their names. Returns the path."
  (with-pointers ((its-path (native-path path) :text) (its-format (or format "") :text) (pointers arrays n))
    (let ((texts (mapcar #'cffi:foreign-string-alloc names)))
      (unwind-protect
           (cffi:with-foreign-object (its-names :pointer n)
             (loop for text in texts for k from 0 do (setf (cffi:mem-aref its-names :pointer k) text))
             (checked (wf.raw:wf-write-arrays its-path its-format pointers its-names n)))
        (mapc #'cffi:foreign-string-free texts))))
  path)

(define-called write-array (path array &key format)
  "Writes an array of one column as npy or png, computing it; png is for :u8 and the shapes of READ-ARRAY. The file is replaced when it is
complete. Returns the path. IO-ERROR with the system's reason."
  (write-named path format '("") (list array)))

(define-called write-arrays (path arrays &key (format "npz"))
  "Writes an npz of several arrays, computing them together: (wf:write-arrays \"model.npz\" `((\"weights\" . ,w) (\"bias\" . ,b))). See WRITE-ARRAY."
  (unless (cl:every (lambda (pair) (and (consp pair) (stringp (car pair)))) arrays)
    (complain-of-argument arrays 'list "wf:write-arrays: ~A: expected a list of conses of a name and an array" (form-text arrays)))
  (write-named path format (mapcar #'car arrays) (mapcar #'cdr arrays)))

(define-called array-names (path)
  "The names of the arrays in an npz file, in order."
  (with-text (its-path (native-path path))
    (let ((text (copied-text (buffer capacity needed) (checked (wf.raw:wf-array-names its-path buffer capacity needed)))))
      (loop for start = 0 then (1+ end)
            for end = (position #\Newline text :start start)
            while end
            collect (cl:subseq text start end)))))
