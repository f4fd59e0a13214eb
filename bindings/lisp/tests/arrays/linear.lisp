;;;; Linear algebra by residuals, types, errors. values.lisp has the values of products.

(in-package #:warpfold-test)
(in-suite warpfold)

(defun doubles (dimensions kind) (wf.op:/ (numbers dimensions kind) 50d0))

(defun small-p (array)
  "Returns true if all elements are almost 0."
  (< (reduce #'max (map 'list #'abs (flat (wf:to-array array))) :initial-value 0) 1d-9))

(defun same-arrays (a b) (small-p (wf.op:- a b)))

(test products-of-matrices
  (let ((a (numbers '(2 3) :stored)) (v (numbers '(3) :stored)))
    (is (equal '(2) (wf:dimensions (wf:matmul a v))))
    (is (= (wf:value (wf:dot v v)) (wf:value (wf:matmul v v))))
    (is (equal (wf:to-list (wf:matmul a v)) (wf:to-list (wf:matmul v (wf:transpose a)))))
    (is (equal '(5 2 4) (wf:dimensions (wf:matmul (numbers '(5 2 3) :stored) (numbers '(3 4) :stored)))))
    (is (equal (wf:to-list (wf:matmul (wf:matmul a (wf:transpose a)) a)) (wf:to-list (wf:matmul a (wf:transpose a) a))))
    (is-array (plain-array '(3 3) (lambda (i j) (if (= i j) 1 0))) (wf:matrix-power (numbers '(3 3) :stored) 0))
    (is (equal (wf:to-list (wf:matrix-power (numbers '(3 3) :stored) 3))
               (let ((b (numbers '(3 3) :stored))) (wf:to-list (wf:matmul b b b)))))
    (is-array (plain-array '(3 3) (lambda (i j) (cond ((< i j) (number-at (+ (* 3 i) j))) ((= i j) 1) (t 0))))
              (wf:triangle (numbers '(3 3) :stored) :unit-upper))
    (errors (wf:size-error "wf:matmul: " (wf:matmul a a))
            (wf:size-error "wf:solve: " (wf:solve a v))
            (wf:argument-error "form" (wf:solve (numbers '(3 3) :stored) v :form :diagonal)))))

(test systems-of-equations
  (loop for n in '(1 2 3 17 57)
        for a = (wf.op:+ (doubles (list n n) :stored) (wf.op:* (* 2d0 n) (wf:eye n :type :f64)))
        for p = (wf:force (wf.op:+ (wf:matmul a (wf:transpose a)) (wf:eye n :type :f64)))
        for b = (doubles (list n 3) :delayed) for v = (doubles (list n) :stored)
        do (is (same-arrays b (wf:matmul a (wf:solve a b))))
           (is (same-arrays v (wf:matmul a (wf:solve a v))))
           (is (same-arrays b (wf:matmul p (wf:solve p b :form :positive))))
           (is (same-arrays b (wf:matmul p (wf:solve (wf:cholesky p) b :form :cholesky))))
           (is (same-arrays b (wf:matmul (wf:triangle a :unit-lower) (wf:solve a b :form :unit-lower))))
           (is (same-arrays (wf:triangle-product :upper a b) (wf:matmul (wf:triangle a :upper) b)))
           (is (same-arrays (wf:eye n) (wf:matmul a (wf:inverse a))))
           (is (same-arrays (wf:inverse p) (wf:inverse p :form :positive)))
           (dolist (form '(:lower :upper))
             (is (same-arrays (wf:eye n) (wf:triangle-product form a (wf:inverse a :form form)))))
           (let ((l (wf:cholesky p)))
             (is (same-arrays (wf:eye n) (wf:matmul (wf:triangle l :unit-lower) (wf:inverse l :form :unit-lower))))
             (is (same-arrays (wf:eye n) (wf:matmul (wf:inverse (wf:transpose l) :form :unit-upper) (wf:triangle (wf:transpose l) :unit-upper)))))
           (is (same-arrays (wf:triangle a) (wf.op:+ (wf:phi a) (wf.op:/ (wf:diagonal-matrix (wf:diagonal a)) 2))))
           (is (close-p (wf:value (wf:log-determinant p)) (* 2 (wf:value (wf:log-determinant (wf:cholesky p) :form :triangular))) 1d-9))
           (is (close-p (wf:value (wf:log-determinant p :form :positive)) (wf:value (wf:log-determinant p)) 1d-9)))
  (errors (wf:range-error "pivot" (wf:force (wf:solve (wf:full '(3 3) 1d0) (wf:iota 3))))
          (wf:range-error "pivot" (wf:force (wf:cholesky (wf.op:- (wf:eye 3)))))))

(test factorizations
  (loop for (m n) in '((1 1) (3 3) (17 5) (5 17) (57 57))
        for a = (wf:force (doubles (list m n) :delayed))
        do (multiple-value-bind (q r) (wf:qr a)
             (is (same-arrays a (wf:matmul q r)))
             (is (same-arrays (wf:eye (min m n)) (wf:inner q q)))
             (is (same-arrays r (wf:triangle r :upper))))
           (multiple-value-bind (u s v) (wf:singular-values a)
             (is (same-arrays a (wf:matmul (wf.op:* u s) v)))
             (is (wf:sorted-p s #'>))
             (is (same-arrays (wf:eye (min m n)) (wf:inner u u))))
           (let ((p (wf:inner a a)))
             (multiple-value-bind (values vectors) (wf:eigen p)
               (is (same-arrays (wf:matmul p vectors) (wf.op:* vectors values)))
               (is (wf:sorted-p values #'<))))))

(test blas-names
  (is (= 5 (wf:value (wf:nrm2 (wf:from-list '(3.0 -4.0))))))
  (let ((a (numbers '(2 3) :stored)))
    (is (same-arrays (wf:gemm 2 a a 3 (wf:eye 3) :transpose-a t) (wf.op:+ (wf.op:* 2 (wf:inner a a)) (wf.op:* 3 (wf:eye 3)))))
    (errors (wf:size-error "wf:frobenius: a has shape 2 x 3 and type (i64), and b 3 x 2" (wf:frobenius a (wf:transpose a)))
            (wf:size-error "wf:gemm: a has shape 2 x 3 and b 2 x 3" (wf:gemm 1 a a 0 a))
            (wf:size-error "wf:geerv: the shape is 2 x 3: expected a sequence" (wf:geerv 1 a a 0 a))
            (wf:size-error "wf:inverse: a has shape 2 x 3" (wf:inverse a :form :lower))
            (wf:argument-error "form" (wf:inverse a :form :diagonal))
            (wf:range-error "0 on its diagonal at row 0" (wf:force (wf:inverse (wf:full '(2 2) 0d0) :form :upper))))))

(test images-of-windows
  (let ((bytes (wf:cast (wf:reshape (wf:iota 24) '(4 6)) :u8)))
    (is (equalp #2a((8 11) (20 23)) (wf:to-array (wf:max-pool bytes 2 3))))
    (is (equal '(:u8) (wf:element-types (wf:convolve bytes (wf:from-array #2a((1)) :type :u8)))))))
