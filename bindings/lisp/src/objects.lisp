;;;; What programs hold: sequences and functions of elements.

(in-package #:warpfold)

(defstruct (seq (:include handle) (:copier nil) (:constructor %make-seq (cell types rank)))
  "An immutable sequence that may not have been computed yet; a delayed scalar where RANK is 0. TYPES: of its columns."
  (types '() :type list :read-only t)
  (rank 1 :type (member 0 1) :read-only t))

(declaim (inline own-seq))
(defun own-seq (pointer types &optional (rank 1))
  "The sequence for a pointer that the C interface gave out."
  (register (%make-seq (make-cell :pointer (cffi:pointer-address pointer)) types rank)))

(defmacro new-seq ((types &optional (rank 1)) (out) call)
  "The sequence that a call puts at the place OUT."
  `(cffi:with-foreign-object (,out :pointer)
     (checked ,call)
     (own-seq (cffi:mem-ref ,out :pointer) ,types ,rank)))

(defun element-types (sequence)
  "The types of the columns: (:f32), or (:i32 :f64) for a sequence of pairs. Computes nothing."
  (copy-list (seq-types sequence)))

(defun rank (sequence)
  "1 for a sequence, 0 for a delayed scalar. Computes nothing."
  (seq-rank sequence))

(defun single-type (sequence)
  (let ((types (seq-types sequence)))
    (when (rest types)
      (error 'element-type-error
             :message (format nil "the elements are tuples ~A, but single ones are needed: take a column, by wf:columns or wf:unzip"
                              (describe-types types))))
    (first types)))

;;; ---- functions of elements

(defstruct (template (:copier nil))
  "What is the same for every function made by one wf:fn form."
  (parameters '() :type list)           ; unique names, flat
  (body nil :type list)                 ; a node
  (form nil)                            ; as it was written
  (compiled '() :type list))            ; the latest ones first, where no sequences are captured

(defstruct (fn (:copier nil))
  "A function of elements, made by wf:fn or wf:foreign-function."
  (template nil :type (or null template))
  (captures #() :type simple-vector)
  (compiled '() :type list))

(defstruct (compiled (:include handle) (:copier nil) (:constructor make-compiled (cell types results wanted captures)))
  "A function of the library: for parameters of TYPES it gives RESULTS; WANTED is what its results were converted to, or NIL."
  (types '() :type list)
  (results '() :type list)
  (wanted '() :type list)
  (captures #() :type simple-vector)
  (identity nil :type list))            ; the last identity that a reduction used, and its text: (value . octets)
