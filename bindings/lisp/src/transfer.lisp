;;;; Sequences, and elements in and out: vectors are copied in one piece, with no call for each element.

(in-package #:warpfold)

;;; ---- in

(defun vector-type (vector)
  "The element type that a vector of Lisp is imported as, if its own type says so."
  (let ((type (array-element-type vector)))
    (cond ((member type '(t nil bit character base-char) :test #'equal) nil)
          ((equal type '(unsigned-byte 62)) :i64)
          (t (ignore-errors (element-type-of type))))))

(defun type-of-values (values)
  "The element type for a list or vector of numbers, or of booleans: integers are :i64, all real numbers together the latest."
  (let ((type nil))
    (cl:map nil (lambda (value)
                  (let ((its (typecase value
                               (boolean :bool)
                               ((signed-byte 64) :i64)
                               ((unsigned-byte 64) :u64)
                               ((or single-float ratio) :f32)
                               (double-float :f64)
                               (t (error 'element-type-error
                                         :message (format nil "~S is no element; elements are real numbers, T and NIL" value))))))
                    (when (and type (not (eq (eq type :bool) (eq its :bool))))
                      (error 'element-type-error :message "booleans and numbers are mixed"))
                    (setf type (if type (promoted type its) its))))
            values)
    (or type :i64)))

(defun host-type (type)
  "The type of the elements of a vector whose bytes are those of a column."
  (if (eq type :bool) '(unsigned-byte 8) (lisp-type type)))

(defun host-vector (values type)
  "A new simple vector of the numbers in a list or vector, whose bytes are those of a column."
  (let ((host (make-array (cl:length values) :element-type (host-type type)))
        (k -1))
    (cl:map nil (lambda (value) (setf (aref host (incf k)) (host-value value type))) values)
    host))

(defun host-value (value type)
  (cond ((eq type :bool)
         (unless (typep value 'boolean)
           (error 'element-type-error :message (format nil "~S is neither T nor NIL" value)))
         (if value 1 0))
        ((and (realp value) (float-type-p type)) (float-of-type value type))
        ((typep value (lisp-type type)) value)
        (t (error 'element-type-error :message (format nil "~S is no ~A" value (type-text type))))))

(defun import-host (host from type start count context)
  "A sequence of COUNT elements of a simple specialized vector, from START on, converted from type FROM."
  (note-bytes (* count (type-size type)))
  (with-pointers ((its (or context (current-context))))
    (cffi:with-pointer-to-vector-data (data host)
      (cffi:incf-pointer data (* start (type-size from)))
      (let ((from (type-code from)) (to (type-code type)))
        (new-seq ((list type)) (out)
          (if (= from to)
              (raw:wf-from-host its to data count out)
              (raw:wf-from-host-strided its to data from count 1 out)))))))

(defun from-vector (vector &key type context)
  "A sequence of the elements of a vector, copied. A vector of a specialized type, such as (simple-array single-float (*)), is copied in one
piece and gives that type; of any other, integers give :i64, floats theirs, T and NIL :bool. TYPE converts: integers to floats, doubles to
singles, as wf:cast does. ELEMENT-TYPE-ERROR for elements that are no numbers. Work n."
  (declare (type vector vector))
  (let* ((own (vector-type vector))
         (type (if type (element-type-of type) (or own (type-of-values vector)))))
    (if (and own (equal (array-element-type vector) (host-type own)))
        (sb-kernel:with-array-data ((host vector) (start 0) (end (cl:length vector)))
          (import-host host own type start (- end start) context))
        (let ((own (if own type (if (compatible-p vector type) type (type-of-values vector)))))
          (import-host (host-vector vector own) own type 0 (cl:length vector) context)))))

(defun compatible-p (values type)
  "Can all the values be stored as elements of the type as they are, or rounded to a float?"
  (every (lambda (value) (if (float-type-p type) (realp value) (typep value (lisp-type type)))) values))

(defun from-list (list &key type context)
  "A sequence of the elements of a list, as FROM-VECTOR. Lists of equal length as elements give a sequence of tuples."
  (if (consp (first list))
      (apply #'zip (apply #'mapcar (lambda (&rest column) (from-list column :type type :context context)) list))
      (from-vector (coerce list 'vector) :type type :context context)))

(defun from-pointer (pointer n type &key (copy t) (deleter (cffi:null-pointer)) (user pointer) context)
  "A sequence of the N elements of a type at a foreign pointer. They are copied, or, if COPY is false, read where they are: then they must stay
as they are until the last use is gone, when DELETER, the address of a C function, is called on USER, which is POINTER if it is not given. For
memory of cffi:foreign-alloc: (wf:from-pointer p n :f32 :copy nil :deleter (cffi:foreign-symbol-pointer \"free\"))."
  (let* ((type (element-type-of type)) (code (type-code type)))
    (when copy (note-bytes (* n (type-size type))))
    (with-pointers ((its (or context (current-context))))
      (new-seq ((list type)) (out)
        (if copy
            (raw:wf-from-host its code pointer n out)
            (raw:wf-adopt its code pointer n deleter user out))))))

(defun from-dlpack (tensor &key context)
  "A sequence of the elements of a DLManagedTensor at a foreign pointer (DLPack 0.8, rank 0 or 1, dense, on the CPU), taken over without a
copy."
  (with-pointers ((its (or context (current-context))))
    (cffi:with-foreign-objects ((out :pointer) (type :int32) (rank :int32))
      (checked (raw:wf-from-dlpack its tensor out))
      (let ((s (cffi:mem-ref out :pointer)))
        (checked (raw:wf-column-type s 0 type))
        (checked (raw:wf-rank s rank))
        (own-seq s (list (type-of-code (cffi:mem-ref type :int32))) (cffi:mem-ref rank :int32))))))

(defun from-file (path &key (type :u8) context)
  "The bytes of a file as elements of a type, mapped and read as they are needed. IO-ERROR with the system's reason, with the restart
USE-VALUE for another sequence; SIZE-ERROR where the size is no multiple of the type's."
  (block read
    (let ((type (element-type-of type)))
      (with-pointers ((its (or context (current-context))))
        (with-text (its-path (if (pathnamep path) (sb-ext:native-namestring path) path))
          (cffi:with-foreign-object (out :pointer)
            (checked (raw:wf-from-file its (type-code type) its-path out) :value-from read)
            (own-seq (cffi:mem-ref out :pointer) (list type))))))))

(defun scalar (number &key type context)
  "A number, or T or NIL, as a sequence of rank 0, which may stand where delayed scalars do."
  (let* ((type (if type (element-type-of type) (type-of-values (list number))))
         (host (host-vector (list number) type)))
    (with-pointers ((its (or context (current-context))))
      (cffi:with-pointer-to-vector-data (data host)
        (new-seq ((list type) 0) (out) (raw:wf-scalar its (type-code type) data out))))))
