;;;; Reading values, which computes them, and inspecting sequences, which does not.

(in-package #:warpfold)

(defun row-bytes (sequence)
  (loop for type in (seq-types sequence) sum (type-size type)))

(defmacro computing ((sequence) &body body)
  "Runs a body that computes a sequence, and counts the new memory by NOTE-BYTES."
  (let ((s (gensym "SEQUENCE")) (new (gensym "NEW")))
    `(let* ((,s ,sequence)
            (,new (and (plusp (seq-rank ,s)) (not (manifest-p ,s)))))
       (multiple-value-prog1 (progn ,@body)
         (when (and ,new (known-length ,s)) (note-sequence ,s))))))

(defun note-sequence (sequence)
  "Counts the memory of a computed sequence by NOTE-BYTES."
  (when (plusp (seq-rank sequence))
    (note-bytes (* (known-length sequence) (row-bytes sequence)))))

(defun compute-together (sequences compute)
  "Computes sequences by wf_force or wf_wait. Returns the first."
  (let ((new (remove-if #'manifest-p sequences)))
    (with-pointer-array (array n sequences)
      (checked (funcall compute array n)))
    (mapc #'note-sequence new)
    (first sequences)))

(define-called force (sequence &rest more)
  "Computes sequences and delayed scalars together; values over the same data share a pass. Returns the first. RANGE-ERROR with the first
index that is out of range, MEMORY-ERROR, UNSUPPORTED-ERROR; all are then unchanged."
  (compute-together (cons sequence more) #'wf.raw:wf-force))

(define-called wait (sequence &rest more)
  "As wf:force, and returns when all elements are in memory, as a measurement of time needs. On a GPU, wf:force may return while kernels still
store elements; whatever reads these waits for them by itself."
  (compute-together (cons sequence more) #'wf.raw:wf-wait))

(defun known-length (sequence)
  "The length, or NIL if it depends on a filter that has not run."
  (with-pointers ((s sequence))
    (cffi:with-foreign-object (n :int64)
      (checked (wf.raw:wf-known-length s n))
      (let ((n (cffi:mem-ref n :int64)))
        (if (minusp n) nil n)))))

(define-called length (sequence)
  "The number of elements, of all axes together. If SEQUENCE is the result of a filter, the filter runs first; wf:lazy-length only counts."
  (or (known-length sequence)
      (known-length (force sequence))))

(define-called manifest-p (sequence)
  "Returns true if the sequence has been computed. Computes nothing."
  (with-pointers ((s sequence))
    (cffi:with-foreign-object (yes :int32)
      (checked (wf.raw:wf-is-manifest s yes))
      (/= (cffi:mem-ref yes :int32) 0))))

(define-called context-of (sequence)
  "The context of a sequence: the object that MAKE-CONTEXT returned, or another one if that was released."
  (with-pointers ((s sequence))
    (cffi:with-foreign-object (out :pointer)
      (checked (wf.raw:wf-context-of s out))
      (find-context (cffi:mem-ref out :pointer)))))

;;; ---- single values

(declaim (inline read-value))
(defun read-value (place type)
  (ecase type
    (:bool (/= (cffi:mem-ref place :uint8) 0))
    (:u8 (cffi:mem-ref place :uint8))
    (:i32 (cffi:mem-ref place :int32))
    (:u32 (cffi:mem-ref place :uint32))
    (:i64 (cffi:mem-ref place :int64))
    (:u64 (cffi:mem-ref place :uint64))
    (:f32 (cffi:mem-ref place :float))
    (:f64 (cffi:mem-ref place :double))))

(defun element-values (sequence i)
  "Element i as a list of one value per column, or the value passed to the restart USE-VALUE."
  (block element
    (computing (sequence)
      (with-pointers ((s sequence))
        (cffi:with-foreign-object (place :int64)
          (loop for type in (seq-types sequence)
                for column of-type (signed-byte 32) from 0
                for code = (type-code type)
                do (checked (wf.raw:wf-to-host s column i 1 place code 1) :value-from element)
                collect (read-value place type)))))))

(defun values-of (element)
  (if (listp element) (values-list element) element))

(define-called value (scalar)
  "The value of a delayed scalar, computed on the first call: a number, T or NIL; for a tuple, several values. Restarts: RETRY, USE-VALUE."
  (unless (zerop (seq-rank scalar))
    (error 'argument-error
           :message (format nil "wf:value: the sequence has rank ~D: expected a delayed scalar; wf:elt, wf:aref and wf:to-vector give elements"
                            (seq-rank scalar))))
  (let ((types (seq-types scalar)))
    (if (rest types)
        (values-of (element-values scalar 0))
        (block value
          (with-pointers ((s scalar))
            (cffi:with-foreign-object (place :int64)
              (let ((type (first types)))
                (checked (wf.raw:wf-to-host s 0 0 1 place (type-code type) 1) :value-from value)
                (read-value place type))))))))

(defun elt (sequence i)
  "The value of element i, of an array in row-major order; for a tuple, several values. Computes the sequence. RANGE-ERROR if i is out of range. Restarts: RETRY,
USE-VALUE. One call costs some microseconds; use TO-VECTOR for many elements."
  (calling (elt)
    (let ((i (integer-argument i "the index")))
      (loop for n = (known-length sequence)
            until (or (null n) (< -1 i n))
            do (multiple-value-bind (next replaced value)
                   (fail 'range-error (format nil "~A: the index is ~D, but the length is ~D" (called) i n) t)
                 (declare (ignore next))
                 (when replaced (return-from elt value))))
      (values-of (element-values sequence i)))))

;;; ---- many values

(defun export-host (sequence column type start n host)
  "Writes N elements of a column, starting at START, converted to TYPE, to a simple specialized vector."
  (computing (sequence)
    (with-pointers ((s sequence))
      (cffi:with-pointer-to-vector-data (data host)
        (let ((code (type-code type)))
          (checked (wf.raw:wf-to-host s column start n data code 1)))))))

(defun export-column (sequence column type start n &optional (host (make-array n :element-type (host-type type))))
  "The elements of a column, converted to TYPE, in a simple specialized vector. ELEMENT-VALUE-ERROR for one that is not of that type."
  (let ((own (cl:nth column (seq-types sequence))))
    (unless (widens-p own type)
      (check-elements (export-column sequence column own start n) 0 n own type))
    (export-host sequence column type start n host)
    host))

(defun lisp-vector (host type)
  "A vector of T and NIL if HOST is the bytes of booleans, else HOST."
  (if (eq type :bool) (cl:map 'simple-vector #'plusp host) host))

(defun count-between (sequence start end)
  "The number of elements from START to END, or to the end of the sequence. RANGE-ERROR if they are not in order and within it."
  (let* ((start (integer-argument start "the start"))
         (n (length sequence))
         (end (if end (integer-argument end "the end") n)))
    (unless (<= 0 start end n)
      (error 'range-error :message (format nil "~@[~A: ~]the start is ~D and the end ~D, but the length is ~D: ~
                                                expected 0 <= start <= end <= length"
                                           (called) start end n)))
    (- end start)))

(defun to-vector (sequence &key type (start 0) end)
  "Computes the elements and copies them in one piece to a new simple vector. Floats become a (simple-array single-float (*)) or one of
double-float, integers an array of their size, booleans a simple-vector of T and NIL. Tuples become one vector per column, as several
values. TYPE widens; ELEMENT-VALUE-ERROR, a TYPE-ERROR, for an element that is not of that type. RANGE-ERROR if START to END is out of range.
Restarts: RETRY. Work n."
  (calling (to-vector)
    (let ((n (count-between sequence start end)))
      (values-list (loop for its in (seq-types sequence)
                         for column from 0
                         for type-out = (if type (element-type-of type) its)
                         collect (if (> (+ start n) (length sequence)) ; a RANGE-ERROR, before space is made
                                     (export-host sequence column its start n (make-array 0 :element-type (host-type its)))
                                     (lisp-vector (export-column sequence column type-out start n) type-out)))))))

(defun to-array (sequence &key type)
  "The elements as a new array of Lisp with the same dimensions. It is specialized like the vector of TO-VECTOR; TYPE is as there. Work n."
  (calling (to-array)
    (let* ((its (single-type sequence))
           (type (if type (element-type-of type) its))
           (dimensions (dimensions sequence))
           (n (cl:reduce #'* dimensions)))
      (if (eq type :bool)
          (make-array dimensions :displaced-to (lisp-vector (export-column sequence 0 type 0 n) type))
          (let ((array (make-array dimensions :element-type (host-type type))))
            (export-column sequence 0 type 0 n (sb-ext:array-storage-vector array))
            array)))))

(defun copy-to (array sequence &key (start 0) end)
  "Computes the elements and writes them to a simple array of floats or integers, in row-major order, converted to its type as by TO-VECTOR.
Allocates no new vector. Returns the array. SIZE-ERROR if the number of elements is not the size of the array, RANGE-ERROR if START to END is
out of range."
  (calling (copy-to)
    (let ((type (and (arrayp array) (vector-type array))) (n (count-between sequence start end)))
      (single-type sequence)
      (unless (and type (typep array 'simple-array) (equal (array-element-type array) (host-type type)))
        (error 'element-type-error
               :message (format nil "wf:copy-to: the destination has the type ~A: expected a simple array of floats or integers"
                                (form-text (type-of array)))))
      (unless (= n (array-total-size array))
        (error 'size-error :message (format nil "wf:copy-to: the array has ~D places: expected ~D, one per element"
                                            (array-total-size array) n)))
      (export-column sequence 0 type start n (sb-ext:array-storage-vector array))
      array)))

(defun to-list (sequence)
  "The elements as a list, of an array in row-major order; tuples as lists of their parts. Work n."
  (calling (to-list)
    (let ((columns (mapcar (lambda (column) (coerce column 'list)) (multiple-value-list (to-vector sequence)))))
      (if (rest columns) (apply #'mapcar #'list columns) (first columns)))))

(defun call-with-data (function sequence column)
  (with-pointers ((s sequence))
    (cffi:with-foreign-objects ((data :pointer) (n :int64))
      (computing (sequence) (checked (wf.raw:wf-data s column data n)))
      (funcall function (cffi:mem-ref data :pointer) (cffi:mem-ref n :int64)))))

(defmacro with-data ((pointer n sequence &optional (column 0)) &body body)
  "Computes the sequence and runs the body with a foreign pointer to the N elements of a column, without a copy. The body must not write to
them, and the pointer is valid only inside the body."
  `(call-with-data (lambda (,pointer ,n) ,@body) ,sequence ,column))

(define-called to-dlpack (sequence &key (column 0) (device :host) versioned (stream 0))
  "Computes the sequence and returns a foreign pointer to a new DLManagedTensor of a column, in row-major order, without a copy; with VERSIONED, to a
DLManagedTensorVersioned of DLPack 1. DEVICE is :HOST, or :CONTEXT for the memory of the sequence's context, a GPU's for example; STREAM is then the CUDA
stream of the reader, whose later work waits for the elements. Nobody may write to them. The caller must call the tensor's deleter."
  (unless (member device (if versioned '(:context) '(:host :context)))
    (complain-of-argument device '(member :host :context) "~A: the device is ~A: expected ~:[:HOST or :CONTEXT~;:CONTEXT for a versioned tensor~]"
                          (called) (form-text device) versioned))
  (with-pointers ((s sequence))
    (cffi:with-foreign-object (out :pointer)
      (computing (sequence)
        (checked (if (eq device :host)
                     (wf.raw:wf-to-dlpack s column out)
                     (wf.raw:wf-to-dlpack-stream s column (if versioned 1 0) stream out))))
      (cffi:mem-ref out :pointer))))

;;; ---- plans

(defun plan-text (first more format)
  (if (functionp first)
      (explain-call first more format)
      (with-pointer-array (array n (cons first more))
        (copied-text (buffer capacity needed)
          (checked (wf.raw:wf-explain array n format buffer capacity needed))))))

(define-called explain (sequence &rest more)
  "A string: the plan for computing these sequences together, without running it: kernels, fusions with their rules, bytes read and written.
For sequences already computed: the kernels that ran, their time and their GB/s. For a function made by JIT: the plan of its call with the
arguments MORE, which it traces."
  (plan-text sequence more 0))

(define-called explain-dot (sequence &rest more)
  "The plan as a graph for Graphviz."
  (plan-text sequence more 1))
