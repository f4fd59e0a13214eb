;;;; Shapes: the extents of an array along its axes, and NumPy's rules by which one operation takes arrays of different shapes. An axis is a
;;;; number from 0, or a negative number that counts from the last axis, -1.

(in-package #:warpfold)

(defmacro with-integers ((pointer integers bits) &body body)
  "Runs the body with a C array of a list of integers of 32 or 64 bits."
  (let ((vector (gensym "VECTOR")))
    `(let ((,vector (coerce ,integers '(simple-array (signed-byte ,bits) (*)))))
       (cffi:with-pointer-to-vector-data (,pointer ,vector) ,@body))))

(defun shape-text (dimensions)
  "\"3 x 4\", as in the library's messages."
  (if dimensions (format nil "~{~D~^ x ~}" dimensions) "()"))

(defun dimension-list (dimensions)
  "A list of dimensions, or one dimension, as a list."
  (loop for dimension in (if (listp dimensions) dimensions (list dimensions))
        collect (integer-argument dimension "a dimension")))

(defun known-dimensions (array)
  "The dimensions, or (NIL) if the length depends on a filter that has not run."
  (let ((rank (seq-rank array)))
    (with-pointers ((s array))
      (cffi:with-foreign-object (extents :int64 8)
        (checked (wf.raw:wf-shape s extents rank (cffi:null-pointer)))
        (loop for k below rank
              for extent = (cffi:mem-aref extents :int64 k)
              collect (if (minusp extent) nil extent))))))

(define-called dimensions (array)
  "The extents along the axes: (3 4) for a matrix of 3 rows and 4 columns, (N) for a sequence, NIL for a delayed scalar. If ARRAY is the result
of a filter, the filter runs first."
  (let ((known (known-dimensions array)))
    (if (member nil known) (known-dimensions (force array)) known)))

(defun axis-number (axis rank)
  "AXIS as a number from 0 to RANK - 1, else a RANGE-ERROR."
  (let ((axis (integer-argument axis "the axis")))
    (unless (< (- -1 rank) axis rank)
      (error 'range-error :message (format nil "~@[~A: ~]the axis is ~D, but the rank is ~D: expected ~:[~D to ~D~;a rank of at least 1~]"
                                           (called) axis rank (zerop rank) (- rank) (1- rank))))
    (if (minusp axis) (+ axis rank) axis)))

(defun require-rank (array rank expected)
  "SIZE-ERROR unless ARRAY has this rank."
  (unless (= (seq-rank array) rank)
    (error 'size-error :message (format nil "~A: the shape is ~A: expected ~A" (called) (shape-text (dimensions array)) expected))))

(define-called dimension (array axis)
  "The extent along an axis; see DIMENSIONS."
  (cl:nth (axis-number axis (seq-rank array)) (dimensions array)))

(defun row-major-strides (dimensions)
  (loop for (nil . inner) on dimensions collect (cl:reduce #'* inner)))

(define-called strides (array)
  "The distances of neighbours along the axes, in elements of the row-major order: (4 1) for a matrix of 3 rows and 4 columns."
  (row-major-strides (dimensions array)))

(define-called conforms-p (array other)
  "T if both arrays have the same dimensions."
  (equal (dimensions array) (dimensions other)))

(define-called reshape (array dimensions)
  "The same elements in row-major order with other DIMENSIONS, a list, or the length of a sequence; one of them may be -1, and is computed. A
view. SIZE-ERROR if the number of elements differs."
  (let ((dimensions (dimension-list dimensions)))
    (new-seq ((seq-types array) (cl:length dimensions)) (out (s array) (extents dimensions 64))
      (wf.raw:wf-reshape s extents (cl:length dimensions) out))))

(define-called broadcast (array dimensions)
  "ARRAY repeated to DIMENSIONS by NumPy's rules: the last axes of both correspond; an axis of extent 1, and an axis that ARRAY lacks at the
front, is repeated. A view. SIZE-ERROR if any other extents differ."
  (let ((dimensions (dimension-list dimensions)))
    (new-seq ((seq-types array) (cl:length dimensions)) (out (s array) (extents dimensions 64))
      (wf.raw:wf-broadcast s extents (cl:length dimensions) out))))

;;; ---- arrays of different shapes in one operation

(defun common-extent (from-end a b shape other)
  "The extent to which extents A and B of an axis are repeated. The axis is the FROM-END-th from the last; SHAPE and OTHER are for the message."
  (cond ((or (= a b) (= b 1)) a)
        ((= a 1) b)
        (t (error 'size-error
                  :message (format nil "~@[~A: ~]the shapes are ~A and ~A, with extents ~D and ~D along axis -~D: expected equal extents, or 1"
                                   (called) (shape-text shape) (shape-text other) a b from-end)))))

(defun common-shape (shape other)
  "The shape to which two shapes are repeated, else a SIZE-ERROR."
  (let ((rank (max (cl:length shape) (cl:length other))))
    (flet ((filled (shape) (cl:append (make-list (- rank (cl:length shape)) :initial-element 1) shape)))
      (loop for a in (filled shape) for b in (filled other)
            for from-end downfrom rank
            collect (common-extent from-end a b shape other)))))

(defun matched (arrays)
  "ARRAYS repeated to one shape. Sequences of different lengths, of which none is 1, stay as they are: the library complains of them."
  (let* ((shapes (mapcar #'dimensions arrays)))
    (if (and (cl:every (lambda (array) (= (seq-rank array) 1)) arrays) (not (member '(1) shapes :test #'equal)))
        arrays
        (let ((shape (cl:reduce #'common-shape shapes)))
          (loop for array in arrays for its in shapes
                collect (if (equal its shape) array (broadcast array shape)))))))

(defun call-matched (types arrays function)
  "The array that FUNCTION, of a C array of pointers, their number and the output, stores. Only if it fails since the shapes of ARRAYS differ, they
are repeated to one shape: arrays of one shape cost nothing more."
  (declare (type function function))
  (check-stack)
  (cffi:with-foreign-object (out :pointer)
    (flet ((code (arrays) (with-pointer-array (pointers n arrays) (funcall function pointers n out))))
      (let ((first (code arrays)))
        (unless (zerop first)
          (when (= first wf.raw:+error-size+) (setf arrays (matched arrays)))
          (checked (code arrays)))
        (own-seq (cffi:mem-ref out :pointer) types (loop for array in arrays maximize (seq-rank array)))))))
