;;;; wf:fn: every form that it knows, against the same source in Lisp; types; captures; errors.

(in-package #:warpfold-test)
(in-suite warpfold)

(test a-wrong-function-is-noticed
  (is (mismatches (wf:fn (x) (+ x 1)) (lambda (x) x) '(:i32)))
  (is (mismatches (wf:fn (x) (* x 1.00001)) (lambda (x) x) '(:f32)))
  (is (mismatches (wf:fn (x) (< x 1)) (lambda (x) (<= x 1)) '(:i32)))
  (is (mismatches (wf:fn (x) (values x x)) (lambda (x) x) '(:i32)))
  (is (null (mismatches (wf:fn (x) x) (lambda (x) x) '(:i32)))))

(test choosing
  (agrees-for ((:i32) (:f64)) (x) (if (< x 0) (- x) (* 2 x)))
  (agrees (:i32) (x) (cond ((< x 0) -1) ((= x 0) 0) ((< x 10) 1) (t 2)))
  (agrees (:i32) (x) (cond ((< x 0)) ((> x 7) (< x 50))))
  (agrees (:i32) (x) (when (> x 0) (< x 10)))
  (agrees (:i32) (x) (unless (> x 0) (< x -10)))
  (agrees (:i32) (x) (case x ((1 2 3) 10) (7 20) (otherwise x)))
  (agrees (:u8) (c) (case (+ c 0) (40 1) (41 -1) (t 0)))
  (agrees (:i32 :i32) (x y) (and (< x y) (/= x 3) (< y 50)))
  (agrees (:i32 :i32) (x y) (or (< x y) (= x 3) (not (< y 50))))
  (agrees (:bool :bool) (p q) (if p (not q) (or p q)))
  (agrees (:bool) (p) (if (and) p (or)))
  (agrees (:i32) (x) (if (< x 0) (values x 1.5) (values (* x x) 2.5))))

(test binding
  (agrees (:i32 :i32) (x y) (let ((x y) (y x)) (- x (* 2 y))))
  (agrees (:i32 :i32) (x y) (let* ((x (+ x y)) (y (* x y))) (- x y)))
  (agrees (:i32) (x) (let ((square (* x x)) (k 3)) (declare (ignorable k)) (+ square square k)))
  (agrees (:i32) (x) (multiple-value-bind (a b) (values (+ x 1) (* x 2)) (- a b)))
  (agrees (:i32) (x) (flet ((twice (y) (* 2 y)) (add (a &optional (b 10)) (+ a b))) (add (twice x) (add x))))
  (agrees (:i32) (x) (flet ((f (y) "A docstring." (declare (type (signed-byte 32) y)) (* 2 y))) (f x)))
  (agrees (:i32) (x) (labels ((f (y) (+ 1 (g y))) (g (y) (* y y))) (f x)))
  (agrees (:i32) (x) (let ((y 2)) (flet ((f (x) (+ x y))) (let ((y 100)) (+ y (f x))))))
  (agrees (:i32) (x) (macrolet ((squared (e) `(* ,e ,e))) (squared (+ x 1))))
  (agrees (:i32) (x) (symbol-macrolet ((y (+ x 1))) (* y y)))
  (agrees (:i32) (x) (symbol-macrolet ((y (+ x 1))) (let ((y (* 2 y))) (symbol-macrolet ((x y)) (- x)))))
  (agrees (:i32) (x) (progn (locally (declare (optimize speed)) (* 2 x))))
  (agrees (:i32) (x) ((lambda (a b) (- a b)) x 2))
  (agrees (:i32) (x) (funcall #'max x 3))
  (agrees (:i32) (x) (identity (the (signed-byte 32) x))))

(test iterating
  (agrees (:u8) (n) (do ((k 0 (1+ k)) (sum 0 (+ sum k))) ((>= k n) sum)))
  (agrees (:u8) (n) (do ((a 0 b) (b 1 (+ a b)) (k 0 (1+ k))) ((>= k (min n 40)) a)))
  (agrees (:f64) (c) (do ((z 0 (+ (* z z) c)) (k 0 (1+ k))) ((or (> (abs z) 2) (>= k 50)) k)))
  (agrees (:u8) (n) (do ((k 0 (1+ k)) (fixed 7) (sum 0 (do ((j 0 (1+ j)) (s sum (+ s j))) ((>= j k) s))))
                          ((>= k (min n 9)) (values sum fixed))))
  (agrees (:u8) (n) (do ((up t (not up)) (k 0 (1+ k))) ((>= k n) up))))

(test conversions
  (agrees (:i32) (x) (coerce x 'double-float))
  (agrees (:i32) (x) (float x))
  (agrees (:f32) (x) (float x))
  (agrees (:i32) (x) (float x 1d0))
  (agrees (:f64) (x) (coerce x 'float))
  (agrees (:i32) (x) (the fixnum x))
  (is (equal '(3 -3 0) (wf:to-list (wf:map (wf:fn (x) (wf:cast x (signed-byte 32))) (wf:from-list '(3.7 -3.7 0.2))))))
  (is (equal '(t nil) (wf:to-list (wf:map (wf:fn (x) (wf:cast x :bool)) (wf:from-list '(2 0))))))
  (is (equal '(255 1) (wf:to-list (wf:map (wf:fn (x) (wf:cast x :u8)) (wf:from-list '(-1 257)))))))

(test constants
  (is (close-p (wf:elt (wf:map (wf:fn (x) (+ x (wf:erf 1d0))) (wf:from-list '(0d0))) 0) 0.8427007929497149d0 1d-12))
  (agrees (:f64) (x) (* x pi))
  (agrees (:f32) (x) (* x 1/3))
  (agrees (:i64) (x) (+ x most-positive-fixnum (- most-positive-fixnum)))
  (agrees (:i32) (x) (= x (char-code #\()))
  (agrees (:f32) (x) (+ x 1.1754944e-38 16777217))
  (is (search "40:u8" (wf:fn-text (wf:fn (c) (= c (char-code #\())) :u8)) "a byte is compared with a byte")
  (is (search "0.1:f32" (wf:fn-text (wf:fn (x) (* x 0.1)) :f32)))
  (is (search "0.1:f64" (wf:fn-text (wf:fn (x) (* x 0.1d0)) :f64)))
  (is (search "-inf:f64" (wf:fn-text (wf:fn (x) (max x sb-ext:double-float-negative-infinity)) :f64))))

(defmacro doubled (x) `(* 2 ,x))
(wf:define-function clamp (x low high)
  "x, but at least low and at most high."
  (min high (max low x)))
(wf:define-function clamp-byte (x &optional (low 0)) (clamp x low 255))

(defparameter *offset* 100)
(wf:define-function shifted (x) (+ x *offset*))

(test macros-and-functions-of-the-user
  (is (equal '(101) (wf:to-list (wf:map (wf:fn (x) (shifted x)) (wf:from-list '(1))))))
  (is (equal '(6) (let ((*offset* 5)) (wf:to-list (wf:map (wf:fn (x) (shifted x)) (wf:from-list '(1))))))
      "a global variable's value when wf:fn is evaluated")
  (is (equal '(2 4) (wf:to-list (wf:map (wf:fn (x) (doubled x)) (wf:from-list '(1 2))))))
  (is (equal '(0 2 5) (wf:to-list (wf:map (wf:fn (x) (clamp x 0 5)) (wf:from-list '(-1 2 9))))))
  (is (equal '(1 2 255) (wf:to-list (wf:map (wf:fn (x) (clamp-byte x 1)) (wf:from-list '(-1 2 900))))))
  (is (search "at least" (documentation 'clamp 'wf:define-function)))
  (macrolet ((tripled (x) `(* 3 ,x)))
    (is (equal '(3) (wf:to-list (wf:map (wf:fn (x) (tripled x)) (wf:from-list '(1))))) "a macro of the surroundings"))
  (symbol-macrolet ((five 5))
    (is (equal '(6) (wf:to-list (wf:map (wf:fn (x) (+ five x)) (wf:from-list '(1))))))))

(test captures
  (let ((k 3) (half 0.5) (yes t) (s (wf:from-list '(10 20 30))) (f (wf:fn (x) (* x x)))
        (total (wf:reduce #'+ (wf:from-list '(1 2 3)))))
    (is (equal '(13 23 33) (wf:to-list (wf:map (wf:fn (x) (+ x k)) s))))
    (is (equal '(5.0 10.0 15.0) (wf:to-list (wf:map (wf:fn (x) (* x half)) s))))
    (is (equal '(10 20 30) (wf:to-list (wf:map (wf:fn (x) (if yes x 0)) s))))
    (is (equal '(30 20 10) (wf:to-list (wf:tabulate (wf:fn (i) (aref s (- (length s) 1 i))) 3))))
    (is (equal '(30 20 10) (wf:to-list (wf:tabulate (wf:fn (i) (wf:elt s (- (wf:length s) 1 i))) 3))))
    (is (equal '(100 400 900) (wf:to-list (wf:map (wf:fn (x) (funcall f x)) s))))
    (is (equal '(16 26 36) (wf:to-list (wf:map (wf:fn (x) (+ x total)) s))) "a delayed scalar is its value"))
  (is (equal '((11) (12) (13))
             (loop for k in '(1 2 3) collect (wf:to-list (wf:map (wf:fn (x) (+ x k)) (wf:from-list '(10))))))
      "the same form with other numbers"))

(test functions-of-functions
  (let* ((t0 (wf:from-list '(1 2 3))) (s (wf:from-list '(4 5 6)))
         (inner (wf:fn (x y) (- (aref s x) y)))
         (outer (wf:fn (y x) (+ (funcall inner x y) (aref t0 x)))))
    (is (equal (list (+ (- 5 7) 2)) (wf:to-list (wf:map outer (wf:from-list '(7)) (wf:from-list '(1))))))))

(test guarded-elements
  (let ((s (wf:from-list '(5 6 7))) (n 3))
    (is (equal '(t nil nil nil)
               (wf:to-list (wf:tabulate (wf:fn (i) (and (< i n) (= (aref s i) 5))) 4))))
    (is (equal '(nil nil nil t)
               (wf:to-list (wf:tabulate (wf:fn (i) (or (>= i n) (= (aref s i) 8))) 4))))
    (signals wf:range-error (wf:force (wf:tabulate (wf:fn (i) (aref s i)) 4)))))

(test declared-types
  (is (equal "(fn ((x f32)) (mul x 2.0:f32))" (wf:fn-text (wf:fn ((x :f32)) (* 2 x)) :f32)))
  (finishes (wf:fn-text (wf:fn (x) (declare (single-float x)) (* 2 x)) :f32))
  (signals wf:form-error (wf:fn-text (wf:fn ((x :f32)) (* 2 x)) :f64))
  (signals wf:form-error (wf:fn-text (wf:fn (x) (declare (type (signed-byte 32) x)) (* 2 x)) :f64))
  (signals wf:form-error (wf:fn-text (wf:fn (x) (the fixnum x)) :f64)))

(defun error-about (form thunk)
  "The message of a FORM-ERROR about a form, or NIL."
  (handler-case (progn (funcall thunk) nil)
    (wf:form-error (condition)
      (and (equal (wf:offending-form condition) form) (princ-to-string condition)))))

(defmacro names-form (form text &body body)
  `(is (search ,text (or (error-about ',form (lambda () ,@body)) "")) "~S should be named, with ~S" ',form ,text))

(test errors-of-types-name-the-form
  (names-form (/ x 2) "ratio" (wf:fn-text (wf:fn (x) (+ 1 (/ x 2))) :i32))
  (names-form (logand x 1) "integers" (wf:fn-text (wf:fn (x) (logand x 1)) :f32))
  (names-form (evenp x) "integers" (wf:fn-text (wf:fn (x) (if (evenp x) 1 2)) :f32))
  (names-form (+ (< x 1) 1) "boolean" (wf:fn-text (wf:fn (x) (+ (< x 1) 1)) :f32))
  (names-form (* 2 x) "condition" (wf:fn-text (wf:fn (x) (if (* 2 x) 1 2)) :i32))
  (names-form (if (< x 0) 1) "expected an else form" (wf:fn-text (wf:fn (x) (if (< x 0) 1)) :i32))
  (names-form (cond ((< x 0) 1) ((< x 1) 2)) "expected a last clause (t ...)" (wf:fn-text (wf:fn (x) (cond ((< x 0) 1) ((< x 1) 2))) :i32))
  (names-form (aref s x) "integer" (let ((s (wf:from-list '(1)))) (wf:fn-text (wf:fn (x) (aref s x)) :f32)))
  (names-form (aref v x) "array of Lisp" (let ((v (vector 1 2))) (wf:fn-text (wf:fn (x) (aref v x)) :i32)))
  (names-form (when (< x 0) 1) "IF with an else form" (wf:fn-text (wf:fn (x) (when (< x 0) 1)) :i32))
  (names-form (case x (1 2)) "a last clause (otherwise ...)" (wf:fn-text (wf:fn (x) (case x (1 2))) :i32))
  (names-form (if (< x 0) 1 (> x 1)) "branches have the types i32 and bool" (wf:fn-text (wf:fn (x) (if (< x 0) 1 (> x 1))) :i32))
  (names-form s "sequence" (let ((s (wf:from-list '(1)))) (wf:fn-text (wf:fn (x) (+ x s)) :i32)))
  (names-form name "expected a number" (let ((name "text")) (wf:fn-text (wf:fn (x) (+ x name)) :i32)))
  (names-form (values x x) "2 values" (wf:fn-text (wf:fn (x) (+ 1 (values x x))) :i32))
  (names-form (wf:fn (x y) (+ x y)) "2 parameters" (wf:fn-text (wf:fn (x y) (+ x y)) :i32))
  (names-form (wf:fn (x) (+ x 1)) "expected bool" (wf:filter (wf:fn (x) (+ x 1)) (wf:from-list '(1)))))

(defmacro rejected (form text source)
  "Is SOURCE refused when it is expanded, by an error about FORM?"
  `(names-form ,form ,text (macroexpand-1 ',source)))

(test what-is-no-function-of-elements-is-refused-at-once
  (rejected (foo x) "FOO is not an operation" (wf:fn (x) (+ 1 (foo x))))
  (rejected (setf x 1) "assign" (wf:fn (x) (setf x 1)))
  (rejected (print x) "not an operation" (wf:fn (x) (print x)))
  (rejected (return x) "jumps" (wf:fn (x) (return x)))
  (rejected (dotimes (i 3) x) "DO" (wf:fn (x) (dotimes (i 3) x)))
  (rejected "text" "neither a number" (wf:fn (x) (+ x "text")))
  (rejected :key "keyword" (wf:fn (x) (+ x :key)))
  (rejected (quote a) "quoted" (wf:fn (x) (+ x 'a)))
  (rejected (sqrt x 2) "argument" (wf:fn (x) (sqrt x 2)))
  (rejected (if x) "shape" (wf:fn (x) (if x)))
  (rejected (let ((y 1 2)) y) "" (wf:fn (x) (let ((y 1 2)) y)))
  (rejected (+ x 1) "not used" (wf:fn (x) (+ x 1) x))
  (rejected (f (1- x)) "calls itself" (wf:fn (x) (labels ((f (x) (f (1- x)))) (f x))))
  (rejected (lambda (y) y) "expected a call" (wf:fn (x) (lambda (y) y)))
  (rejected (aref (car l) x) "not a variable" (wf:fn (x) (aref (car l) x)))
  (rejected (wf:cast x :i16) "not an element type" (wf:fn (x) (wf:cast x :i16)))
  (rejected #c(1 2) "not an element" (wf:fn (x) (+ x #c(1 2))))
  (rejected (x &key y) "not a parameter" (wf:fn (x &key y) x)))

(test functions-by-name
  (is (equal '(1 2) (wf:to-list (wf:map #'abs (wf:from-list '(-1 2))))))
  (is (equal '(1 2) (wf:to-list (wf:map 'abs (wf:from-list '(-1 2))))))
  (is (equal '(0.5) (wf:to-list (wf:map 'wf:rsqrt (wf:from-list '(4.0))))))
  (signals wf:argument-error (wf:map (lambda (x) x) (wf:from-list '(1))))
  (signals wf:form-error (wf:map #'print (wf:from-list '(1)))))

(test functions-by-name-follow-their-definition
  (flet ((define (form) (eval `(wf:define-function redefined (x) ,form)))
         (result () (wf:to-list (wf:map 'redefined (wf:from-list '(5))))))
    (define '(+ x 1))
    (is (equal '(6) (result)))
    (define '(* x 2))
    (is (equal '(10) (result)))))

(test foreign-functions
  (let ((j0 (wf:foreign-function "j0" '(double-float) 'double-float)))
    (wf:with-context ("cpu")
      (is (close-p (wf:elt (wf:map j0 (wf:from-list '(1d0))) 0) 0.7651976865579666d0 1d-12))
      (is (close-p (wf:elt (wf:map (wf:foreign-function (cffi:foreign-symbol-pointer "j0") '(:f64) :f64) (wf:from-list '(0d0))) 0)
                   1d0 1d-12)))
    (signals wf:element-type-error (wf:map j0 (wf:from-list '(1.0))))
    (signals wf:argument-error (wf:foreign-function "no such function" '(:f64) :f64))))

(cffi:defcallback add-user :void ((user :pointer) (n :int64) (in :pointer) (out :pointer))
  "out[0][i] = in[0][i] + *user; out[1][i] = -in[0][i]"
  (let ((x (cffi:mem-aref in :pointer 0)) (sum (cffi:mem-aref out :pointer 0)) (negative (cffi:mem-aref out :pointer 1)))
    (dotimes (i n)
      (setf (cffi:mem-aref sum :int32 i) (+ (cffi:mem-aref x :int32 i) (cffi:mem-ref user :int32))
            (cffi:mem-aref negative :int32 i) (- (cffi:mem-aref x :int32 i))))))

(test block-functions
  (cffi:with-foreign-object (user :int32)
    (setf (cffi:mem-ref user :int32) 10)
    (let ((f (wf:block-function (cffi:callback add-user) '(:i32) '(:i32 :i32) :user user :name "add_user")))
      (wf:with-context ("cpu")
        ;; So few elements are computed by the calling thread, which is one of Lisp.
        (let ((r (wf:map f (wf:from-list '(1 2 3) :type :i32))))
          (is (search "add_user" (wf:explain r)))
          (is (equal '((11 -1) (12 -2) (13 -3)) (wf:to-list r))))))))

(test functions-given-as-source
  (let ((twice (wf:source-function "twice" "double twice(double x) { return j0(x); }" '(:f64) '(:f64)
                                   :host (wf:foreign-function "j0" '(:f64) :f64)))
        (alone (wf:source-function "half" "float half(float x) { return x / 2; }" '(:f32) '(:f32))))
    (wf:with-context ("cpu")
      (is (close-p (wf:elt (wf:map twice (wf:from-list '(1d0))) 0) 0.7651976865579666d0 1d-12) "its host function")
      (signals wf:unsupported-error (wf:force (wf:map alone (wf:from-list '(1.0))))))
    (signals wf:argument-error (wf:source-function "no identifier" "" '(:f32) '(:f32)))))
