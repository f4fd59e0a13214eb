;;;; Every scalar operation, against plain Lisp: operations that Lisp also has against the same source, the others against a formula.

(in-package #:warpfold-test)
(in-suite warpfold)

(defmacro each-agrees (list-of-types parameters &rest operators)
  "Checks that operators agree with Lisp's."
  `(progn ,@(loop for operator in operators collect `(agrees-for ,list-of-types ,parameters (,operator ,@parameters)))))

(test arithmetic
  (agrees-for ((:i32 :i32) (:i64 :i32) (:f32 :f32) (:f64 :f64) (:i32 :f32) (:i64 :f64)) (x y) (+ x y))
  (agrees-for ((:i32 :i32) (:f32 :f32) (:i64 :f64)) (x y) (- x y))
  (agrees-for ((:i32 :i32) (:f32 :f32) (:i64 :f64)) (x y) (* x y 3))
  (agrees-for ((:f32 :f32) (:f64 :i32)) (x y) (/ x y))
  (agrees-for ((:f32) (:f64)) (x) (/ x))
  (agrees-for ((:i32) (:f32)) (x) (- x))
  (agrees-for ((:i32) (:f32) (:u8)) (x) (+ x 1 2 3))
  (agrees-for ((:i32) (:f64)) (x) (- x 1 2 3))
  (agrees-for ((:i32) (:f32)) (x) (1+ (* 2 (1- x))))
  (agrees-for ((:i32 :i32) (:f32 :f64) (:u8 :u8)) (x y) (min x y))
  (agrees-for ((:i32 :i32) (:f32 :f64) (:u8 :u8)) (x y) (max x y 5))
  (agrees-for ((:i32) (:f32)) (x) (abs x))
  (agrees-for ((:i32) (:f64)) (x) (signum x))
  (agrees-for ((:i32) (:f64)) (x) (expt x 3))
  (agrees-for ((:i32) (:f64)) (x) (expt x 0))
  (agrees (:positive :f32) (x y) (expt x y)))

