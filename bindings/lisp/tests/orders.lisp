;;;; Sorts and merges, next to STABLE-SORT and MERGE of Common Lisp.

(in-package #:warpfold-test)
(in-suite warpfold)

(defun noise (n)
  (loop for i below n collect (- (mod (+ (* 7919 i) (mod (* i i) 1013)) 2003) 1001)))

(defun stable (list predicate &optional (key #'identity)) (stable-sort (copy-list list) predicate :key key))
(defun mod-7 (x) (mod x 7))

(test sorted-numbers
  (dolist (n '(0 1 2 100007))
    (let* ((list (noise n)) (s (wf:from-list list :type :i32)))
      (is (equal (stable list #'<) (wf:to-list (wf:sort s #'<))))
      (is (equal (stable list #'>) (wf:to-list (wf:sort s '>))))
      (is (equal (stable list #'< #'mod-7) (wf:to-list (wf:sort s #'< :key (wf:fn (x) (mod x 7))))))
      (is (equal (stable list #'> #'mod-7) (wf:to-list (wf:sort s #'> :key (wf:fn (x) (mod x 7))))))
      (is (equal (stable list #'< #'mod-7) (wf:to-list (wf:sort s (wf:fn (x y) (< (mod x 7) (mod y 7)))))))
      (is (equal (stable list #'< (lambda (x) (abs (- x 3))))
                 (wf:to-list (wf:sort s (wf:fn (a b) (< (abs (- a 3)) (abs (- b 3)))) :key #'identity)))))))

(test sorted-tuples-keep-the-order-of-equal-elements
  (dolist (n '(0 1 2 100007))
    (let* ((list (loop for x in (noise n) for i from 0 collect (list (mod x 50) (float i))))
           (s (if list (wf:from-list list) (wf:zip (wf:from-list '()) (wf:from-list '() :type :f32)))))
      (is (equal (stable list #'< #'first) (wf:to-list (wf:sort s #'<))))
      (is (equal (stable list #'> #'first) (wf:to-list (wf:sort s #'> :key (wf:fn (x y) (declare (ignore y)) x)))))
      (is (equal (reverse list) (wf:to-list (wf:sort s #'> :key (wf:fn (x y) (declare (ignore x)) y)))))
      (is (equal (stable list (lambda (p q) (> (first p) (first q))))
                 (wf:to-list (wf:sort s (wf:fn ((a x) (b y)) (declare (ignore x y)) (> a b))))))
      (is (equal (stable list (lambda (p q) (or (< (first p) (first q)) (and (= (first p) (first q)) (> (second p) (second q))))))
                 (wf:to-list (wf:sort s #'< :key (wf:fn (x y) (values x (- y)))))))
      (is (equal (stable list (lambda (p q) (> (mod (first p) 7) (mod (first q) 7))))
                 (wf:to-list (wf:sort s (wf:fn (a b) (> (mod a 7) (mod b 7))) :key (wf:fn (x y) (declare (ignore y)) x))))))))

(test sorted-special-values
  (let* ((infinity sb-ext:single-float-positive-infinity)
         (nan (sb-kernel:make-single-float #x7fc00000))
         (s (wf:from-vector (coerce (list nan 1.5 -0.0 infinity 0.0 -2.0 -0.0 (- infinity) 0.0) '(vector single-float)))))
    (flet ((texts (s) (format nil "~{~A~^ ~}" (map 'list (lambda (x) (if (sb-ext:float-nan-p x) "nan" x)) (wf:to-vector s))))
           (text (list) (format nil "~{~A~^ ~}" list)))
      (is (equal (text (list (- infinity) -2.0 -0.0 -0.0 0.0 0.0 1.5 infinity "nan")) (texts (wf:sort s #'<))))
      (is (equal (text (list "nan" infinity 1.5 0.0 0.0 -0.0 -0.0 -2.0 (- infinity))) (texts (wf:sort s #'>)))))
    (is (equal '(nil t t) (wf:to-list (wf:sort (wf:from-list '(t nil t)) #'<))))
    (is (equal '(255 7 0) (wf:to-list (wf:sort (wf:from-list '(7 255 0) :type :u8) #'>))))))

(test merges
  (dolist (n '(0 1 100007))
    (let* ((a (noise n)) (b (noise (+ 3 (floor n 2))))
           (s (wf:from-list a)) (u (wf:from-list b)))
      (is (equal (merge 'list (stable a #'<) (stable b #'<) #'<) (wf:to-list (wf:merge (wf:sort s #'<) (wf:sort u #'<) #'<))))
      (is (equal (merge 'list (stable a #'>) (stable b #'>) #'>) (wf:to-list (wf:merge (wf:sort s #'>) (wf:sort u #'>) #'>))))
      (flet ((tagged (s tag) (wf:sort (wf:map (wf:fn (x) (values (mod x 7) tag)) s) #'<)))
        (let ((v (tagged s 1)) (w (tagged u 2)))
          (is (equal (merge 'list (wf:to-list v) (wf:to-list w) #'< :key #'first)
                     (wf:to-list (wf:merge v w (wf:fn ((a x) (b y)) (declare (ignore x y)) (< a b)))))))))))

(test sorted-results-are-sequences
  (let ((s (wf:sort (wf:filter #'evenp (wf:tabulate (wf:fn (i) i) 100000)) #'>)) (released (wf:from-list '(1))))
    (wf:release released)
    (is (= 50000 (wf:length s)))
    (is (= (+ 99998 99996 99994) (wf:value (wf:reduce #'+ (wf:take s 3)))))
    (names-itself (wf:sort released #'<) (wf:sort released #'< :key #'abs) (wf:merge s released #'<) (wf:sort 5 #'<)
                  (wf:sort s (let ((s s)) (wf:fn (x y) (< x (+ y (aref s x)))))))
    (signals wf:form-error (wf:sort s (wf:fn (x y) (- x y))))
    (signals wf:form-error (wf:sort s (wf:fn (x) (< x 1))))
    (signals wf:element-type-error (wf:merge s (wf:from-list '(1.0)) #'<))
    (signals wf:argument-error (wf:merge s (wf:from-list '(1) :context (wf:make-context "cpu")) #'<))))
