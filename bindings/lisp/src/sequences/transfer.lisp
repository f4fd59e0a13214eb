;;;; Sequences from host data: vectors are copied in one piece, without a call per element.

(in-package #:warpfold)

;;; ---- Lisp numbers as elements

(defun vector-type (array)
  "The element type of a specialized Lisp array, or NIL for any other array."
  (let ((type (array-element-type array)))
    (cond ((member type '(t nil bit character base-char) :test #'equal) nil)
          ((equal type '(unsigned-byte 62)) :i64)
          (t (ignore-errors (element-type-of type))))))

(defun complain-of-value (value expected-type control &rest arguments)
  "Signals an ELEMENT-VALUE-ERROR."
  (error 'element-value-error :datum value :expected-type expected-type
                              :message (format nil "~@[~A: ~]~?" (called) control arguments)))

(defun complain-of-element (k value type)
  (complain-of-value value (lisp-type type) "element ~D is ~A: expected ~A~:[~;; wf:cast converts~]"
                     k (form-text value) (describe-range type) (realp value)))

(defun type-of-values (values)
  "The element type for a list or vector of numbers or booleans. Integers are :i64; mixed numbers have the latest type."
  (let ((type nil) (k -1))
    (cl:map nil (lambda (value)
                  (incf k)
                  (let ((its (typecase value
                               (boolean :bool)
                               ((signed-byte 64) :i64)
                               ((unsigned-byte 64) :u64)
                               ((or single-float ratio) :f32)
                               (double-float :f64)
                               (t (complain-of-value value '(or real boolean)
                                                     "element ~D is ~A: expected a real number of at most 64 bits, T or NIL"
                                                     k (form-text value))))))
                    (when (and type (not (eq (eq type :bool) (eq its :bool))))
                      (complain-of-value value (if (eq type :bool) 'boolean 'real)
                                         "element ~D is ~A: expected ~:[a number~;T or NIL~], as before it"
                                         k (form-text value) (eq type :bool)))
                    (setf type (if type (promoted type its) its))))
            values)
    (or type :i64)))

(defun host-type (type)
  "The Lisp element type of a vector with the same bytes as a column of TYPE."
  (if (eq type :bool) '(unsigned-byte 8) (lisp-type type)))

(defun host-vector (values type)
  "A new simple vector of the numbers in a list or vector, with the same bytes as a column. ELEMENT-VALUE-ERROR for a value that is not
of the type; a float type accepts every real number, rounded."
  (macrolet ((filled (host-type accepted element)
               `(let ((host (make-array (cl:length values) :element-type ',host-type))
                      (k 0))
                  (declare (type fixnum k))
                  (cl:map nil (lambda (value)
                                (unless (typep value ',accepted) (complain-of-element k value type))
                                (setf (cl:aref host k) ,element)
                                (incf k))
                          values)
                  host)))
    (ecase type
      (:bool (filled (unsigned-byte 8) boolean (if value 1 0)))
      (:u8 (filled (unsigned-byte 8) (unsigned-byte 8) value))
      (:i32 (filled (signed-byte 32) (signed-byte 32) value))
      (:u32 (filled (unsigned-byte 32) (unsigned-byte 32) value))
      (:i64 (filled (signed-byte 64) (signed-byte 64) value))
      (:u64 (filled (unsigned-byte 64) (unsigned-byte 64) value))
      (:f32 (filled single-float real (float-of-type value :f32)))
      (:f64 (filled double-float real (float-of-type value :f64))))))

(defun first-misfit (host start end from to)
  "The index of the first element of a specialized vector, of type FROM, that is not of type TO; or NIL."
  (macrolet ((searched (&rest kinds)
               `(ecase from
                  ,@(loop for (type lisp-type low high) in kinds
                          collect `(,type
                                    (let ((low (max ,low least)) (high (min ,high most)))
                                      (declare (type ,lisp-type low high) (type (simple-array ,lisp-type (*)) host)
                                               (optimize speed))
                                      (position-if-not (lambda (value) (<= low value high)) host :start start :end end)))))))
    (if (and (integer-type-p from) (integer-type-p to))
        (destructuring-bind (kind bits) (lisp-type to)
          (let* ((signed (eq kind 'signed-byte))
                 (least (if signed (- (expt 2 (1- bits))) 0))
                 (most (1- (expt 2 (if signed (1- bits) bits)))))
            (searched (:u8 (unsigned-byte 8) 0 255)
                      (:i32 (signed-byte 32) #.(- (expt 2 31)) #.(1- (expt 2 31)))
                      (:u32 (unsigned-byte 32) 0 #.(1- (expt 2 32)))
                      (:i64 (signed-byte 64) #.(- (expt 2 63)) #.(1- (expt 2 63)))
                      (:u64 (unsigned-byte 64) 0 #.(1- (expt 2 64))))))
        (and (< start end) start))))

(defun check-elements (host start end from to)
  "ELEMENT-VALUE-ERROR for an element of type FROM that is not one of type TO."
  (unless (widens-p from to)
    (let ((k (first-misfit host start end from to)))
      (when k (complain-of-element (- k start) (cl:aref host k) to)))))

;;; ---- in

(defun import-host (host from type start count context)
  "A sequence of COUNT elements of a simple specialized vector, starting at START, converted from type FROM."
  (note-bytes (* count (type-size type)))
  (with-pointers ((its (or context (current-context))))
    (cffi:with-pointer-to-vector-data (data host)
      (cffi:incf-pointer data (* start (type-size from)))
      (let ((from (type-code from)) (to (type-code type)))
        (new-seq ((list type)) (out)
          (if (= from to)
              (wf.raw:wf-from-host its to data count out)
              (wf.raw:wf-from-host-strided its to data from count 1 out)))))))

(defun from-array (array &key type context)
  "An array of the same dimensions as an array of Lisp, whose elements are copied. A specialized array, such as one of single-float, is
copied in one piece and determines the element type. In any other array integers are :i64, floats have their own type, T and NIL are :bool.
TYPE widens: integers to longer ones and to floats, floats to rounded ones. ELEMENT-VALUE-ERROR, a TYPE-ERROR, for an element that is
not of the type; wf:cast converts such elements. A string gives the codes of its characters, as :i32. wf:to-array is the inverse. Work n."
  (calling (from-array)
    (unless (arrayp array)
      (complain-of-argument array 'array "~A: ~A is not an array: expected one, or wf:from-list" (called) (form-text array)))
    (let* ((array (if (stringp array) (cl:map '(vector (signed-byte 32)) #'char-code array) array))
           (elements (if (vectorp array)
                         array
                         (make-array (array-total-size array) :element-type (array-element-type array) :displaced-to array)))
           (n (cl:length elements))
           (own (vector-type array))
           (type (if type (element-type-of type) (or own (type-of-values elements))))
           (sequence (if (and own (equal (array-element-type array) (host-type own)))
                         (sb-kernel:with-array-data ((host elements) (start 0) (end n))
                           (check-elements host start end own type)
                           (import-host host own type start n context))
                         (import-host (host-vector elements type) type type 0 n context))))
      (if (vectorp array) sequence (reshape sequence (array-dimensions array))))))

(defun from-vector (vector &key type context)
  "A sequence of the elements of a vector, copied; see FROM-ARRAY."
  (calling (from-vector)
    (from-array vector :type type :context context)))

(defun from-list (list &key type context)
  "A sequence of the elements of a list; see FROM-ARRAY. A list of lists of equal length becomes a sequence of tuples; FROM-ARRAY makes a matrix."
  (unless (listp list)
    (complain-of-argument list 'list "wf:from-list: ~A is not a list: expected one, or wf:from-array" (form-text list)))
  (calling (from-list)
    (if (consp (first list))
        (from-rows list type context)
        (from-array (coerce list 'vector) :type type :context context))))

(defun from-rows (rows type context)
  "A sequence of tuples."
  (let* ((width (cl:length (first rows)))
         (odd (position-if-not (lambda (row) (and (listp row) (= (cl:length row) width))) rows)))
    (when odd
      (complain-of-value (cl:nth odd rows) 'list "element ~D is ~A: expected a list of length ~D, as before it, for a tuple; wf:segments makes ~
                                                  sequences of different lengths"
                         odd (form-text (cl:nth odd rows)) width))
    (when (consp (first (first rows)))
      (complain-of-value (first rows) 'list "element 0 is ~A: expected a tuple of numbers; wf:from-array makes a matrix of an array, as by ~
                                             (make-array dimensions :initial-contents list)" (form-text (first rows))))
    (apply #'zip (loop for k below width
                       collect (from-list (mapcar (lambda (row) (cl:nth k row)) rows) :type type :context context)))))

(defun from-pointer (pointer n type &key strides (copy t) (deleter (cffi:null-pointer)) (user pointer) context)
  "A sequence of the N elements of a type at a foreign pointer. For a list of dimensions instead of N, an array: its element (i, j, ...) is at
i * STRIDES[0] + j * STRIDES[1] + ..., counted in elements, by default in row-major order. STRIDES '(1 3) are for a matrix of 3 rows in
Fortran's order. The elements are copied, or read in place if COPY is false. In place, they must not change until the last use of the sequence ends. DELETER, the address of a C function, is then called on USER, by default POINTER. For
memory of cffi:foreign-alloc: (wf:from-pointer p n :f32 :copy nil :deleter (cffi:foreign-symbol-pointer \"free\"))."
  (calling (from-pointer)
    (let* ((type (element-type-of type)) (code (type-code type))
           (dimensions (dimension-list n)) (rank (cl:length dimensions))
           (strides (or (dimension-list strides) (row-major-strides dimensions))))
      (unless (= rank (cl:length strides))
        (error 'size-error :message (format nil "wf:from-pointer: the strides are ~A: expected ~D, one per dimension" strides rank)))
      (when copy (note-bytes (* (max 0 (cl:reduce #'* dimensions)) (type-size type))))
      (new-seq ((list type) rank) (out (its (or context (current-context))) (layout (cl:append dimensions strides) 64))
        (if copy
            (wf.raw:wf-from-host-array its code pointer code layout (cffi:inc-pointer layout (* 8 rank)) rank out)
            (wf.raw:wf-adopt-array its code pointer layout rank deleter user out))))))

(defun from-dlpack (tensor &key context versioned (stream 0))
  "An array of the elements of a DLManagedTensor at a foreign pointer, of any rank and strides, on the host or on the context's GPU, with its shape. It takes
ownership of the tensor and copies nothing. VERSIONED tells a DLManagedTensorVersioned of DLPack 1. STREAM is the CUDA stream after whose present work a
tensor on a GPU is complete, or -1."
  (new-column (out (its (or context (current-context)))) (wf.raw:wf-from-dlpack-stream its tensor (if versioned 1 0) stream out)))

(defun own-column (pointer)
  "The sequence for a pointer to a sequence of one column, whose type and rank the library knows."
  (cffi:with-foreign-objects ((type :int32) (rank :int32))
    (checked (wf.raw:wf-column-type pointer 0 type))
    (checked (wf.raw:wf-rank pointer rank))
    (own-seq pointer (list (type-of-code (cffi:mem-ref type :int32))) (cffi:mem-ref rank :int32))))

(defun native-path (path)
  "The name of a file, from a string or a pathname, as the system's functions take it."
  (typecase path
    (pathname (sb-ext:native-namestring (merge-pathnames path)))
    (string (sb-ext:native-namestring (merge-pathnames (sb-ext:parse-native-namestring path))))
    (t (complain-of-argument path '(or string pathname) "~A: ~A is not a file's name: expected a string or a pathname" (called)
                             (form-text path)))))

(defun from-file (path &key (type :u8) context)
  "The bytes of a file as elements of a type; the file is memory-mapped and read on demand. IO-ERROR with the system's reason and the
restart USE-VALUE for another sequence; SIZE-ERROR if the file size is not a multiple of the type's size."
  (let ((type (element-type-of type))
        (context (or context (current-context)))
        (path (calling (from-file) (native-path path))))
    (block read
      (with-pointers ((its context) (its-path path :text))
        (cffi:with-foreign-object (out :pointer)
          (checked (wf.raw:wf-from-file its (type-code type) its-path out) :value-from read)
          (let ((sequence (own-seq (cffi:mem-ref out :pointer) (list type))))
            (setf (cell-origin (seq-cell sequence)) (lambda (cell) (declare (ignore cell)) (file-pointer path type context)))
            sequence))))))

(defun file-pointer (path type context)
  "A new pointer to the sequence of a file's elements."
  (calling (from-file)
    (with-pointers ((its context) (its-path path :text))
      (foreign-pointer (out) (wf.raw:wf-from-file its (type-code type) its-path out)))))

(defun scalar (number &key type context)
  "A number, T or NIL as a delayed scalar. TYPE is its element type: ELEMENT-VALUE-ERROR if the number is not of that type."
  (calling (scalar)
    (let ((type (if type (element-type-of type) (type-of-values (list number)))))
      (import-scalar (host-vector (list number) type) type context))))

(defun import-scalar (host type context)
  "The first element of a simple specialized vector as a delayed scalar."
  (with-pointers ((its (or context (current-context))))
    (cffi:with-pointer-to-vector-data (data host)
      (new-seq ((list type) 0) (out) (wf.raw:wf-scalar its (type-code type) data out)))))