(defmacro both-of-floor (x y)
  `(multiple-value-bind (quotient rest) (floor ,x ,y) (+ (* 1000 quotient) rest)))

(test quotients-and-remainders
  (agrees-for ((:i32 :i32) (:u8 :u8) (:i64 :i32) (:f32 :f32)) (x y) (mod x y))
  (agrees-for ((:i32 :i32) (:u8 :u8) (:f64 :f64)) (x y) (rem x y))
  (each-agrees ((:i32 :i32) (:u8 :u8) (:f32 :f32)) (x y) floor both-of-floor)
  (each-agrees ((:i32 :i32) (:u8 :u8) (:f64 :f64)) (x y) ceiling truncate round)
  (each-agrees ((:f32) (:f64) (:i32)) (x) floor ceiling truncate round)
  (each-agrees ((:f32) (:f64)) (x) ffloor fceiling ftruncate fround))

(test both-values-of-quotients
  (agrees (:i32 :i32) (x y) (multiple-value-bind (q r) (truncate x y) (values q r)))
  (agrees (:i32 :i32) (x y) (multiple-value-bind (q r) (ceiling x y) (values q r)))
  (agrees (:i32 :i32) (x y) (multiple-value-bind (q r) (round x y) (values q r))))

(test comparisons
  (each-agrees ((:i32 :i32) (:f32 :f32) (:i32 :f64)) (x y) = /= < <= > >=)
  (agrees (:i32 :i32) (x y) (< 0 x y 50))
  (agrees (:i32 :i32) (x y) (/= x y 7))
  (agrees (:u8) (x) (< x 300))
  (each-agrees ((:i32) (:f64)) (x) zerop plusp minusp)
  (each-agrees ((:i32) (:u8)) (x) evenp oddp))

(defun around-squares (root bits)
  "The squares of small, medium and large numbers up to ROOT and their neighbours, below 2^BITS."
  (let ((limit (1- (expt 2 bits))))
    (remove-if-not (lambda (n) (<= 0 n limit))
                   (cons limit (loop for r in (append (loop for k to 50 collect k) (loop for k to 200 collect (floor (* root k) 200))
                                                      (loop for k to 50 collect (- root k)))
                                     append (list (1- (* r r)) (* r r) (1+ (* r r)) (+ (* r r) r r)))))))

(defun check-isqrt (type numbers)
  (let ((roots (wf:map #'isqrt (wf:from-list numbers :type type))))
    (is (equal (list type) (wf:element-types roots)))
    (is (equal (mapcar #'isqrt numbers) (wf:to-list roots)) "isqrt of ~A" type)))

(test bits
  (each-agrees ((:i32 :i32) (:u8 :u8) (:i64 :i32)) (x y) logand logior)
  (agrees-for ((:i32 :i32) (:u8 :u8) (:i64 :i32)) (x y) (logxor x y 5))
  (agrees-for ((:i32) (:i64)) (x) (lognot x))
  (agrees-for ((:i32) (:i64) (:u32)) (x) (logcount x))
  (agrees-for ((:i32) (:i64) (:u8)) (x) (integer-length x))
  (each-agrees ((:i32 :i32)) (x y) logtest lognand lognor logeqv logandc1 logandc2 logorc1 logorc2)
  (agrees-for ((:i32) (:i64)) (x) (ash x 3))
  (agrees-for ((:i32) (:i64) (:u8)) (x) (ash x -2))
  (agrees-for ((:i32) (:i64) (:u8)) (x) (ash x -100))
  (agrees-for ((:i64 :i32)) (x y) (ash x (min y 40)))
  (agrees (:u8) (n) (if (< n 62) (ash 1 n) 0))
  (agrees-for ((:i32) (:u8)) (x) (logbitp 2 x))
  (agrees-for ((:i32 :i32) (:u32 :u32)) (x y) (gcd x y))
  (check-isqrt :u8 (loop for n below 256 collect n))
  (check-isqrt :i32 (around-squares 46340 31))
  (check-isqrt :u32 (around-squares 65535 32))
  (check-isqrt :i64 (around-squares 3037000499 63))
  (check-isqrt :u64 (around-squares 4294967295 64))
  (is (equal '(0 0 3) (wf:to-list (wf:map #'isqrt (wf:from-list '(-1 -100 9))))) "0 for a negative number")
  (let ((n 1000000))
    (is (equal '(1000 4) (multiple-value-list (wf:elt (wf:map (wf:fn (x) (values (isqrt n) (+ x (isqrt 10)))) (wf:from-list '(1))) 0)))))
  (agrees (:i32 :i32) (x y) (lcm x y)))

(test elementary-functions
  (each-agrees ((:positive)) (x) sqrt log)
  (agrees (:positive) (x) (log x 2))
  (agrees (:positive) (x) (log x 10))
  (agrees (:positive) (x) (log x 3.0))
  (agrees (:small) (x) (exp x))
  (each-agrees ((:f32) (:f64)) (x) sin cos)
  (each-agrees ((:small)) (x) tan asin acos)
  (agrees-for ((:f32) (:f64)) (x) (atan x))
  (agrees-for ((:f32 :f32)) (y x) (if (and (= y 0) (= x 0)) 0.0 (atan y x)))
  (each-agrees ((:small)) (x) sinh cosh tanh)
  (agrees (:f32) (x) (asinh x))
  (agrees (:positive) (x) (acosh (+ x 1)))
  (agrees (:small) (x) (atanh x)))

(defmacro have-values (&rest cases)
  "Each case is (operation (input...) result), computed in double-float or, for integers, in :i32."
  `(progn
     ,@(loop for (operation inputs result) in cases
             for names = (loop for nil in inputs collect (gensym))
             collect `(is (close-p (first-value (wf:fn ,names (,operation ,@names)) ',inputs) ,result 1d-12) "~S of ~S" ',operation ',inputs))))

(defun first-value (function inputs)
  (first (wf:to-list (apply #'wf:map function
                            (mapcar (lambda (x) (wf:from-list (list x) :type (if (integerp x) :i32 :f64))) inputs)))))

(test operations-without-a-name-in-lisp
  (have-values
    (wf:fma (2d0 3d0 4d0) 10d0) (wf:rsqrt (4d0) 0.5d0) (wf:cbrt (-27d0) -3d0) (wf:exp2 (5d0) 32d0) (wf:expm1 (1d-20) 1d-20)
    (wf:expm1 (1d0) 1.718281828459045d0) (wf:log2 (32d0) 5d0) (wf:log10 (1d3) 3d0) (wf:log1p (1d-20) 1d-20) (wf:pow (2d0 0.5d0) (sqrt 2d0))
    (wf:hypot (3d200 4d200) 5d200) (wf:atan2 (1d0 -1d0) (atan 1d0 -1d0)) (wf:erf (1d0) 0.8427007929497149d0) (wf:erfc (1d0) 0.15729920705028513d0)
    (wf:copysign (3d0 -2d0) -3d0) (wf:isnan (1d0) nil) (wf:isinf (1d0) nil) (wf:isfinite (1d0) t) (wf:shl (3 33) 6) (wf:shr (-8 33) -4)
    (wf:popcount (-1) 32) (wf:clz (1) 31) (wf:clz (0) 32) (wf:pos (-2d0) -2d0) (wf:rectify (-2d0) 0d0) (wf:rectify (-3) 0) (wf:rectify (2) 2)
    (wf:exp10 (0.375d0) 2.3713737056616553d0) (wf:sinpi (0.375d0) 0.92387953251128676d0) (wf:cospi (0.375d0) 0.38268343236508977d0)
    (wf:sigmoid (0.375d0) 0.59266659995406976d0) (wf:softplus (0.375d0) 0.89812326413984004d0) (wf:log1mexp (0.375d0) -1.1624767291801940d0)
    (wf:logit (0.375d0) -0.51082562376599068d0) (wf:erfinv (0.375d0) 0.34561711478320660d0) (wf:erfcinv (0.375d0) 0.62730734778855896d0)
    (wf:ndtr (0.375d0) 0.64616976667272379d0) (wf:ndtri (0.375d0) -0.31863936396437516d0) (wf:lgamma (0.375d0) 0.86307398227064746d0)
    (wf:tgamma (0.375d0) 2.3704361844166009d0) (wf:digamma (0.375d0) -2.7539990491451396d0) (wf:trigamma (0.375d0) 8.1617776327615079d0)
    (wf:lfact (0.375d0) -0.11775527074107877d0) (wf:bessel-j0 (0.375d0) 0.96515153613281962d0) (wf:bessel-j1 (0.375d0) 0.18422335698889762d0)
    (wf:bessel-y0 (0.375d0) -0.65180020579325718d0) (wf:bessel-y1 (0.375d0) -1.8833618144505455d0) (wf:bessel-i0 (0.375d0) 1.0354664501283920d0)
    (wf:bessel-i1 (0.375d0) 0.19081526701982352d0) (wf:logaddexp (3.5d0 2.0d0) 3.7014132779827524d0) (wf:lchoose (10.0d0 3.0d0) 4.7874917427820460d0)
    (wf:lbeta (3.5d0 2.0d0) -2.7568403652716421d0) (wf:mvlgamma (3.5d0 2.0d0) 2.4664857258317196d0) (wf:mvdigamma (3.5d0 2.0d0) 2.0259409757437103d0)
    (wf:gamma-p (3.5d0 2.0d0) 0.22022259152428408d0) (wf:gamma-q (3.5d0 2.0d0) 0.77977740847571592d0)
    (wf:ibeta (2d0 3d0 0.25d0) 0.26171875000000000d0) (wf:polygamma (1d0 3.5d0) 0.330357756100234865d0)
    (wf:mvpolygamma (0d0 3.5d0 2d0) 2.02594097574371033d0) (wf:gamma-p-da (3.5d0 2d0) -0.180100945286444195d0)
    (wf:ibeta-da (2d0 3d0 0.25d0) -0.228053602324346373d0) (wf:ibeta-db (2d0 3d0 0.25d0) 0.106921530052291388d0)
    (wf:round-away (2.5d0) 3d0) (wf:round-away (-2.5d0) -3d0)))

(defun library-operations ()
  (loop for k from 0
        for name = (wf.raw:wf-op-name k)
        until (cffi:null-pointer-p name)
        collect (cffi:foreign-string-to-lisp name)))

(test every-operation-of-the-library-can-be-written
  ;; Forms that are translated to operations without a function of that name.
  (let ((texts (list* (wf:fn-text (wf:fn (x y) (if (< x y) (- x y) (- x))) :i32 :i32)
                      (wf:fn-text (wf:fn (x y) (and (/= x y) (not (or (= x y) (< x 3))))) :f32 :f32)
                      (wf:fn-text (wf:fn (x y) (logxor (logior x y) (lognot (logand x y)))) :i32 :i32)
                      (loop for operator being the hash-values of warpfold::**operators**
                            for operation = (warpfold::find-operation (warpfold::operator-key operator))
                            when (eq :exact (warpfold::operator-style operator))
                              do (is (= (warpfold::operation-arity operation) (warpfold::operator-none operator)))
                            collect (format nil "(~A " (warpfold::operation-name operation))))))
    (is (> (length (library-operations)) 50))
    (dolist (name (library-operations))
      (is (some (lambda (text) (search (format nil "(~A " name) text)) texts) "nothing in wf:fn makes ~A" name)))
  (signals wf:form-error (macroexpand '(wf:erf 1.0))))

(defun philox (key number stream)
  "Philox 4x32 with 10 rounds: the four words of a block."
  (flet ((low (x) (ldb (byte 32 0) x)) (high (x) (ldb (byte 32 32) x)))
    (let ((x0 (low number)) (x1 (high number)) (x2 (low stream)) (x3 (high stream)) (key0 (low key)) (key1 (high key)))
      (dotimes (k 10 (list x0 x1 x2 x3))
        (let ((even (* #xd2511f53 x0)) (odd (* #xcd9e8d57 x2)))
          (setf x0 (logxor (high odd) x1 key0) x1 (low odd) x2 (logxor (high even) x3 key1) x3 (low even)
                key0 (low (+ key0 #x9e3779b9)) key1 (low (+ key1 #xbb67ae85))))))))

(test random-words
  (let* ((tuples (loop for key in (list 0 1 #x123456789abcdef0 (1- (expt 2 64)))
                       append (loop for n below 9 collect (list key (* n n 99999999) (* 7 n)))))
         (s (wf:from-list tuples :type :u64)))
    (is (equal (loop for (key number stream) in tuples collect (nth (logand number 3) (philox key (ash number -2) stream)))
               (wf:to-list (wf:map 'wf:philox32 s))))
    (is (equal (loop for (key number stream) in tuples
                     collect (destructuring-bind (a b c d) (philox key (ash number -1) (logior stream (ash 1 63)))
                               (if (evenp number) (logior a (ash b 32)) (logior c (ash d 32)))))
               (wf:to-list (wf:map (wf:fn (key number stream) (wf:philox64 key number stream)) s))))))

(test operations-that-differ-from-lisp
  (is (equal '(0 0) (wf:to-list (wf:map (wf:fn (x) (mod x 0)) (wf:from-list '(5 -5))))) "a remainder by 0 is 0")
  (is (equal '(0 0) (wf:to-list (wf:map (wf:fn (x) (truncate x 0)) (wf:from-list '(5 -5))))))
  (is (equal '(-2147483648) (wf:to-list (wf:map #'1+ (wf:from-list '(2147483647) :type :i32)))) "integers wrap")
  (is (equal '(256) (wf:to-list (wf:map #'1+ (wf:from-list '(255) :type :u8)))) "a sum of a byte and 1 is an :i32"))
