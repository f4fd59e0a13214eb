;;;; Mutables: the values after updates, whoever else holds the old ones, and the memory that updates need.

(in-package #:warpfold-test)
(in-suite warpfold)

(defconstant +large+ (+ (expt 2 20) 7))

(defun counted (n) (wf:tabulate (wf:fn (i) (wf:cast i :i32)) n))
(defun linear-p (n a b sequence)
  "Returns true if the elements of SEQUENCE are a i + b."
  (let ((elements (wf:to-vector sequence)))
    (and (= n (length elements)) (loop for x across elements for i from 0 always (= x (+ (* a i) b))))))

(test updates
  (dolist (n (list 0 1 2 63 64 65 2047 +large+))
    (let ((m (wf:mutable (counted n))))
      (wf:modify (wf:fn (x) (+ (* 2 x) 1)) m)
      (wf:modify '+ m (counted n))
      (is-true (linear-p n 3 1 (wf:contents m)))
      (setf (wf:contents m) (wf:map (wf:fn (x) (- x)) (wf:contents m)))
      (is-true (linear-p n -3 -1 (wf:contents m)))
      (wf:modify '+ m (wf:reverse (wf:contents m)))
      (is-true (linear-p n 0 (- (+ 2 (* 3 (1- n)))) (wf:contents m))))))

(test updates-within-the-memory-of-one
  (with-budget (context (* 64 +mega+))
    (let ((m (wf:mutable (counted +large+))))
      (sb-ext:gc :full t)
      (setf (wf:context-limit context) (wf:context-memory context))
      (dotimes (k 50) (wf:modify (wf:fn (x) (+ x 3)) m))
      (setf (wf:context-limit context) nil)
      (is-true (linear-p +large+ 1 150 (wf:contents m))))))

(test old-contents-keep-their-values
  (let* ((m (wf:mutable (counted +large+))) (old (wf:contents m)) (view (wf:drop old 3)) (sum (wf:sum old))
         (captured (wf:tabulate (wf:fn (i) (aref old i)) +large+)))
    (wf:modify (wf:fn (x) (* x -1)) m)
    (is-true (linear-p +large+ -1 0 (wf:contents m)))
    (is-true (linear-p +large+ 1 0 old))
    (is-true (linear-p (- +large+ 3) 1 3 view))
    (is-true (linear-p +large+ 1 0 captured))
    (is (= (wf:value (wf:sum (counted +large+))) (wf:value sum)))
    (let ((given (counted 1000)))
      (setf (wf:contents m) given)
      (wf:modify (wf:fn (x) (+ x 1)) m)
      (is-true (linear-p 1000 1 0 given))
      (is-true (linear-p 1000 1 1 (wf:contents m))))))

(test mutable-arrays-and-pairs
  (let ((m (wf:mutable (wf:reshape (counted 12) '(3 4)))))
    (is (eq m (wf:modify (wf:fn (x y) (+ x (* 100 y))) m (counted 4))))
    (is (equal '(3 4) (wf:dimensions (wf:contents m))))
    (is (equal (loop for i below 12 collect (+ i (* 100 (mod i 4)))) (coerce (wf:to-vector (wf:reshape (wf:contents m) '(12))) 'list)))
    (signals wf:size-error (wf:modify '+ m (wf:reshape (counted 24) '(2 3 4))))
    (signals wf:size-error (wf:modify '+ m (counted 5)))
    (signals wf:element-type-error (wf:modify (wf:fn (x) (/ x 2.5)) m))
    (is (equal '(3 4) (wf:dimensions (wf:contents m)))))
  (let ((pairs (wf:mutable (wf:zip (counted 1000) (counted 1000)))))
    (wf:modify (wf:fn (x y) (values (+ y 1) x)) pairs)
    (is (equal (loop for i below 1000 collect (list (1+ i) i)) (wf:to-list (wf:contents pairs))))))

(test variables-that-are-not-mutables
  (names-itself (wf:contents 5) (wf:modify #'abs (wf:iota 3)))
  (handler-case (setf (wf:contents 5) (wf:iota 3))
    (wf:argument-type-error (condition)
      (is (eql 5 (type-error-datum condition)))
      (is (eql 0 (search "wf:contents: 5 is not a variable that holds a sequence" (princ-to-string condition)))))))

(test errors-leave-the-contents
  (let ((m (wf:mutable (counted +large+))) (table (counted (1- +large+))))
    (signals wf:range-error (wf:modify (wf:fn (x) (aref table x)) m))
    (signals wf:size-error (wf:modify '+ m table))
    (signals wf:range-error (setf (wf:contents m) (wf:map (wf:fn (x) (aref table x)) (wf:contents m))))
    (is-true (linear-p +large+ 1 0 (wf:contents m)))))
