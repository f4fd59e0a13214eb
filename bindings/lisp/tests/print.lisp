;;;; Printing of sequences, which computes nothing.

(in-package #:warpfold-test)
(in-suite warpfold)

(test computed-sequences-show-their-elements
  (is (equal "#<seq i64, 3 elements: 1 2 3>" (princ-to-string (wf:from-list '(1 2 3)))))
  (is (equal "#<seq i64, 0 elements>" (princ-to-string (wf:from-list '()))))
  (is (equal "#<seq bool, 2 elements: T NIL>" (princ-to-string (wf:from-list '(t nil)))))
  (is (equal "#<seq (i64 f32), 2 elements: (1 0.5) (2 1.5)>" (princ-to-string (wf:force (wf:zip (wf:from-list '(1 2)) (wf:from-list '(0.5 1.5)))))))
  (is (equal "#<seq i64, 1000000 elements: 0 1 2 3 4 ... 999995 999996 999997 999998 999999>" (princ-to-string (wf:force (wf:tabulate (wf:fn (i) i) 1000000)))))
  (let ((s (wf:from-list '(1 2 3))))
    (is (equal "#<seq i64, 3 elements: 1 ... 3>" (let ((*print-length* 2)) (princ-to-string s))))
    (is (equal "#<seq i64, 3 elements: ...>" (let ((*print-length* 0)) (princ-to-string s))))
    (is (equal "#<seq i64, 3 elements: 1 2 3>" (let ((*print-length* 3)) (princ-to-string s))))
    (is (equal "#<scalar i64: 6>" (princ-to-string (wf:force (wf:reduce #'+ s)))))
    (signals print-not-readable (write-to-string s :readably t))))

(test delayed-sequences-show-what-is-known
  (let* ((s (wf:from-list '(1 2 3))) (m (wf:map (wf:fn (x) (values x (float x))) s)))
    (is (equal "#<seq (i64 f32), 3 elements, delayed>" (princ-to-string m)))
    (is (equal "#<seq i64, delayed>" (princ-to-string (wf:filter #'evenp s))))
    (is (equal "#<scalar i64, delayed>" (princ-to-string (wf:reduce #'+ s))))
    (is (not (wf:manifest-p m)))))

(test sequences-of-a-closed-context
  (let* ((context (wf:make-context "cpu")) (s (wf:from-list '(1 2) :context context)))
    (wf:close-context context)
    (is (equal "#<seq i64, unusable>" (princ-to-string s)))))

(test other-objects
  (is (equal "#<CONTEXT cpu>" (let ((*package* (find-package '#:warpfold))) (princ-to-string (wf:make-context "cpu")))))
  (is (search "(X) (+ X 1)" (princ-to-string (wf:fn (x) (+ x 1)))))
  (is (equal "#<mutable: #<seq i64, 2 elements: 3 4>>" (princ-to-string (wf:mutable (wf:from-list '(3 4))))))
  (let ((s (wf:from-list '(1))))
    (wf:release s)
    (is (equal "#<seq i64, released>" (princ-to-string s)))))
