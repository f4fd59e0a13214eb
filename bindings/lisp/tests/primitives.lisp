;;;; Tuples, laziness, plans, errors of views. values.lisp has the values of the primitives.

(in-package #:warpfold-test)
(in-suite warpfold)

(defun random-integers (n &optional (limit 100))
  (let ((state (sb-ext:seed-random-state 1)))
    (loop repeat n collect (- (random (* 2 limit) state) limit))))

(defparameter *lengths* '(0 1 2 31 1000 100003))

(test views
  (let ((s (wf:from-list '(0 1 2 3 4 5))))
    (is (equal '(4 5) (wf:to-list (wf:subseq s 4))))
    (is (= 3 (wf:elt s 3)))
    (is (= 3 (wf:value (wf:nth 3 s))))
    (is (= 6 (wf:length s)))
    (signals wf:range-error (wf:take s 7))
    (signals wf:range-error (wf:subseq s 4 2))
    (signals wf:range-error (wf:subseq s 8))
    (signals wf:range-error (wf:nth -1 s))
    (signals wf:range-error (wf:elt s 6))))

(test tuples
  (let* ((xs (wf:from-list '(1 2 3))) (ys (wf:from-list '(0.5 1.5 2.5))) (pairs (wf:zip xs ys)))
    (is (equal '(:i64 :f32) (wf:element-types pairs)))
    (is (equal '((1 0.5) (2 1.5) (3 2.5)) (wf:to-list pairs)))
    (multiple-value-bind (a b) (wf:unzip pairs)
      (is (equal '(1 2 3) (wf:to-list a)))
      (is (equal '(0.5 1.5 2.5) (wf:to-list b))))
    (is (equal '((0.5 1) (1.5 2) (2.5 3)) (wf:to-list (wf:columns pairs 1 0))))
    (is (equal '(1.5 3.5 5.5) (wf:to-list (wf:map #'+ pairs))))
    (is (equal '(2.5 4.5 6.5) (wf:to-list (wf:map (wf:fn ((x y) z) (+ x y z)) pairs (wf:from-list '(1 1 1))))))
    (is (equal '((2 1.5) (3 2.5)) (wf:to-list (wf:filter (wf:fn (x y) (and (> x 1) (> y 1))) pairs))))
    (is (equal '((3 2.5) (2 1.5) (1 0.5)) (wf:to-list (wf:reverse pairs))))
    (is (equal '(2 1.5) (multiple-value-list (wf:elt pairs 1))))
    (is (equal '(6 2.5) (multiple-value-list
                         (wf:value (wf:reduce (wf:fn ((a x) (b y)) (values (+ a b) (max x y))) pairs :identity '(0 -1))))))
    (is (equal '((0 0.0) (1 0.5) (3 1.5))
               (wf:to-list (wf:scan (wf:fn ((a x) (b y)) (values (+ a b) (max x y))) pairs :identity '(0 0)))))
    (is (equal '((1 0.5)) (wf:to-list (let ((pairs pairs)) (wf:tabulate (wf:fn (i) (aref pairs i)) 1))))
        "an element of a captured sequence of pairs")
    (is (equal '((1 2) (3 4)) (wf:to-list (wf:from-list '((1 2) (3 4))))))))

(test the-columns-are-those-of-the-library
  ;; Types are inferred in Lisp; the library must agree.
  (let ((s (wf:zip (wf:from-list '(1 2) :type :u8) (wf:from-list '(1.0 2.0)))))
    (dolist (made (list s (wf:columns s 1 0 0) (wf:map (wf:fn (c x) (values (+ c 1) (sqrt c) (< x c) (logior c 8))) s)
                        (wf:filter (wf:fn (c x) (< c x)) s) (wf:reverse s) (wf:nth 0 s)
                        (wf:reduce (wf:fn (a b c d) (values (max a c) (+ b d))) s :identity '(0 0))
                        (wf:tabulate (wf:fn (i) (values i (float i) (coerce i 'double-float) (= i 0))) 3)))
      (is (equal (wf:element-types made) (library-types made)))
      (is (= (wf:rank made) (library-rank made))))))

(defun library-types (s)
  (warpfold::with-pointers ((s s))
    (cffi:with-foreign-object (n :int32)
      (wf.raw:wf-column-count s n)
      (loop for k below (cffi:mem-ref n :int32)
            collect (cffi:with-foreign-object (type :int32)
                      (wf.raw:wf-column-type s k type)
                      (warpfold::type-of-code (cffi:mem-ref type :int32)))))))

(defun library-rank (s)
  (warpfold::with-pointers ((s s))
    (cffi:with-foreign-object (rank :int32)
      (wf.raw:wf-rank s rank)
      (cffi:mem-ref rank :int32))))

(test delayed-scalars
  (let* ((s (wf:from-list '(3 1 2)))
         (total (wf:reduce #'+ s)) (least (wf:reduce #'min s)))
    (is (not (wf:manifest-p total)))
    (is (= 1 (wf:value (wf:map (wf:fn (total least) (if (= total 6) least 0)) total least))))
    (is (= 6 (wf:value total)))
    (is (eq t (wf:value (wf:map (wf:fn (x) (> x 5)) total))))
    (is (= 10 (wf:value (wf:map #'+ (wf:scalar 4) total))))
    (signals wf:argument-error (wf:value s))))

(test nothing-runs-before-values-are-asked-for
  (let* ((s (wf:from-list '(1.0 2.0 3.0)))
         (m (wf:map #'1+ s)) (f (wf:filter #'plusp m)) (r (wf:reduce #'+ m)))
    (wf:explain m f r)
    (princ-to-string (list m f r))
    (is (notany #'wf:manifest-p (list m f r)))
    (is (eq m (wf:force m f r)))
    (is (every #'wf:manifest-p (list m f r)))))

(test plans
  (let* ((s (wf:from-vector (vector-of 'single-float 1000 #'identity)))
         (squares (wf:map (wf:fn (x) (* x x)) s))
         (plan (wf:explain (wf:reduce #'+ squares) (wf:reduce #'max squares))))
    (is (search "1 kernel" plan))
    (is (search "digraph" (wf:explain-dot squares)))))

(test large-graphs-are-no-recursion
  (let ((s (wf:from-list '(0))))
    (dotimes (k 20000) (setf s (wf:map #'1+ s)))
    (is (equal '(20000) (wf:to-list s)))))
