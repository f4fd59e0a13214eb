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

(sb-ext:define-load-time-global **operations**
    (let ((table (make-hash-table :test #'equal)))
      (loop for k from 0
            for line = (wf.raw:wf-op-signature k)
            until (cffi:null-pointer-p line)
            do (let ((operation (parse-signature (cffi:foreign-string-to-lisp line))))
                 (setf (gethash (operation-name operation) table) operation)))
      table))

(defun find-operation (key)
  (or (gethash key **operations**) (error "the library has no operation ~A" key)))

;;; LOGAND, LOGIOR, LOGXOR and LOGNOT accept only integers. The library's operations also accept booleans, for AND, OR and NOT.
(loop for (key name) in '(("logand" "and") ("logior" "or") ("logxor" "xor") ("lognot" "not"))
      for operation = (copy-structure (find-operation name))
      do (setf (operation-klass operation) :int
               (gethash key **operations**) operation))

;;; The Lisp operators that are operations of the table. The style of an operator defines its arguments:
;;;   :exact   as many as the operation has operands
;;;   :fold    one or more, folded from the left; a call without arguments returns NONE
;;;   :chain   a comparison of all adjacent arguments
(sb-ext:define-load-time-global **operators** (make-hash-table :test #'eq))

(defstruct (operator (:copier nil)) key style none)

(defmacro define-operators (style &rest clauses)
  "Each clause is (SYMBOL KEY [NONE]), or a symbol whose name is the key in the table."
  `(progn
     ,@(loop for clause in clauses
             collect (destructuring-bind (symbol &optional (key (string-downcase symbol)) none)
                         (if (consp clause) clause (list clause))
                       `(setf (gethash ',symbol **operators**)
                              (make-operator :key ,key :style ,style :none ',none))))))

(define-operators :exact
  ;; Functions of Common Lisp, with the same meaning.
  abs sqrt exp sin cos tan asin acos sinh cosh tanh asinh acosh atanh rem (signum "sign") lognot (eq "eq") (eql "eq")
  (ffloor "floor") (fceiling "ceil") (ftruncate "trunc")
  ;; Operators for the prelude.
  (%div "div") (%atan "atan") (%log "log"))

(define-operators :fold
  (+ "add" 0) (* "mul" 1) min max (logand "logand" -1) (logior "logior" 0) (logxor "logxor" 0))

(define-operators :chain
  (= "eq") (< "lt") (<= "le") (> "gt") (>= "ge"))

(defmacro define-elementary (&rest clauses)
  "Operations without a name in Common Lisp: (NAME LAMBDA-LIST DOCUMENTATION [KEY]). They are valid only inside wf:fn."
  `(progn
     ,@(loop for (name lambda-list documentation . key) in clauses
             collect `(define-operators :exact (,name ,@(or key (list (string-downcase name)))))
             collect `(defmacro ,name (&whole form ,@lambda-list)
                        ,documentation
                        (declare (ignore ,@lambda-list))
                        (reject form "it is an operation of elements, for use inside wf:fn")))))

(define-elementary
  (fma (a b c) "a * b + c, rounded once. In wf:fn.")
  (rsqrt (x) "1 / sqrt(x). In wf:fn.")
  (cbrt (x) "The cube root, also of negative numbers. In wf:fn.")
  (exp2 (x) "2 to the power of x. In wf:fn.")
  (expm1 (x) "exp(x) - 1, accurate for small x. In wf:fn.")
  (log2 (x) "The logarithm to base 2. In wf:fn.")
  (log10 (x) "The logarithm to base 10. In wf:fn.")
  (log1p (x) "log(1 + x), accurate for small x. In wf:fn.")
  (pow (x y) "x to the power of y, both floats. In wf:fn.")
  (hypot (x y) "sqrt(x * x + y * y) without intermediate overflow. In wf:fn.")
  (atan2 (y x) "The angle of the point (x, y), like (atan y x). In wf:fn.")
  (erf (x) "The error function. In wf:fn.")
  (erfc (x) "1 - erf(x), accurate for large x. In wf:fn.")
  (copysign (x y) "x with the sign of y. In wf:fn.")
  (isnan (x) "Returns true if x is NaN. In wf:fn.")
  (isinf (x) "Returns true if x is infinite. In wf:fn.")
  (isfinite (x) "Returns true if x is neither infinite nor NaN. In wf:fn.")
  (shl (x count) "x shifted left; the count is modulo the width of x. In wf:fn; ASH accepts any count.")
  (shr (x count) "x shifted right, copying the sign; the count is modulo the width of x. In wf:fn; ASH accepts any count.")
  (popcount (x) "The number of 1 bits of x. In wf:fn.")
  (clz (x) "The number of leading 0 bits of x in its own type. In wf:fn.")
  (philox32 (key number stream) "The random word of 32 bits with this number in one of the streams of a key, modulo the width of the type; streams
from 2^61 on are reserved. In wf:fn; wf.random has distributions.")
  (philox64 (key number stream) "The random word of 64 bits; see PHILOX32. In wf:fn.")
  (pos (x) "x. In wf:fn.")
  (rectify (x) "The greater of x and 0. In wf:fn.")
  (exp10 (x) "10 to the power of x. In wf:fn.")
  (sinpi (x) "sin(pi x). In wf:fn.")
  (cospi (x) "cos(pi x). In wf:fn.")
  (sigmoid (x) "1 / (1 + exp(-x)). In wf:fn.")
  (softplus (x) "log(1 + exp(x)). In wf:fn.")
  (log1mexp (x) "log(1 - exp(-x)) for x >= 0. In wf:fn.")
  (logit (x) "log(x / (1 - x)). In wf:fn.")
  (erfinv (x) "The inverse of erf. In wf:fn.")
  (erfcinv (x) "The inverse of erfc. In wf:fn.")
  (ndtr (x) "The distribution function of the standard normal distribution. In wf:fn.")
  (ndtri (x) "The inverse of ndtr. In wf:fn.")
  (lgamma (x) "log |gamma(x)|. In wf:fn.")
  (tgamma (x) "The gamma function. In wf:fn.")
  (digamma (x) "The derivative of lgamma. In wf:fn.")
  (trigamma (x) "The derivative of digamma. In wf:fn.")
  (lfact (x) "log |gamma(1 + x)|, the logarithm of x factorial. In wf:fn.")
  (bessel-j0 (x) "The Bessel function of the first kind of order 0. In wf:fn." "bessel_j0")
  (bessel-j1 (x) "The Bessel function of the first kind of order 1. In wf:fn." "bessel_j1")
  (bessel-y0 (x) "The Bessel function of the second kind of order 0. In wf:fn." "bessel_y0")
  (bessel-y1 (x) "The Bessel function of the second kind of order 1. In wf:fn." "bessel_y1")
  (bessel-i0 (x) "The modified Bessel function of the first kind of order 0. In wf:fn." "bessel_i0")
  (bessel-i1 (x) "The modified Bessel function of the first kind of order 1. In wf:fn." "bessel_i1")
  (logaddexp (x y) "log(exp(x) + exp(y)). In wf:fn.")
  (lchoose (n k) "The logarithm of the binomial coefficient. In wf:fn.")
  (lbeta (a b) "The logarithm of the beta function. In wf:fn.")
  (mvlgamma (x p) "The logarithm of the multivariate gamma function of dimension p. In wf:fn.")
  (mvdigamma (x p) "The derivative of mvlgamma with respect to x. In wf:fn.")
  (gamma-p (a x) "The regularized lower incomplete gamma function P(a, x). In wf:fn." "gamma_p")
  (gamma-q (a x) "The regularized upper incomplete gamma function, 1 - P(a, x). In wf:fn." "gamma_q")
  (ibeta (a b x) "The regularized incomplete beta function. In wf:fn.")
  (round-away (x) "x rounded to the nearest integer, halves away from 0; FROUND rounds halves to even. In wf:fn." "round"))
