;;;; Functions by name, sorts and merges: special values, tuples, types, plans, errors. values.lisp has their values.

(in-package #:warpfold-test)
(in-suite warpfold)

(defparameter *sizes* '(0 1 2 100007))

(test several-at-once-are-one-kernel
  (let ((s (wf:from-vector (vector-of 'single-float 1000 #'identity))))
    (is (search "1 kernel" (multiple-value-call #'wf:explain (wf:minmax s) (wf:mean s) (wf:count-if #'plusp s))))))

(test extremes-of-special-values
  (let* ((nan (sb-kernel:make-double-float #x7ff80000 0)) (infinity sb-ext:double-float-positive-infinity))
    (flet ((s (&rest list) (wf:from-vector (coerce list '(vector double-float)))))
      (is (= 3 (wf:value (wf:argmax (s nan -1d0 nan 2d0 nan 2d0)))))
      (is (= 1 (wf:value (wf:argmin (s nan -1d0 nan 2d0 nan -1d0)))))
      (is (= 0 (wf:value (wf:argmax (s nan nan)))))
      (is (= 0 (wf:value (wf:argmax (s (- infinity) (- infinity))))))
      (is (= 1 (wf:value (wf:argmax (wf:from-list '(nil t t)) :predicate #'<)))))))

(test steps-of-several-columns
  (let ((s (wf:zip (wf:iota 1000) (wf:tabulate (wf:fn (i) (float i)) 1000)))
        (f (wf:fn ((count most) (i x)) (values (+ count (logand i 1)) (max (* 0.5 most) x)))))
    (is (equal '(500 999.0) (multiple-value-list (wf:value (wf:iterate f '(0 0) s)))))
    (is (equal '(500 999.0) (multiple-value-list (wf:elt (wf:iterate-prefixes-incl f '(0 0) s) 999))))
    (is (equal '((0 0.0) (0 0.0) (1 1.0)) (wf:to-list (wf:take (wf:iterate-prefixes f '(0 0) s) 3))))))

(test sets-of-tuples-and-special-values
  (let* ((nan (sb-kernel:make-double-float #x7ff80000 0))
         (s (wf:zip (wf:from-list '(1 1 0 1 0 0 0 1 1))
                    (wf:from-vector (coerce (list 0.5d0 -0.5d0 2d0 0.5d0 nan 2d0 nan -0d0 0d0) '(vector double-float)))))
         (u (wf:unique s)))
    (is (equal '(0 0 1 1 1 1) (wf:to-list (wf:columns u 0))))
    (is (equal '(2d0 -0.5d0 -0d0 0d0 0.5d0) (remove-if #'sb-ext:float-nan-p (wf:to-list (wf:columns u 1)))))
    (is (= 4 (wf:length (wf:intersection u (wf:unique (wf:take s 5))))) "2, NaN, -0.5, 0.5")
    (is (equal '(5) (wf:to-list (wf:binary-search u (wf:zip (wf:from-list '(1)) (wf:from-list '(0.25d0))) (wf:fn ((a x) (b y)) (or (< a b) (and (= a b) (< x y)))))))))
  (is (equal '(3 1 3 2) (wf:to-list (wf:dedup (wf:from-list '(3 3 1 3 2 2 2))))))
  (is (equal '(t nil) (wf:to-list (wf:unique (wf:from-list '(t nil t)) #'>)))))

(test updates-and-mismatches
  (let ((s (wf:from-list '(1 2 3) :type :i32)))
    (is (equal '(:i32) (wf:element-types (wf:update s 0 5))))
    (is (null (wf:mismatch (wf:zip s s) (wf:zip s s))))
    (is (eql 2 (wf:mismatch s (wf:from-list '(1 2 4) :type :i32))))
    (is (null (wf:mismatch s (wf:from-list '(1 2 4) :type :i32) :test (wf:fn (x y) (<= x y)))))
    (is (= 2 (wf:value (wf:argmax (wf:zip s s)))) "tuples by their columns")
    (is (equal '(3 2 1) (wf:to-list (wf:unique s #'>))))
    (is (equal '(1 2) (wf:to-list (wf:top-k s 2 #'<))))
    (is (equal '(1 2 3) (wf:to-list (wf:top-k s (1- (expt 2 63)) #'<))))
    (signals wf:range-error (wf:top-k s -1)))
  (let ((s (wf:from-list '(1 2 3))))
    (signals wf:range-error (wf:update s 3 0))
    (signals wf:range-error (wf:update s -1 0))
    (signals wf:element-value-error (wf:update s 0 1.5))))

(defun sum-by-halves (s)
  (multiple-value-bind (kind left right) (wf:split-mid s)
    (ecase kind (:empty 0) (:one left) (:pair (+ (sum-by-halves left) (sum-by-halves right))))))

(test views-and-texts
  (is (= 45 (sum-by-halves (wf:iota 10))))
  (is (equal '(0 1 2) (loop for (first . rest) = (wf:split-head (wf:iota 3)) then (wf:split-head rest)
                            while first collect first while (plusp (wf:length rest)))))
  (is (equal '(0.0 0.5) (first (wf:split-head (wf:from-list '((0 0.5) (1 1.5)) :type :f32)))))
  (is (equal '((0 5)) (wf:to-list (wf:zip-shortest (wf:iota 3) (wf:from-list '(5))))))
  (is (equal '(5) (wf:to-list (wf:map-shortest #'+ (wf:from-list '(5)) (wf:iota 3)))))
  (is (equal "<0,1,2>" (wf:to-string (wf:iota 3))))
  (is (equal "<>" (wf:to-string (wf:iota 0))))
  (is (equal '("<...>" "<x0,...>" "<x0,...,x3>" "<x0,x1,...,x3>" "<x0,x1,x2,x3>")
             (loop for limit to 4
                   collect (wf:to-string (wf:iota 4) :limit limit :element (lambda (x) (format nil "x~D" x)))))))

(test errors-of-named-functions
  (let ((none (wf:iota 0)) (s (wf:iota 3)) (released (wf:iota 1)))
    (wf:release released)
    (signals wf:range-error (wf:argmax none))
    (names-itself (wf:argmax none) (wf:argmin none) (wf:iota -1) (wf:sum released) (wf:product released) (wf:minimum released)
                  (wf:maximum released) (wf:minmax released) (wf:mean released) (wf:dot released s) (wf:count-if #'plusp released)
                  (wf:every #'plusp released) (wf:some #'plusp released) (wf:map-reduce #'abs #'+ released) (wf:map-filter #'abs #'plusp released)
                  (wf:map-scan #'abs #'+ released) (wf:map-indexed #'+ released) (wf:filter-indexed #'< released)
                  (wf:positions-if #'plusp released) (wf:partition #'plusp released) (wf:position-if #'plusp released)
                  (wf:find-if #'plusp released) (wf:mismatch released s) (wf:collate released s) (wf:iterate #'+ 0 released)
                  (wf:iterate-prefixes #'+ 0 released) (wf:unique released) (wf:dedup released) (wf:union released s)
                  (wf:intersection s released) (wf:set-difference released s) (wf:binary-search released s #'<) (wf:sorted-p released #'<)
                  (wf:top-k s -1) (wf:update s 3 0) (wf:update released 0 0) (wf:inject released (wf:zip s s)) (wf:rotate released 1)
                  (wf:interleave s (wf:iota 4))
                  (wf:interleave s released) (wf:split-head released) (wf:split-mid released) (wf:to-string released) (wf:enumerate released))))

;;; ---- sorts and merges

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
