;;;; Arrays of different shapes and numbers in one operation.

(in-package #:warpfold-test)
(in-suite warpfold)

(test broadcasts
  (dolist (kind *kinds*)
    (is-array (plain-array '(2 3 5) (lambda (i j k) (+ (number-at i) (number-at j) (number-at k))))
              (wf:map #'+ (numbers '(2 1 1) kind) (numbers '(3 1) kind) (numbers '(5) kind)))
    (is-array (plain-array '(0 3) #'+) (wf:map #'+ (numbers '(0 1) kind) (numbers '(3) kind)))))

(test shapes-that-do-not-fit
  (loop for (a b) in '(((2 3) (3 2)) ((2 3) (2)) ((3) (4)) ((0) (3)) ((2 0) (2 3)))
        do (signals wf:size-error (wf:map #'+ (numbers a :stored) (numbers b :delayed))))
  (signals wf:size-error (wf:zip (numbers '(2 3) :stored) (numbers '(6) :stored))))

(test numbers-among-arrays
  (let ((a (numbers '(2 3) :stored)) (plain (plain-numbers '(2 3))))
    (flet ((expect (function view) (is-array (plain-array '(2 3) (lambda (i j) (funcall function (aref plain i j)))) view)))
      (expect #'1+ (wf:map #'+ a 1))
      (expect (lambda (x) (- 10 x)) (wf:map #'- 10 a))
      (expect (lambda (x) (* 2.5 x)) (wf:map (wf:fn (x y) (* x y)) 2.5 a))
      (expect (lambda (x) (if (> x 0) x 7)) (wf:where (wf.op:> a 0) a 7))
      (expect (lambda (x) (if (> x 0) 1 0)) (wf:where (wf.op:> a 0) 1 0))
      (expect (lambda (x) (> x 0)) (wf:map 'and (wf.op:> a 0) t))
      (loop for c below 20 do (expect (lambda (x) (+ c x)) (wf.op:+ a c))))
    (is (equal '(:i64) (wf:element-types (wf.op:+ a 1))))
    (is (equal '(:f32) (wf:element-types (wf.op:* 2 (wf:cast a :f32)))))
    (is (equal '(:f64) (wf:element-types (wf.op:* 2d0 (wf:cast a :f32)))))
    (is (equal '(3 4 5) (wf:to-list (wf:map #'+ (wf:scalar 3) (wf:iota 3)))))
    (signals wf:argument-error (wf.op:+ 1 2))
    (signals wf:argument-error (wf.op:+ a 'x))
    (signals wf:form-error (wf.op:+ a t))))

(test clamps
  (let ((a (numbers '(3 17) :stored)) (plain (plain-numbers '(3 17))))
    (is-array (plain-array '(3 17) (lambda (i j) (max -10.5 (min 20 (aref plain i j))))) (wf:clamp a -10.5 20))
    (is-array (plain-array '(3 17) (constantly 5)) (wf:clamp a 5 -5))
    (is-array plain (wf:map 'wf:pos a)))
  (is (equal '(:i64) (wf:element-types (wf:clamp (numbers '(3) :stored) 0 2))))
  (is (equal '(1 1 0) (wf:to-list (wf:clamp (wf:from-list '(5 1 -5)) 0 (wf:from-list '(1 2 3))))))
  (signals wf:size-error (wf:clamp (numbers '(2 3) :stored) 0 (numbers '(2) :stored))))

(eval-when (:compile-toplevel :load-toplevel :execute)
  (defun with-array-operators (form)
    "FORM with the operators of warpfold.operators."
    (if (consp form)
        (cons (find-symbol (symbol-name (first form)) '#:warpfold.operators) (mapcar #'with-array-operators (rest form)))
        form)))

(test maps-with-indices
  (dolist (kind *kinds*)
    (let ((plain (plain-numbers '(3 17 2))))
      (is-array (plain-array '(3 17 2) (lambda (i j k) (+ (* 100 i) (* 10 j) k (aref plain i j k))))
                (wf:map-indexed (wf:fn (i j k x) (+ (* 100 i) (* 10 j) k x)) (numbers '(3 17 2) kind)))))
  (is (equal '(:i64 :i64 :f32) (wf:element-types (wf:enumerate (wf:eye 3))))))

(test operators-of-arrays
  (let* ((a (wf:tabulate (wf:fn (i j) (+ 1.5 i (* 0.25 j))) '(3 17))) (b (wf:slice a 1)))
    (macrolet ((all (&rest forms)
                 `(progn ,@(loop for form in forms
                                 collect `(is-array (plain-array '(3 17) (lambda (i j) (let ((a (+ 1.5 i (* 0.25 j))) (b (+ 2.5 (* 0.25 j))))
                                                                                         (declare (ignorable a b))
                                                                                         ,form)))
                                                    ,(with-array-operators form)
                                                    ',form)))))
      (all (+ a b) (+ a b 1) (- a b) (- a) (* a b 2) (/ a b) (/ 1 a) (= a b) (/= a b) (< a b) (<= a b) (> a b) (>= a 2) (min a b) (max a b 3)
           (abs (- a b)) (signum (- a b)) (mod a b) (rem a b) (floor a) (ceiling a) (truncate a) (round a) (expt a 2) (exp a) (log a) (sqrt a)
           (sin a) (cos a) (tan a) (atan a) (atan a b) (sinh a) (cosh a) (tanh a) (asin (/ a 100)) (acos (/ a 100))
           (and (< a b) (> a 2)) (or (< a b) (> b 3)) (not (< a b)) (logand (floor a) 3) (logior (floor a) 1) (logxor (floor a) 5)
           (lognot (floor a)) (ash (floor a) 2)))))
