;;;; The objects of the Lisp API: sequences and functions of elements.

(in-package #:warpfold)

(declaim (inline seq-types seq-rank own-seq))
(defun seq-types (sequence) (seq-cell-types (seq-cell sequence)))
(defun seq-rank (sequence) (seq-cell-rank (seq-cell sequence)))

(defun own-seq (pointer types &optional (rank 1))
  "The sequence for a pointer that the C API returned; takes ownership of the reference."
  (let ((cell (make-seq-cell :pointer (cffi:pointer-address pointer) :types types :rank rank)))
    (register (make-instance 'seq :cell cell) cell)))

(defmacro new-seq ((types &optional (rank 1)) (out &rest pointers) call)
  "The sequence that a call stores in OUT; POINTERS are those of WITH-POINTERS."
  `(with-pointers ,pointers
     (cffi:with-foreign-object (,out :pointer)
       (checked ,call)
       (own-seq (cffi:mem-ref ,out :pointer) ,types ,rank))))

(defmacro new-column ((out &rest pointers) call)
  "Like NEW-SEQ, for a sequence of one column, whose type and rank the library knows."
  `(with-pointers ,pointers
     (cffi:with-foreign-object (,out :pointer)
       (checked ,call)
       (own-column (cffi:mem-ref ,out :pointer)))))

(defmacro two-seqs ((types-1 rank-1 types-2 rank-2) (out-1 out-2) call)
  "The two sequences that a call stores, as values."
  `(cffi:with-foreign-objects ((,out-1 :pointer) (,out-2 :pointer))
     (checked ,call)
     (values (own-seq (cffi:mem-ref ,out-1 :pointer) ,types-1 ,rank-1)
             (own-seq (cffi:mem-ref ,out-2 :pointer) ,types-2 ,rank-2))))

(defun element-types (sequence)
  "The types of the columns: (:f32), or (:i32 :f64) for a sequence of pairs. Computes nothing."
  (copy-list (seq-types sequence)))

(defun rank (sequence)
  "The number of axes: 0 for a delayed scalar, 1 for a sequence, 2 for a matrix, at most 8. Computes nothing."
  (seq-rank sequence))

(defun single-type (sequence)
  (let ((types (seq-types sequence)))
    (when (rest types)
      (error 'element-type-error
             :message (format nil "~@[~A: ~]the elements are tuples of ~A: expected one column; wf:columns and wf:unzip select" (called)
                              (describe-types types))))
    (first types)))

;;; ---- functions of elements

(defstruct (template (:copier nil))
  "The part that all functions made by one wf:fn form share."
  (parameters '() :type list)           ; unique names, flat
  (body nil :type list)                 ; a node
  (form nil)                            ; the source
  (compiled '() :type list))            ; functions that capture no sequences, the latest first

(defstruct (fn (:copier nil))
  "A function of elements, made by wf:fn or wf:foreign-function."
  (template nil :type (or null template))
  (captures #() :type simple-vector)
  (compiled '() :type list))

(defstruct (compiled (:include handle) (:copier nil) (:constructor make-compiled (cell types results wanted captures)))
  "A function of the library with parameters of TYPES and RESULTS; WANTED are the types that its results were converted to, or NIL."
  (types '() :type list)
  (results '() :type list)
  (wanted '() :type list)
  (captures #() :type simple-vector)
  (identity nil :type list))            ; the last identity that a reduction used, and its text: (value . octets)
