;;;; The library's table of scalar operations, and their names in Lisp.

(in-package #:warpfold)

(defstruct (operation (:copier nil))
  "An operation of the table: its NAME in the written form, its ARITY, the KLASS of its operand types (:truth :int :float :num :bits
:any), and its RESULT: a bool (:truth) or the type of the operands (:same)."
  name arity klass result)

(defun parse-signature (line)
  "Parses \"add 2 Num Same\" to an OPERATION."
  (destructuring-bind (name arity klass result)
      (loop for start = 0 then (1+ end)
            for end = (position #\Space line :start start)
            collect (cl:subseq line start end)
            while end)
    (flet ((keyword (text) (intern (string-upcase text) '#:keyword)))
      (make-operation :name name :arity (parse-integer arity) :klass (keyword klass) :result (keyword result)))))

(defun library-operations ()
  "A table of the operations by their names, which the library lists. LOGAND, LOGIOR, LOGXOR and LOGNOT accept only integers; the library's operations
also accept booleans, for AND, OR and NOT."
  (let ((table (make-hash-table :test #'equal)))
    (loop for k from 0
          for line = (wf.raw:wf-op-signature k)
          until (cffi:null-pointer-p line)
          do (let ((operation (parse-signature (cffi:foreign-string-to-lisp line))))
               (setf (gethash (operation-name operation) table) operation)))
    (loop for (key name) in '(("logand" "and") ("logior" "or") ("logxor" "xor") ("lognot" "not"))
          for operation = (copy-structure (gethash name table))
          do (setf (operation-klass operation) :int
                   (gethash key table) operation))
    table))

(sb-ext:defglobal **operations** nil "The operations of the library, once one was needed.")

(defun find-operation (key)
  (or (gethash key (or **operations** (setf **operations** (library-operations)))) (error "the library has no operation ~A" key)))

;;; The Lisp operators that are operations of the table. The style of an operator defines its arguments:
;;;   :exact   NONE arguments, as many as the operation has operands, of which the compiler knows without the library
;;;   :fold    one or more, folded from the left; a call without arguments returns NONE
;;;   :chain   a comparison of all adjacent arguments
(sb-ext:define-load-time-global **operators** (make-hash-table :test #'eq))

(defstruct (operator (:copier nil)) key style none)

(defmacro define-operators (style &rest clauses)
  "Each clause is (SYMBOL KEY [NONE]), or a symbol whose name is the key in the table. The default of NONE is one argument if STYLE is :exact."
  `(progn
     ,@(loop for clause in clauses
             collect (destructuring-bind (symbol &optional (key (string-downcase symbol)) (none (and (eq style :exact) 1)))
                         (if (consp clause) clause (list clause))
                       `(setf (gethash ',symbol **operators**)
                              (make-operator :key ,key :style ,style :none ',none))))))

(define-operators :exact
  ;; Functions of Common Lisp, with the same meaning.
  abs sqrt exp sin cos tan asin acos sinh cosh tanh asinh acosh atanh (rem "rem" 2) (signum "sign") lognot (eq "eq" 2) (eql "eq" 2)
  (ffloor "floor") (fceiling "ceil") (ftruncate "trunc")
  ;; Operators for the prelude.
  (%div "div" 2) (%atan "atan") (%log "log"))

(define-operators :fold
  (+ "add" 0) (* "mul" 1) min max (logand "logand" -1) (logior "logior" 0) (logxor "logxor" 0))

(define-operators :chain
  (= "eq") (< "lt") (<= "le") (> "gt") (>= "ge"))

(defmacro define-elementary (&rest clauses)
  "Operations without a name in Common Lisp: (NAME LAMBDA-LIST DOCUMENTATION [KEY]). They are valid only inside wf:fn."
  `(progn
     ,@(loop for (name lambda-list documentation . key) in clauses
             collect `(define-operators :exact (,name ,@(or key (list (library-word name))) ,(cl:length lambda-list)))
             collect `(defmacro ,name (&whole form ,@lambda-list)
                        ,(format nil "~A In wf:fn." documentation)
                        (declare (ignore ,@lambda-list))
                        (reject form "it is an operation of elements, for use inside wf:fn")))))

(define-elementary
  (fma (a b c) "a * b + c, rounded once.") (rsqrt (x) "1 / sqrt(x).")
  (cbrt (x) "The cube root, also of negative numbers.") (exp2 (x) "2 to the power of x.")
  (expm1 (x) "exp(x) - 1, accurate for small x.") (log2 (x) "The logarithm to base 2.")
  (log10 (x) "The logarithm to base 10.") (log1p (x) "log(1 + x), accurate for small x.")
  (pow (x y) "x to the power of y, both floats.") (hypot (x y) "sqrt(x * x + y * y) without intermediate overflow.")
  (atan2 (y x) "The angle of the point (x, y), like (atan y x).") (erf (x) "The error function.")
  (erfc (x) "1 - erf(x), accurate for large x.") (copysign (x y) "x with the sign of y.")
  (isnan (x) "Returns true if x is NaN.") (isinf (x) "Returns true if x is infinite.")
  (isfinite (x) "Returns true if x is neither infinite nor NaN.")
  (shl (x count) "x shifted left; the count is modulo the width of x. ASH accepts any count.")
  (shr (x count) "x shifted right, copying the sign; the count is modulo the width of x. ASH accepts any count.")
  (popcount (x) "The number of 1 bits of x.") (clz (x) "The number of leading 0 bits of x in its own type.")
  (philox32 (key number stream) "The random word of 32 bits with this number in one of the streams of a key, modulo the width of the type; streams
from 2^61 on are reserved. wf.random has distributions.")
  (philox64 (key number stream) "The random word of 64 bits; see PHILOX32.") (pos (x) "x.")
  (rectify (x) "The greater of x and 0.") (exp10 (x) "10 to the power of x.") (sinpi (x) "sin(pi x).")
  (cospi (x) "cos(pi x).") (sigmoid (x) "1 / (1 + exp(-x)).") (softplus (x) "log(1 + exp(x)).")
  (log1mexp (x) "log(1 - exp(-x)) for x >= 0.") (logit (x) "log(x / (1 - x)).") (erfinv (x) "The inverse of erf.")
  (erfcinv (x) "The inverse of erfc.") (ndtr (x) "The distribution function of the standard normal distribution.")
  (ndtri (x) "The inverse of ndtr.") (lgamma (x) "log |gamma(x)|.") (tgamma (x) "The gamma function.")
  (digamma (x) "The derivative of lgamma.") (trigamma (x) "The derivative of digamma.")
  (lfact (x) "log |gamma(1 + x)|, the logarithm of x factorial.")
  (bessel-j0 (x) "The Bessel function of the first kind of order 0.")
  (bessel-j1 (x) "The Bessel function of the first kind of order 1.")
  (bessel-y0 (x) "The Bessel function of the second kind of order 0.")
  (bessel-y1 (x) "The Bessel function of the second kind of order 1.")
  (bessel-i0 (x) "The modified Bessel function of the first kind of order 0.")
  (bessel-i1 (x) "The modified Bessel function of the first kind of order 1.")
  (logaddexp (x y) "log(exp(x) + exp(y)).") (lchoose (n k) "The logarithm of the binomial coefficient.")
  (lbeta (a b) "The logarithm of the beta function.")
  (mvlgamma (x p) "The logarithm of the multivariate gamma function of dimension p.")
  (mvdigamma (x p) "The derivative of mvlgamma with respect to x.")
  (gamma-p (a x) "The regularized lower incomplete gamma function P(a, x).")
  (gamma-q (a x) "The regularized upper incomplete gamma function, 1 - P(a, x).")
  (ibeta (a b x) "The regularized incomplete beta function.")
  (polygamma (n x) "The derivative of order n of digamma, for whole numbers n.")
  (mvpolygamma (n x p) "The derivative of order n of mvdigamma.")
  (gamma-p-da (a x) "The derivative of gamma-p with respect to a.")
  (ibeta-da (a b x) "The derivative of ibeta with respect to a.") (ibeta-db (a b x) "The derivative of ibeta with respect to b.")
  (round-away (x) "x rounded to the nearest integer, halves away from 0; FROUND rounds halves to even." "round"))
