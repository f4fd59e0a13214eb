;;;; Printing of arrays.

(in-package #:warpfold-test)
(in-suite warpfold)

(defun printed-lines (array &key length (pretty t))
  (let ((*print-length* length) (*print-pretty* pretty))
    (uiop:split-string (princ-to-string array) :separator '(#\Newline))))

(test printed-arrays
  (is (equal '("#<array i64, 2 x 3:" "  1 2 -3" " 10 5  6>") (printed-lines (wf:from-array #2a((1 2 -3) (10 5 6))))))
  (is (equal '("#<array f32, 2 x 2:" "  1.5  2.25" " 10.0 -0.5>") (printed-lines (wf:from-array #2a((1.5 2.25) (10.0 -0.5))))))
  (is (equal '("#<array bool, 1 x 2:" " T NIL>") (printed-lines (wf:from-array #2a((t nil))))))
  (is (equal '("#<array i64, 2 x 3, delayed>") (printed-lines (wf:tabulate (wf:fn (i j) (+ i j)) '(2 3)))))
  (is (equal '("#<array i64, 0 x 3>") (printed-lines (wf:from-array (make-array '(0 3))))))
  (is (equal '("#<array i64, 5 x 6:" " 0 1 ... 5" " 1 2 ... 6" " ..." " 4 5 ... 9>")
             (printed-lines (wf:force (wf:tabulate (wf:fn (i j) (+ i j)) '(5 6))) :length 3)))
  (is (equal '("#<array i64, 3 x 1 x 2:" " 0 1" "" " 1 2" "" " 2 3>") (printed-lines (wf:force (wf:tabulate (wf:fn (i j k) (+ i j k)) '(3 1 2))))))
  (is (equal '("#<array i64, 6 x 1 x 2:" " 0 1" "" " ..." "" " 5 6>")
             (printed-lines (wf:force (wf:tabulate (wf:fn (i j k) (+ i j k)) '(6 1 2))) :length 2)))
  (is (equal '("#<array i64, 2 x 3:" " ...>") (printed-lines (wf:from-array #2a((1 2 3) (4 5 6))) :length 0)))
  (is (equal '("#<array i64, 2 x 3: ((1 2 3) (4 5 6))>") (printed-lines (wf:from-array #2a((1 2 3) (4 5 6))) :pretty nil)))
  (let ((a (wf:map #'1+ (wf:from-array #2a((1 2) (3 4))))))
    (princ-to-string a)
    (is (not (wf:manifest-p a)))))
