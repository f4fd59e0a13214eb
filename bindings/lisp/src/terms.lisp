;;;; Terms: what elaboration makes of nodes, text in the written form with its types.

(in-package #:warpfold)

(defstruct (term (:copier nil))
  "One or more values. TEXT is a tree of strings, printed in order. A literal has no fixed type yet: LITERAL-P, with its VALUE, and
TYPES says what it is where nothing else decides."
  text
  (types '() :type list)
  (literal-p nil)
  value)

(defun term-type (term) (first (term-types term)))
(defun single-p (term) (null (rest (term-types term))))

(defun typed (types &rest text) (make-term :text text :types types))

;;; ---- literals

(defun default-type (value)
  "The type of a number of Lisp where nothing around it decides."
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
  "Can a literal become that type without being another number? Floats take every real number, rounded."
  (etypecase value
    ((member t nil) (eq type :bool))
    (integer (or (float-type-p type) (and (integer-type-p type) (typep value (lisp-type type)))))
    (ratio (float-type-p type))
    (single-float (float-type-p type))
    (double-float (eq type :f64))))

(defun float-text (value)
  "The exact value: hexadecimal, or inf and nan."
  (cond ((sb-ext:float-infinity-p value) (if (plusp (float-sign value)) "inf" "-inf"))
        ((sb-ext:float-nan-p value) "nan")
        (t (multiple-value-bind (mantissa exponent sign) (integer-decode-float value)
             (format nil "~:[~;-~]0x~(~X~)p~D" (minusp sign) mantissa exponent)))))

(defun float-of-type (value type)
  "A real number as a float, with no trap for numbers that the type cannot hold."
  (let ((target (lisp-type type)))
    (cond ((typep value target) value)
          ((and (floatp value) (or (sb-ext:float-infinity-p value) (sb-ext:float-nan-p value)))
           (special-float value type))
          (t (handler-case (sb-int:with-float-traps-masked (:inexact :underflow) (coerce value target))
               (floating-point-overflow () (special-float (if (plusp value) sb-ext:double-float-positive-infinity
                                                              sb-ext:double-float-negative-infinity)
                                                          type)))))))

(defun special-float (value type)
  "An infinity or NaN as one of that type."
  (if (eq type :f64)
      (cond ((sb-ext:float-nan-p value) (sb-kernel:make-double-float #x7ff80000 0))
            ((plusp (float-sign value)) sb-ext:double-float-positive-infinity)
            (t sb-ext:double-float-negative-infinity))
      (cond ((sb-ext:float-nan-p value) (sb-kernel:make-single-float #x7fc00000))
            ((plusp (float-sign value)) sb-ext:single-float-positive-infinity)
            (t sb-ext:single-float-negative-infinity))))

(defun literal-text (value type)
  "A number of Lisp in the written form, of an element type that it fits."
  (cond ((eq type :bool) (if value "true" "false"))
        ((integer-type-p type) (format nil "~D:~A" value (type-text type)))
        (t (concatenate 'string (float-text (float-of-type value type)) ":" (type-text type)))))

;;; ---- conversions

(defun settled (term)
  "A term whose type is fixed."
  (if (term-literal-p term) (of-type term (term-type term)) term))

(defun of-type (term type)
  "A single value as one of that type."
  (cond ((and (term-literal-p term) (fits-p (term-value term) type))
         (typed (list type) (literal-text (term-value term) type)))
        ((term-literal-p term) (of-type (settled term) type))
        ((eq (term-type term) type) term)
        (t (typed (list type) "(cast " (type-text type) " " (term-text term) ")"))))

(defun common-type (terms adapting)
  "The type to which single values are promoted. A literal that fits takes the others' type: always if that is a float, and an
integer's if ADAPTING, which says that no result can lie outside it."
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
