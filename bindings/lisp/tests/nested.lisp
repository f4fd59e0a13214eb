;;;; Sequences of sequences: limits, plans, errors. values.lisp has the values of functions of segments.

(in-package #:warpfold-test)
(in-suite warpfold)

(defun nested-of (lists)
  (wf:segments (wf:from-list (reduce #'append lists)) :lengths (wf:from-list (mapcar #'length lists))))


(test groups-and-runs-in-other-ways
  (let ((s (wf:from-list '(3 3 1 3 2 2 2))))
    (is (equal '((1 1) (2 3) (3 3)) (wf:to-list (wf:count-by-key s))))
    (is (equal '(3 1 3 2) (wf:to-list (wf:dedup s :test #'=))))
    (is (equal '(3 1 3) (wf:to-list (wf:segment-lengths (wf:runs (wf:from-list '(2 3 2 1 2 3 2)) :test (wf:fn (x y) (= (floor x 2) (floor y 2))))))))
    (is (equal '((3 3) (1) (3) (2 2 2)) (wf:nested-list (wf:runs s)))))
  (multiple-value-bind (keys groups) (wf:collect (wf:zip (wf:from-list '(3 1 3)) (wf:iota 3)) :predicate #'>)
    (is (equal '(3 1) (wf:to-list keys)))
    (is (equal '((0 2) (1)) (wf:nested-list groups)))))

(test lengths-near-the-limits
  (let ((most (1- (expt 2 63))) (three (wf:iota 3)))
    (is (equal '((0 1 2)) (wf:nested-list (wf:chunks three most))))
    (is (equal '() (wf:nested-list (wf:windows three most))))
    (is (equal (list (mod most 3)) (wf:to-list (wf:take (wf:rotate three most) 1))))
    (let* ((n (+ 1000 (expt 2 62))) (s (wf:tabulate (wf:fn (i) (wf:cast (logand i 127) :u8)) n)))
      (is (equal (list (mod (- n 1) 128) 0) (wf:to-list (wf:take (wf:rotate s -1) 2))))
      (signals wf:size-error (wf:interleave s s))
      (signals wf:size-error (wf:windows (wf:take s (expt 2 34)) (expt 2 33))))
    (dolist (k (list (- most) (expt 2 70)))
      (signals wf:warpfold-error (wf:take three k))
      (signals wf:warpfold-error (wf:drop three k))
      (signals wf:warpfold-error (wf:nth k three)))
    (signals wf:size-error (wf:dot three (wf:iota 1)))))

(test segments-are-one-kernel
  (let* ((n 1000) (s (wf:segments (wf:tabulate (wf:fn (i) (float i)) (/ (* n (1- n)) 2)) :lengths (wf:iota n)))
         (squares (wf:reduce-segments #'+ (wf:map-segments (wf:fn (x) (* x x)) s))))
    (wf:force (wf:segment-offsets s))
    (is (search "1 kernel" (wf:explain squares)))
    (is (= 5.0 (wf:elt squares 2)))
    (is (equal "#<segments of f32, 1000 of them>" (princ-to-string s)))))

(test errors-of-nested-sequences
  (let ((s (nested-of '((1 2) (3)))) (released (wf:iota 1)))
    (wf:release released)
    (names-itself (wf:segment s 2) (wf:segment s -1) (wf:chunks (wf:iota 3) 0) (wf:windows (wf:iota 3) 0) (wf:split #'plusp released)
                  (wf:tokens #'plusp released) (wf:runs released) (wf:run-lengths released) (wf:segments released :lengths released)
                  (wf:flatten released) (wf:map-segments #'abs 5) (wf:reduce-segments #'+ released) (wf:collect released)
                  (wf:group-by #'abs released) (wf:reduce-by-key #'+ released) (wf:segment-lengths 5))
    (dolist (wrong (list (wf:segments (wf:iota 3) :lengths (wf:from-list '(1 1))) (wf:segments (wf:iota 3) :lengths (wf:from-list '(2 2)))
                         (wf:segments (wf:iota 1) :lengths (wf:from-list '(2 -1))) (wf:segments (wf:iota 3) :offsets (wf:from-list '(0 2 1 3)))
                         (wf:segments (wf:iota 3) :offsets (wf:from-list '(1 3)))
                         (wf:segments (wf:iota 0) :offsets (wf:from-list '() :type :i64))))
      (names-itself (wf:nested-list wrong)))
    (let ((none (wf:segments (wf:iota 0) :offsets (wf:from-list '() :type :i64))))
      (says "wf:segment-count: there are no offsets" (wf:segment-count none))
      (says "wf:segment-lengths: there are no offsets" (wf:segment-lengths none))
      (says "wf:nested-list: there are no offsets" (wf:nested-list none))
      (signals wf:range-error (wf:segment none 0)))
    (loop for (offsets text) in '(((0 2 1 3) "offset 2 of segments is 1, below offset 1, which is 2") ((1 3) "offset 0 of segments is 1; expected 0")
                                  ((0 2) "offset 1 of segments, the last one, is 2; expected 3, the number of values"))
          do (errors (wf:range-error text (wf:to-list (wf:reduce-segments #'+ (wf:segments (wf:iota 3) :offsets (wf:from-list offsets)))))))
    (signals wf:range-error (wf:to-list (wf:reduce-segments #'+ (wf:segments (wf:iota 3) :lengths (wf:from-list '(2 2))))))
    (signals wf:range-error (wf:to-list (wf:reduce-segments #'+ (wf:segments (wf:iota 1) :lengths (wf:from-list '(2 -1))))))))
