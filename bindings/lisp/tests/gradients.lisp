;;;; Gradients against differences and against derivatives written by hand, inside and outside jit, by run and by function, and errors.
;;;; The rules of all primitives and operations are tested in C++.

(in-package #:warpfold-test)
(in-suite warpfold)

(defun fractions (n &optional (seed 0))
  "A sequence of n different numbers between 0.1 and 1.1, in no order."
  (wf:from-vector (vector-of 'double-float n (lambda (i) (+ 0.1d0 (/ (mod (+ (* i 7919) (* 131 seed)) 1009) 1009d0))))))

(defun close-sequences-p (got expected tolerance)
  "Returns true if two sequences have the same shape and close elements."
  (and (equal (wf:dimensions got) (wf:dimensions expected))
       (every (lambda (a b) (close-p a b tolerance)) (wf:to-vector got) (wf:to-vector expected))))

(defun difference (f x v)
  "The derivative of F at X in the direction V by differences."
  (flet ((at (h) (wf:value (funcall f (wf.op:+ x (wf.op:* h v))))))
    (/ (- (at 1d-6) (at -1d-6)) 2d-6)))

(defun check-gradient (name f x)
  "Compares the gradient of F at X with differences, with that inside jit, that of a jit, and the derivative in a direction."
  (let* ((g (funcall (wf:grad f) x)) (v (wf:reshape (fractions (wf:length x) 5) (wf:dimensions x)))
         (along (wf:value (wf:sum (wf.op:* g v)))))
    (is (close-p along (difference f x v) 1d-6) "~A of ~D elements: ~A, differences ~A" name (wf:length x) along (difference f x v))
    (is (close-p along (wf:value (nth-value 1 (wf:jvp f x v))) 1d-12) "~A of ~D elements: forwards" name (wf:length x))
    (dolist (jit (list (wf:jit (wf:grad f)) (wf:grad (wf:jit f))))
      (is (close-sequences-p (funcall jit x) g 1d-14) "~A of ~D elements, by jit" name (wf:length x)))))

(defmacro check-gradients ((x &rest sizes) &body clauses)
  "Each clause: a name, and a form of X, which is a sequence of each of these sizes."
  `(dolist (n ',sizes)
     ,@(loop for (name form) in clauses collect `(check-gradient ,name (lambda (,x) ,form) (fractions n)))))

(defun factors (x) (wf:map (wf:fn (i) (sin (+ 1 (* 0.5d0 i)))) (wf:iota (wf:length x))))
(defun weighted (x) (wf:sum (wf.op:* x (factors x))))

(test gradients-of-sequences
  (check-gradients (x 1 2 33 1025)
    ("a map" (weighted (wf:map (wf:fn (x) (if (> x 0.5d0) (* x (exp x)) (sin x))) x)))
    ("a gather" (weighted (wf:tabulate (wf:fn (i) (* (aref x i) (aref x (mod (* 7 i) (length x))))) (wf:length x))))
    ("a scan" (weighted (wf:scan-incl #'+ (wf.op:* x x))))
    ("a filter" (wf:sum (wf:map #'sqrt (wf:filter (wf:fn (x) (> x 0.3d0)) x))))
    ("a softmax" (weighted (wf:softmax x)))
    ("draws" (wf:sum (wf.op:* x (wf.random:gaussian (wf.random:key 3) (wf:length x) 0d0 1d0 :type :f64))))))

(test gradients-of-arrays
  (flet ((a (x) (wf:reshape x '(6 6))))
    (check-gradients (x 36)
      ("a product" (wf:sum (wf.op:sin (wf:matmul (a x) (wf:transpose (a x))))))
      ("a solution" (weighted (wf:solve (wf.op:+ (a x) (wf.op:* 9 (wf:eye 6 :type :f64))) (wf:subseq x 0 6))))
      ("a pool" (wf:sum (wf.op:* (wf:max-pool (a x) 2 3) (wf:max-pool (a x) 2 3)))))))

(test gradients-by-hand
  (dolist (n '(0 1 2 33 1025 100001))
    (let* ((x (fractions n)) (y (fractions n 3)) (f (lambda (x y) (wf:sum (wf.op:* (wf.op:sin x) y)))))
      (flet ((same (got expected) (is (close-sequences-p got expected 1d-14) "~D elements" n)))
        (same (funcall (wf:grad f) x y) (wf.op:* (wf.op:cos x) y))
        (same (funcall (wf:grad f 1) x y) (wf.op:sin x))
        (multiple-value-bind (value by-y by-x) (funcall (wf:value-and-grad f 1 0) x y)
          (wf:force by-x value by-y)
          (is (close-p (wf:value value) (wf:value (funcall f x y)) 1d-13))
          (same by-x (wf.op:* (wf.op:cos x) y))
          (same by-y (wf.op:sin x)))
        (multiple-value-bind (z pull) (wf:vjp #'wf.op:* x y)
          (same z (wf.op:* x y))
          (multiple-value-bind (dx dy) (funcall pull x) (same dx (wf.op:* x y)) (same dy (wf.op:* x x)))
          (same (funcall pull y) (wf.op:* y y)))
        (multiple-value-bind (z dz) (wf:jvp #'wf.op:* x y y x)
          (same z (wf.op:* x y))
          (same dz (wf.op:+ (wf.op:* x x) (wf.op:* y y))))
        (same (funcall (wf:hessian-vector (lambda (x) (wf:sum (wf.op:* x (wf.op:* x x))))) x y) (wf.op:* 6 (wf.op:* x y)))
        (same (funcall (wf:grad (lambda (x) (wf:sum (funcall (wf:grad (lambda (x) (wf:sum (wf.op:exp x)))) x)))) x) (wf.op:exp x))
        (same (funcall (wf:grad (lambda (x) (wf:sum (wf.op:* x (wf:stop-gradient x))))) x) x)
        (same (funcall (wf:grad (lambda (x) (declare (ignore x)) (wf:sum y))) x) (wf.op:* 0d0 x))))))

(test gradients-do-not-leak-through-conditions
  (let ((x (wf:from-list '(0d0 4d0 -1d0))) (root (wf:fn (a) (if (> a 0) (sqrt a) 0d0))))
    (is (equal '(0d0 0.25d0 0d0) (wf:to-list (funcall (wf:grad (lambda (x) (wf:sum (wf:map root x)))) x))))
    (is (equal '(0d0 1d0 0d0) (wf:to-list (funcall (wf:grad #'wf:maximum) (wf:from-list '(1d0 4d0 4d0))))) "the first of equal ones")))

(defstruct layer (weights nil :type (or null wf:seq) :read-only t) (bias 0d0) (activation :sin))
(defstruct (strict-layer (:include layer)) (scale 1d0 :type double-float))

(test parameters-of-each-form
  (flet ((gradient (f x) (elements (wf:map-sequences #'wf:force (funcall (wf:grad f) x))))
         (scalar (x) (elements (wf:scalar x))))
    (let* ((x (fractions 33)) (its (elements (wf.op:* 2 x))))
      (flet ((square (x) (wf:sum (wf:reshape (wf.op:* x x) -1))))
        (is (equalp its (gradient #'square x)))
        (is (equalp (elements (wf:reshape (wf.op:* 2 x) '(3 11))) (gradient #'square (wf:reshape x '(3 11)))))
        (is (equalp (list its (list (scalar 4d0))) (gradient (lambda (p) (wf.op:+ (square (first p)) (square (first (second p))))) (list x (list 2d0)))))
        (is (equalp (list :a its :b (scalar 6.0)) (gradient (lambda (p) (wf.op:+ (square (getf p :a)) (square (getf p :b)))) (list :a x :b 3.0))))
        (is (equalp (vector its (scalar 1.0)) (gradient (lambda (p) (wf.op:+ (square (svref p 0)) (square (svref p 1)))) (vector x 1/2))))
        (is (equalp (cons its (scalar 0d0)) (gradient (lambda (p) (square (car p))) (cons x 2d0))) "it does not depend on the second one")
        (let ((g (funcall (wf:grad (lambda (l) (wf.op:* (layer-bias l) (square (layer-weights l))))) (make-layer :weights x :bias 3d0))))
          (is (close-sequences-p (layer-weights g) (wf.op:* 6 x) 1d-14))
          (is (close-p (wf:value (layer-bias g)) (wf:value (square x)) 1d-14))
          (is (eq :sin (layer-activation g)))))
      (is (equal '((0d0 1d0) () (1d0)) (wf:nested-list (funcall (wf:grad (lambda (s) (wf:sum (wf:reduce-segments #'max s :identity 0))))
                                                                (wf:segments (wf:from-list '(1d0 2d0 3d0)) :lengths (wf:from-list '(2 0 1))))))))
    (is (equal '(3d0 12.0) (list (wf:value (funcall (wf:grad #'wf.op:*) 2d0 3d0)) (wf:value (funcall (wf:grad (wf:fn (x) (expt x 3))) 2.0)))))
    (is (= 8d0 (wf:value (funcall (wf:grad (lambda (x &key (rate 1)) (wf.op:* rate (wf.op:* x x)))) 2d0 :rate 2))) "keywords")
    (says "wf:variable: the slot SCALE of STRICT-LAYER" (wf:variable (make-strict-layer)) "wf:seq")))

(test structures-as-arguments-of-jit
  (multiple-value-bind (jit traces) (counted-jit (lambda (l) (make-layer :weights (wf.op:+ (layer-weights l) (layer-bias l)) :activation (layer-activation l))))
    (loop for (bias activation new) in '((1d0 :sin 1) (2d0 :sin 0) (2d0 :cos 1))
          for result = (funcall jit (make-layer :weights (wf:from-list '(1d0 2d0)) :bias bias :activation activation))
          do (is (equal (list (+ 1 bias) (+ 2 bias)) (wf:to-list (layer-weights result))))
             (is (eq activation (layer-activation result)))
             (is (= new (funcall traces))))))

(test map-sequences-of-several-values
  (let ((r (wf:map-sequences #'wf.op:- (list :a (wf:from-list '(5 6)) 7) (list :a (wf:from-list '(1 2)) (wf:scalar 3)))))
    (is (equal '(:a (4 4) (4)) (list (first r) (wf:to-list (second r)) (wf:to-list (third r))))))
  (says "wf:map-sequences: " (wf:map-sequences #'wf.op:- (list 1 2) (list 1)) "the form of the first"))

(test gradients-by-run
  (let* ((x (wf:variable (fractions 1025))) (y (wf.op:sin x)) (early (wf:force (wf:sum (wf.op:* y y)))))
    (flet ((same (g) (is (close-sequences-p g (wf.op:* 2 (wf.op:* (wf.op:sin x) (wf.op:cos x))) 1d-14))))
      (same (wf:gradients early x))
      (is (plusp (wf:value early)))
      (same (wf:gradients early x))
      (wf:force y)
      (same (wf:gradients (wf:sum (wf.op:* y y)) x))
      (same (wf:gradients (list (wf:sum (wf.op:* y y)) (wf:sum (wf:stop-gradient y))) x)))
    (multiple-value-bind (by-x by-other) (wf:gradients (wf:sum x) x (wf:variable (list 1.0 (fractions 2))))
      (is (every (lambda (g) (= g 1)) (wf:to-vector by-x)))
      (is (equal '(0.0 (0d0 0d0)) (list (wf:value (first by-other)) (wf:to-list (second by-other))))))))

(test gradients-in-threads
  (let* ((x (wf:variable (fractions 33333))) (y (wf.op:exp (wf.op:* x x))) (expected (wf:force (wf:gradients (wf:sum y) x)))
         (step (wf:jit (wf:grad (lambda (x) (wf:sum (wf.op:* x x))))))
         (threads (loop for k below 2
                        collect (let ((k k))
                                  (sb-thread:make-thread
                                   (lambda ()
                                     (loop for n from 1 to 40
                                           always (and (close-sequences-p (wf:gradients (wf:sum y) x) expected 0)
                                                       (let ((z (fractions (+ n k)))) (close-sequences-p (funcall step z) (wf.op:* 2 z) 0))))))))))
    (is (equal '(t t) (mapcar #'sb-thread:join-thread threads)))))

(test gradients-of-functions-of-elements
  (let ((f (wf:fn (x y) (* x (sin y)))))
    (is (equal '(0d0 2d0) (first (wf:to-list (wf:map (wf:fn-gradient f '(:f64 :f64)) (wf:from-list '(2d0)) (wf:from-list '(0d0)) (wf:from-list '(1d0))))))
        "by x and by y")
    (is (search "(cos y)" (wf:fn-text (wf:fn-gradient f '(:f64 :f64) :forward t) :f64 :f64 :f64 :f64)))
    (says "wf:fn-gradient: " (wf:fn-gradient (wf:fn (x) (floor x)) '(:f64)) "no floats among its results")))

(test errors-of-gradients
  (let ((x (fractions 5)) (v (wf:variable (fractions 5))))
    (macrolet ((fails ((text &rest parts) form) `(says ,text ,form ,@parts)))
      (fails ("wf:variable" "i64" "f32 or f64" "wf:cast") (wf:variable (wf:iota 3)))
      (fails ("wf:grad" "i32") (funcall (wf:grad #'wf:sum) 3))
      (fails ("wf:variable" "from-array") (wf:variable #2a((1.0))))
      (fails ("wf:gradients" "not a variable" "wf:variable") (wf:gradients (wf:sum x) x))
      (fails ("wf:gradients" "has no history" "computed before") (wf:gradients (wf:force (wf:sum x)) v))
      (fails ("wf:grad" "which has no history" "without wf:value") (funcall (wf:grad (lambda (x) (wf:value (wf:sum x)))) x))
      (fails ("wf:value-and-grad" "NIL, which has no history") (funcall (wf:value-and-grad (constantly nil)) x))
      (fails ("wf:grad" "the shape 5" "wf:sum" "wf:vjp") (funcall (wf:grad #'identity) x))
      (fails ("wf:grad" "argument 2, but called with 1") (funcall (wf:grad #'wf:sum 2) x))
      (fails ("wf:grad" "opaque function \"sin\"") (funcall (wf:grad (lambda (x) (wf:sum (wf:map (wf:foreign-function "sin" '(:f64) :f64) x)))) x))
      (fails ("wf:vjp" "length 4" "length 5") (funcall (nth-value 1 (wf:vjp #'identity x)) (fractions 4)))
      (fails ("wf:vjp" "the form of the value") (funcall (nth-value 1 (wf:vjp #'identity x)) (list x)))
      (fails ("wf:jvp" "has no direction") (wf:jvp #'wf.op:* x x x))
      (fails ("wf:jvp" "the form of the argument") (wf:jvp #'wf:sum x (list x)))
      (fails ("wf:jit" "wf:stop-gradient") (funcall (wf:jit #'wf:sum) v)))))
