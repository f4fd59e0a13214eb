;;;; Views, and elements of captured arrays inside wf:fn.

(in-package #:warpfold-test)
(in-suite warpfold)

(test slices
  (dolist (kind *kinds*)
    (let* ((shape '(17 5)) (plain (plain-numbers shape)) (a (numbers shape kind)))
      (flet ((expect (dimensions index view) (is-array (plain-view plain dimensions index) view)))
        (expect '() (lambda () '(16 0)) (wf:slice a -1 0))
        (expect '(17 5) #'list (wf:slice a))
        (expect '(4 5) (lambda (i j) (list (- 13 (* 3 i)) j)) (wf:slice a '(-4 1 -3)))
        (expect '(0 5) #'list (wf:slice a '(6 2)))
        (expect '(0 5) #'list (wf:slice a '(17)))
        (expect '(17 5) (lambda (i j) (list (- 16 i) (- 4 j))) (wf:flip a))
        (expect '(17 5) #'list (wf:rotate a 10 :axis -1))
        (expect '(3) (lambda (k) (list (- 16 (* 2 k)) 1)) (wf:slice (wf:transpose (wf:slice a '(nil nil -2))) 1 '(0 3))))
      (dolist (bad '((18) (0 18) (-18) (0 2 0) (0 1 1 1) (0.5) (x)))
        (signals wf:range-error (wf:slice a bad)))
      (signals wf:range-error (wf:slice a 'all)))))

(test translations
  (is (equal '(7 7 0 1 2) (wf:to-list (wf:translate (wf:iota 5) 2 :outside 7))))
  (is (equal '(nil t) (wf:to-list (wf:translate (wf:from-list '(t nil)) 1))))
  (is (equal '(0.0 1.5) (wf:to-list (wf:translate (wf:from-list '(1.5 2.5)) '(1)))))
  (is (equalp '(((0 0.0) (0 2.5)) ((9 -1.0) (0 2.5)))
              (loop for pairs in (list (wf:translate (wf:zip (wf:iota 2) (wf:from-list '(2.5 3.5))) 1)
                                       (wf:translate (wf:zip (wf:iota 2) (wf:from-list '(2.5 3.5))) 1 :outside '(9 -1.0)))
                    collect (wf:to-list pairs))))
  (errors (wf:size-error "wf:translate: the distances are (1), but the shape is 2 x 3: expected one per axis"
                         (wf:translate (numbers '(2 3) :stored) '(1)))
          (wf:element-value-error "wf:translate: the value outside is 1.5" (wf:translate (numbers '(2) :stored) 1 :outside 1.5))))

(test parts-along-axes
  (dolist (kind *kinds*)
    (let ((a (numbers '(17 3) kind)) (plain (plain-numbers '(17 3))))
      (is-array plain (apply #'wf:join 1 (wf:split-along a -1 '(1 2 0))))
      (is (null (wf:split-along (numbers '(0 3) kind) 0 '())))
      (errors (wf:size-error "wf:split-along: the extents of the parts are (2 2): expected numbers from 0 with the sum 3, the extent of axis 1 of the shape 17 x 3"
                             (wf:split-along a 1 '(2 2)))
              (wf:size-error "the extents of the parts are (-1 4)" (wf:split-along a 1 '(-1 4)))
              (wf:range-error "wf:split-along: the axis is 2" (wf:split-along a 2 '(3)))))))

(test strides-and-conformity
  (dolist (shape *shapes*)
    (let ((a (numbers shape :delayed)))
      (is (equal (loop for (nil . inner) on shape collect (reduce #'* inner)) (wf:strides a)))
      (is (wf:conforms-p a (wf:cast a :f32)))
      (is (not (wf:conforms-p a (wf:insert-axis a 0))))))
  (is (not (wf:conforms-p (numbers '(2 3) :stored) (numbers '(3 2) :stored)))))

(test views-by-strides
  (let ((a (numbers '(17 9) :view)))
    (is (equal '(0) (wf:dimensions (wf:diagonal a 9))))
    (is (equal '(0 8 18 2) (wf:dimensions (wf:sliding-windows a '(18 2)))))
    (signals wf:size-error (wf:sliding-windows a '(3)))
    (signals wf:size-error (wf:displace a '(3 3) :strides '(1)))))

(test elements-of-captured-arrays
  (dolist (kind *kinds*)
    (let* ((shape '(17 5 3)) (plain (plain-numbers shape)) (a (numbers shape kind)))
      (is-array (plain-view plain '(3 17 5) (lambda (i j k) (list j k i))) (wf:tabulate (wf:fn (i j k) (aref a j k i)) '(3 17 5)))
      (is-array (plain-array '(17) (lambda (i) (loop for j below 5 sum (aref plain i j 1))))
                (wf:tabulate (wf:fn (i) (loop for j below (array-dimension a 1) sum (wf:aref a i j 1))) 17))
      (is-array (plain-array '(255) (lambda (k) (row-major-aref plain k))) (wf:tabulate (wf:fn (k) (row-major-aref a k)) 255))
      (dolist (indices '((17 0 0) (0 5 0) (0 0 3) (-1 0 0) (0 -1 0) (0 0 -1)))
        (destructuring-bind (i j k) indices
          (signals wf:range-error (wf:to-vector (wf:tabulate (wf:fn (n) (aref a (+ n i) (+ n j) (+ n k))) 1)))))
      (signals wf:form-error (wf:tabulate (wf:fn (i) (aref a i)) 2))
      (signals wf:form-error (wf:tabulate (wf:fn (i) (aref a i 0 (* 0.5 i))) 2))
      (signals wf:form-error (wf:tabulate (wf:fn (i) (array-dimension a 3)) 2)))))

(test rows-of-captured-arrays
  (dolist (kind *kinds*)
    (let* ((plain (plain-numbers '(5 3 17))) (a (numbers '(5 3 17) kind)) (m (wf:slice a t 1)))
      (is-array (plain-array '(3 5) (lambda (j i) (loop for k below 17 sum (aref plain i j k))))
                (wf:tabulate (wf:fn (j i) (reduce #'+ (wf:slice a i j))) '(3 5)))
      (is-array (plain-array '(5 5) (lambda (i j) (loop for k below 17 sum (* (aref plain i 1 k) (aref plain j 1 k)))))
                (wf:tabulate (wf:fn (i j) (reduce #'+ (map 'vector #'* (wf:slice m i) (wf:slice m j)))) '(5 5)))
      (is-array (plain-array '(5) (lambda (i) (loop for k below 17 count (evenp (aref plain i 1 k)))))
                (wf:tabulate (wf:fn (i) (let ((row (wf:slice m i))) (count-if #'evenp row))) 5))
      (is-array (plain-array '(5) (lambda (i) (aref plain i 1 3))) (wf:tabulate (wf:fn (i) (aref (wf:slice m i) 3)) 5))
      (dolist (bad '((5 0) (-1 0) (0 3) (0 -1)))
        (destructuring-bind (i j) bad
          (signals wf:range-error (wf:to-vector (wf:tabulate (wf:fn (n) (reduce #'+ (wf:slice a (+ i n) (+ j n)))) 1)))))
      (signals wf:range-error (wf:to-vector (wf:tabulate (wf:fn (i) (aref (wf:slice m i) 17)) 5)))
      (signals wf:form-error (wf:tabulate (wf:fn (i) (reduce #'+ (wf:slice a i))) 5))
      (signals wf:form-error (wf:tabulate (wf:fn (i) (reduce #'+ (wf:slice m (* 0.5 i)))) 5)))))

(test arrays-with-other-elements
  (dolist (kind *kinds*)
    (let* ((plain (plain-numbers '(17 5))) (a (numbers '(17 5) kind)) (b a) (m (wf:mutable a)) (order '()))
      (flet ((expect (f got) (is-array (plain-array '(17 5) (lambda (i j) (or (funcall f i j) (aref plain i j)))) got)))
        (setf (wf:aref b 3 4) 1000)
        (expect (lambda (i j) (and (= i 3) (= j 4) 1000)) b)
        (expect (constantly nil) a)
        (expect (lambda (i j) (and (= j 1) (* 10 i))) (wf:overwrite a (wf:map (wf:fn (i) (* 10 i)) (wf:iota 17)) t 1))
        (expect (lambda (i j) (and (< 1 i 6) (evenp j) 7)) (wf:overwrite a 7 '(2 6) '(nil nil 2)))
        (expect (constantly 5) (wf:overwrite a 5))
        (setf (wf:slice (wf:contents (progn (push 1 order) m)) (progn (push 2 order) 0) '(nil nil -1)) (progn (push 3 order) (wf:iota 5)))
        (is (equal '(3 2 1) order) "subforms are evaluated once, in order")
        (expect (lambda (i j) (and (= i 0) (- 4 j))) (wf:contents m)))
      (errors (wf:size-error "wf:overwrite" (wf:overwrite a (wf:iota 4) 0)) (wf:range-error "wf:overwrite" (wf:overwrite a 1 17))
              (wf:element-type-error "wf:overwrite" (wf:overwrite a 1.5 0)))))
  (let ((g (funcall (wf:grad (lambda (x) (setf (wf:slice x 0) (wf.op:* 3 (wf:slice x 1))) (wf:sum x))) (wf:from-list '(1.0 2.0 3.0)))))
    (is (equal '(0.0 4.0 1.0) (wf:to-list g)) "gradients pass through")))
