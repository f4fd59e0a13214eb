;;;; Elements in and out: every type, every kind of vector, conversions, files, foreign memory.

(in-package #:warpfold-test)
(in-suite warpfold)

(defparameter *lisp-types*
  '((:u8 (unsigned-byte 8) 0 255) (:i32 (signed-byte 32) -2147483648 2147483647) (:u32 (unsigned-byte 32) 0 4294967295)
    (:i64 (signed-byte 64) -9223372036854775808 9223372036854775807) (:u64 (unsigned-byte 64) 0 18446744073709551615)
    (:f32 single-float -1.5 3.4028235e38) (:f64 double-float 1.0d-300 1.7976931348623157d308)))

(test every-type-comes-back-as-it-went
  (loop for (type lisp-type . values) in *lisp-types*
        for vector = (coerce values `(simple-array ,lisp-type (*)))
        for s = (wf:from-vector vector)
        do (is (equal (list type) (wf:element-types s)))
           (is (equalp vector (wf:to-vector s)))
           (is (equal (type-of vector) (type-of (wf:to-vector s))))
           (is (equal values (wf:to-list s)))
           (is (equal values (list (wf:elt s 0) (wf:elt s 1)))))
  (let ((s (wf:from-list '(t nil t))))
    (is (equal '(:bool) (wf:element-types s)))
    (is (equalp #(t nil t) (wf:to-vector s)))
    (is (eq nil (wf:elt s 1)))))

(test kinds-of-vectors
  (let ((plain (coerce '(1.0 2.0 3.0 4.0) '(simple-array single-float (*)))))
    (is (equal '(2.0 3.0) (wf:to-list (wf:from-vector (make-array 2 :element-type 'single-float
                                                                    :displaced-to plain :displaced-index-offset 1)))))
    (is (equal '(1.0 2.0) (wf:to-list (wf:from-vector (make-array 4 :element-type 'single-float :fill-pointer 2
                                                                    :initial-contents '(1.0 2.0 3.0 4.0)))))))
  (is (equal '(1 2) (wf:to-list (wf:from-vector #(1 2)))))
  (is (equal '(:i64) (wf:element-types (wf:from-vector #(1 2)))))
  (is (equal '(:u64) (wf:element-types (wf:from-list (list 1 (expt 2 63))))))
  (is (equal '(:f32) (wf:element-types (wf:from-list '(1 2.5)))))
  (is (equal '(:f64) (wf:element-types (wf:from-list '(1 2.5 1d0)))))
  (is (equal '(0.5) (wf:to-list (wf:from-list '(1/2)))))
  (is (equal '(1 2) (wf:to-list (wf:from-vector (coerce '(1 2) '(vector (signed-byte 16)))))))
  (is (equal '() (wf:to-list (wf:from-list '()))))
  (is (equal '() (wf:to-list (wf:from-list '() :type :f64))))
  (signals wf:element-type-error (wf:from-list '(1 nil)))
  (signals wf:element-type-error (wf:from-list '(a)))
  (signals wf:element-type-error (wf:from-list '(#c(1 2)))))

(test conversions-on-the-way
  (is (equal '(1.0 2.0) (wf:to-list (wf:from-list '(1 2) :type 'single-float))))
  (is (equal '(1 2) (wf:to-list (wf:from-list '(1 2) :type :u8))))
  (is (equal '(1 -2) (wf:to-list (wf:from-vector (coerce '(1.7 -2.7) '(vector single-float)) :type :i32))))
  (is (equal '(1d0 2.5d0) (coerce (wf:to-vector (wf:from-list '(1.0 2.5)) :type 'double-float) 'list)))
  (is (equal '(2 3) (coerce (wf:to-vector (wf:from-list '(1 2 3 4)) :start 1 :end 3) 'list)))
  (signals wf:range-error (wf:to-vector (wf:from-list '(1 2)) :start 1 :end 5)))

(test copy-to-a-vector
  (let ((vector (make-array 3 :element-type 'double-float)) (s (wf:from-list '(1.0 2.0 3.0))))
    (is (eq vector (wf:copy-to vector s)))
    (is (equalp #(1d0 2d0 3d0) vector))
    (signals wf:size-error (wf:copy-to (make-array 2 :element-type 'single-float) s))
    (signals wf:element-type-error (wf:copy-to (vector 1 2 3) s))))

(test two-million-floats
  (let ((vector (vector-of 'single-float 2000000 (lambda (i) (* 0.5 i)))))
    (is (equalp vector (wf:to-vector (wf:from-vector vector))))
    (is (equalp (map '(simple-array single-float (*)) #'1+ vector)
                (wf:to-vector (wf:map #'1+ (wf:from-vector vector)))))))

(test files
  (uiop:with-temporary-file (:pathname path :stream out :element-type '(unsigned-byte 8))
    (write-sequence #(1 0 0 0 2 0 0 0) out)
    (finish-output out)
    (is (equal '(1 0 0 0 2 0 0 0) (wf:to-list (wf:from-file path))))
    (is (equal '(1 2) (wf:to-list (wf:from-file (namestring path) :type :i32))))
    (write-sequence #(0) out)
    (finish-output out)
    (signals wf:size-error (wf:from-file path :type :i32)))
  (signals wf:io-error (wf:from-file "/no/such/file")))

(test foreign-memory
  (cffi:with-foreign-object (data :int32 3)
    (dotimes (k 3) (setf (cffi:mem-aref data :int32 k) (* k k)))
    (is (equal '(0 1 4) (wf:to-list (wf:from-pointer data 3 :i32)))))
  (let* ((data (cffi:foreign-alloc :float :initial-contents '(1.0 2.0 3.0)))
         (s (wf:from-pointer data 3 :f32 :copy nil :deleter (cffi:foreign-symbol-pointer "free"))))
    (is (cffi:pointer-eq data (wf:with-data (its n s) (is (= n 3)) its)) "not copied")
    (is (equal '(2.0 3.0 4.0) (wf:to-list (wf:map #'1+ s))))
    (wf:release s))
  (let* ((s (wf:from-list '(1.5 2.5))) (again (wf:from-dlpack (wf:to-dlpack s))))
    (is (equal '(:f32) (wf:element-types again)))
    (is (equal '(1.5 2.5) (wf:to-list again))))
  (is (equal '(3 5.5) (wf:with-data (data n (wf:map (wf:fn (x) (+ x 0.5)) (wf:from-list '(3 4 5))))
                        (list n (cffi:mem-aref data :float 2)))))
  (is (= 2 (wf:with-data (data n (wf:zip (wf:from-list '(1)) (wf:from-list '(2))) 1)
             (declare (ignore n))
             (cffi:mem-ref data :int64)))))
