;;;; Element types: :bool :u8 :i32 :u32 :i64 :u64 :f32 :f64, in the order of promotion, and their Lisp types.

(in-package #:warpfold)

(deftype element-type ()
  "The types of elements: bool, unsigned and signed integers of 8 to 64 bits, single-float and double-float."
  '(member :bool :u8 :i32 :u32 :i64 :u64 :f32 :f64))

(defstruct (type-facts (:conc-name facts-))
  "The properties of an element type: NAME as a keyword and as TEXT in the written form, the CODE of the C API, the KLASS in the
signatures of operations, the SIZE in bytes, and LISP, the Lisp type of its values."
  name text code klass size lisp)

(sb-ext:define-load-time-global **types**
    (coerce (loop for (name klass size lisp) in '((:bool :truth 1 (member t nil))
                                                  (:u8 :int 1 (unsigned-byte 8))
                                                  (:i32 :int 4 (signed-byte 32))
                                                  (:u32 :int 4 (unsigned-byte 32))
                                                  (:i64 :int 8 (signed-byte 64))
                                                  (:u64 :int 8 (unsigned-byte 64))
                                                  (:f32 :float 4 single-float)
                                                  (:f64 :float 8 double-float))
                  for code from 0
                  collect (make-type-facts :name name :text (string-downcase name) :code code :klass klass :size size
                                           :lisp lisp))
            'simple-vector))

(defun type-code (type)
  "The code of an element type in the C API, which is also its rank in the order of promotion."
  (declare (optimize speed))
  (ecase type (:bool 0) (:u8 1) (:i32 2) (:u32 3) (:i64 4) (:u64 5) (:f32 6) (:f64 7)))

(defun type-facts (type) (svref **types** (type-code type)))
(defun type-of-code (code) (facts-name (svref **types** code)))
(defun type-text (type) (facts-text (type-facts type)))
(defun type-klass (type) (facts-klass (type-facts type)))
(defun type-size (type) (facts-size (type-facts type)))
(defun lisp-type (type) (facts-lisp (type-facts type)))

(defun float-type-p (type) (eq (type-klass type) :float))
(defun integer-type-p (type) (eq (type-klass type) :int))

(defun promoted (a b)
  "The common type of two types: the later one in the order of promotion."
  (if (< (type-code a) (type-code b)) b a))

(defun element-type-of (specifier &optional (form nil form-p))
  "The element type for a specifier: one of the keywords, or a Lisp type, for which it is the smallest element type that contains
all its values. If there is none, signals a FORM-ERROR about FORM, or an ELEMENT-TYPE-ERROR."
  (flet ((holds (type) (subtypep specifier (lisp-type type)))
         (complain ()
           (let ((control "~A is not an element type: expected :bool, :u8, :i32, :u32, :i64, :u64, :f32, :f64 or a type that one of ~
                           them holds"))
             (if form-p
                 (reject form control specifier)
                 (error 'element-type-error :message (format nil "~@[~A: ~]~?" (called) control (list (form-text specifier))))))))
    (cond ((typep specifier 'element-type) specifier)
          ((or (keywordp specifier) (null specifier) (not (ignore-errors (or (subtypep specifier t) t)))) (complain))
          ((member specifier '(float short-float)) :f32)
          ((eq specifier 'long-float) :f64)
          ((eq specifier 'integer) :i64)
          ((cl:find-if #'holds '(:bool :u8 :i32 :u32 :i64 :u64 :f32 :f64)))
          (t (complain)))))

(defun widens-p (from to)
  "Returns true if every value of type FROM is a value of type TO, exactly or rounded to a float."
  (or (eq from to)
      (float-type-p to)
      (and (integer-type-p to)
           (or (eq from :bool) (and (integer-type-p from) (subtypep (lisp-type from) (lisp-type to)) t)))))

(defun describe-range (type)
  "The range of an element type, for messages."
  (case (type-klass type)
    (:truth "T or NIL")
    (:int (destructuring-bind (kind bits) (lisp-type type)
            (if (eq kind 'unsigned-byte)
                (format nil "an integer from 0 to ~D (~A)" (1- (expt 2 bits)) (type-text type))
                (format nil "an integer from ~D to ~D (~A)" (- (expt 2 (1- bits))) (1- (expt 2 (1- bits))) (type-text type)))))
    (t (format nil "a real number (~A)" (type-text type)))))

(defun describe-types (types)
  "\"f32\", or \"(i32 f64)\" for several."
  (format nil "~:[(~{~A~^ ~})~;~{~A~}~]" (= (cl:length types) 1) (mapcar #'type-text types)))
