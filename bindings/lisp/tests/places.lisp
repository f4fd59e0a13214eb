;;;; Scatters and histograms, next to loops.

(in-package #:warpfold-test)
(in-suite warpfold)

(defun plain-scatter (base indices values &optional (f (lambda (old new) (declare (ignore old)) new)))
  (let ((result (coerce base 'vector)))
    (loop for i in indices for x in values do (setf (aref result i) (funcall f (aref result i) x)))
    (coerce result 'list)))

(test scatters
  (dolist (n '(0 1 100007))
    (let* ((values (noise n)) (indices (loop for x in values collect (mod (* 31 x) 17))) (base '(5 1 4 2 3 9 8 7 6 10 11 12 13 14 15 16 17))
           (i (wf:from-list indices :type :i32)) (v (wf:from-list values)) (b (wf:from-list base)))
      (is (equal (plain-scatter base indices values) (wf:to-list (wf:scatter b i v))))
      (dolist (f '(+ min max logxor))
        (is (equal (plain-scatter base indices values f) (wf:to-list (wf:scatter b i v :by f)))))
      (is (equal (plain-scatter base indices values #'+) (wf:to-list (wf:scatter b i v :by (wf:fn (x y) (+ x y))))))
      (is (equal (mapcar #'list (plain-scatter base indices values #'+) (plain-scatter base indices values #'max))
                 (wf:to-list (wf:scatter (wf:zip b b) i (wf:zip v v) :by (wf:fn ((a b) (c d)) (values (+ a c) (max b d))))))
          "tuples"))))

(test scatters-are-views-and-flags-too
  (let ((s (wf:tabulate (wf:fn (i) i) 10)))
    (is (equal '(9 8 7 6 5 4 3 2 1 0) (wf:to-list (wf:scatter s (wf:reverse s) s))))
    (is (equal '(nil t nil t) (wf:to-list (wf:scatter (wf:from-list '(nil nil nil nil)) (wf:from-list '(1 3 1))
                                                      (wf:from-list '(t t nil)) :by 'or))))))

(test histograms
  (dolist (n '(0 1 100007))
    (let* ((list (loop for x in (noise n) collect (mod x 100))) (counts (make-list 100 :initial-element 0)))
      (dolist (x list) (incf (nth x counts)))
      (is (equal counts (wf:to-list (wf:histogram (wf:from-list list :type :u8) 100))))))
  (is (equal '() (wf:to-list (wf:histogram (wf:from-list '()) 0)))))

(test errors-of-scatters
  (let ((s (wf:from-list '(1 2 3))) (released (wf:from-list '(1))))
    (wf:release released)
    (says "wf:to-list: index 3 at element 2" (wf:to-list (wf:scatter s s s)))
    (signals wf:range-error (wf:to-list (wf:histogram s 3)))
    (signals wf:size-error (wf:histogram s -1))
    (signals wf:size-error (wf:scatter s s (wf:from-list '(1))))
    (signals wf:element-type-error (wf:scatter s (wf:from-list '(1.0 2.0 3.0)) s))
    (signals wf:element-type-error (wf:scatter s s (wf:from-list '(1.0 2.0 3.0))))
    (signals wf:argument-error (wf:scatter s s s :by #'-))
    (names-itself (wf:scatter released s s) (wf:scatter s s s :by #'-) (wf:scatter s s 5) (wf:histogram released 3) (wf:histogram s 1.5)
                  (wf:histogram s -1))))
