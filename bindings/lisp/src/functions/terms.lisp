;;;; Terms: the results of elaboration, text in the written form with its types.

(in-package #:warpfold)

(defstruct (term (:copier nil))
  "One or more values. TEXT is a tree of strings, printed in order. A literal (LITERAL-P) has a VALUE and no fixed type yet; TYPES is its
default type."
  text
  (types '() :type list)
  (literal-p nil)
  value)

(defun term-type (term) (first (term-types term)))
(defun single-p (term) (null (rest (term-types term))))

(defun typed (types &rest text) (make-term :text text :types types))

;;; ---- literals

(defun default-type (value)
  "The default type of a Lisp number, if its context does not determine the type."
  (etypecase value
    ((member t nil) :bool)
    ((signed-byte 32) :i32)
    ((signed-byte 64) :i64)
    ((unsigned-byte 64) :u64)
    (double-float :f64)
    ((or single-float ratio) :f32)))

(defun literal (value form)
  (typecase value
    ((and integer (not (signed-byte 64)) (not (unsigned-byte 64)))
     (reject form "~D does not fit into 64 bits" value)))
  (make-term :types (list (default-type value)) :literal-p t :value value))

(defun fits-p (value type)
  "Returns true if a literal converts to the type without changing its value. A float type accepts every real number, rounded."
  (etypecase value
    ((member t nil) (eq type :bool))
    (integer (or (float-type-p type) (and (integer-type-p type) (typep value (lisp-type type)))))
    (ratio (float-type-p type))
    (single-float (float-type-p type))
    (double-float (eq type :f64))))

(defun float-text (value)
  "The exact value of a float: hexadecimal, inf or nan."
  (cond ((sb-ext:float-infinity-p value) (if (plusp (float-sign value)) "inf" "-inf"))
        ((sb-ext:float-nan-p value) "nan")
        (t (multiple-value-bind (mantissa exponent sign) (integer-decode-float value)
             (format nil "~:[~;-~]0x~(~X~)p~D" (minusp sign) mantissa exponent)))))

(defun float-of-type (value type)
  "A real number as a float of the type, without a trap if it is out of range."
  (let ((target (lisp-type type)))
    (cond ((typep value target) value)
          ((and (floatp value) (or (sb-ext:float-infinity-p value) (sb-ext:float-nan-p value)))
           (special-float value type))
          (t (handler-case (sb-int:with-float-traps-masked (:inexact :underflow) (coerce value target))
               (floating-point-overflow () (special-float (if (plusp value) sb-ext:double-float-positive-infinity
                                                              sb-ext:double-float-negative-infinity)
                                                          type)))))))

(defun special-float (value type)
  "An infinity or NaN converted to the type."
  (if (eq type :f64)
      (cond ((sb-ext:float-nan-p value) (sb-kernel:make-double-float #x7ff80000 0))
            ((plusp (float-sign value)) sb-ext:double-float-positive-infinity)
            (t sb-ext:double-float-negative-infinity))
      (cond ((sb-ext:float-nan-p value) (sb-kernel:make-single-float #x7fc00000))
            ((plusp (float-sign value)) sb-ext:single-float-positive-infinity)
            (t sb-ext:single-float-negative-infinity))))

(defun literal-text (value type)
  "A Lisp number in the written form; it must fit the element type."
  (cond ((eq type :bool) (if value "true" "false"))
        ((integer-type-p type) (format nil "~D:~A" value (type-text type)))
        (t (concatenate 'string (float-text (float-of-type value type)) ":" (type-text type)))))

;;; ---- conversions

(defun settled (term)
  "The term with a fixed type."
  (if (term-literal-p term) (of-type term (term-type term)) term))

(defun of-type (term type)
  "A single value converted to the type."
  (cond ((and (term-literal-p term) (fits-p (term-value term) type))
         (typed (list type) (literal-text (term-value term) type)))
        ((term-literal-p term) (of-type (settled term) type))
        ((eq (term-type term) type) term)
        (t (typed (list type) "(cast " (type-text type) " " (term-text term) ")"))))

(defun common-type (terms adapting)
  "The type to which single values are promoted. A literal that fits has the type of the other operands if that is a float type, or if
ADAPTING is true. ADAPTING states that no result is out of the range of an integer type."
  (let* ((fixed (remove-if #'term-literal-p terms))
         (type (and fixed (cl:reduce #'promoted (mapcar #'term-type fixed)))))
    (cl:reduce #'promoted
               (loop for term in terms
                     when (term-literal-p term)
                       collect (if (and type (fits-p (term-value term) type)
                                        (or adapting (float-type-p type)))
                                   type
                                   (term-type term)))
               :initial-value (or type :bool))))

;;; ---- printing

(defun write-text (tree stream)
  (if (listp tree)
      (dolist (part tree) (write-text part stream))
      (write-string tree stream)))

(defun parenthesised (head &rest trees)
  "(head tree ...)"
  (list "(" head (loop for tree in trees collect " " collect tree) ")"))
