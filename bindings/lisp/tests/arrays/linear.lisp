;;;; Linear algebra: determinants, types, errors. values.lisp has the values of products and solutions.

(in-package #:warpfold-test)
(in-suite warpfold)

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

(test determinants-and-pivots
  (let* ((a (wf.op:/ (numbers '(17 17) :stored) 50d0)) (p (wf:force (wf.op:+ (wf:outer a a) (wf:eye 17 :type :f64)))) (l (wf:cholesky p)))
    (loop for (form matrix) in `((:general ,p) (:positive ,p) (:cholesky ,l))
          do (is (close-p (wf:value (wf:log-determinant matrix :form form)) (* 2 (wf:value (wf:log-determinant l :form :triangular))) 1d-9)))
    (is (close-p (wf:value (wf:log-determinant l :form :triangular)) (wf:value (wf:sum (wf:map #'log (wf:diagonal l)))) 1d-9)))
  (errors (wf:range-error "pivot" (wf:force (wf:solve (wf:full '(3 3) 1d0) (wf:iota 3))))
          (wf:range-error "pivot" (wf:force (wf:cholesky (wf.op:- (wf:eye 3)))))))

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
