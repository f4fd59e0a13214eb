;;;; Functions along several axes and of all elements, errors. values.lisp has the values along one axis.

(in-package #:warpfold-test)
(in-suite warpfold)

(defun plain-mean (list) (/ (reduce #'+ list :initial-value 0d0) (length list)))
(defun plain-variance (list) (let ((m (plain-mean list))) (plain-mean (mapcar (lambda (x) (expt (- x m) 2)) list))))
(defun plain-argbest (better list) (let ((best (reduce (lambda (a b) (if (funcall better b a) b a)) list))) (position best list)))

(test reductions-along-several-axes
  (dolist (kind *kinds*)
    (let ((a (numbers '(5 3 4 2) kind)) (plain (plain-numbers '(5 3 4 2))))
      (flet ((total (j l) (loop for i below 5 sum (loop for k below 4 sum (aref plain i j k l)))))
        (is-array (plain-array '(3 2) #'total) (wf:sum a :axis '(0 2)))
        (is-array (plain-array '(1 3 1 2) (lambda (i j k l) (declare (ignore i k)) (total j l))) (wf:sum a :axis '(2 0) :keep t))))))

(test reductions-of-all-elements
  (dolist (kind *kinds*)
    (let ((a (numbers '(17 5) kind)) (all (coerce (flat (plain-numbers '(17 5))) 'list)))
      (is (= (reduce #'+ all) (wf:value (wf:sum a))))
      (is (= (count-if #'evenp all) (wf:value (wf:count-if #'evenp a))))
      (is (close-p (wf:value (wf:mean a)) (plain-mean all) 1d-12))
      (is (close-p (wf:value (wf:variance a)) (plain-variance all) 1d-12))
      (is (close-p (wf:value (wf:variance a :correction 1)) (* 85/84 (plain-variance all)) 1d-12))
      (is (= (plain-argbest #'> all) (wf:value (wf:argmax a))))
      (let ((kept (list (wf:argmax a :keep t) (wf:argmax a :predicate (wf:fn (x y) (< x y)) :keep t))))
        (dolist (index kept)
          (is (equal (mapcar (constantly 1) (wf:dimensions a)) (wf:dimensions index)))
          (is (= (plain-argbest #'> all) (wf:elt index 0)))))
      (is (eq t (wf:every (wf:fn (x) (< x 51)) a)))
      (is-array (plain-array '(1 1) (constantly (reduce #'+ all))) (wf:sum a :keep t))))
  (is (close-p 8d0 (wf:value (wf:variance (wf:filter #'evenp (wf:iota 10)))) 1d-12)))

(test errors-of-sorts-and-scans-along-axes
  (dolist (kind *kinds*)
    (let ((a (numbers '(3 17) kind)))
      (is (equal (wf:to-list (wf:sort a #'> :axis 1)) (wf:to-list (wf:sort a #'< :axis 1 :key #'-))))
      (signals wf:unsupported-error (wf:sort a (wf:fn (x y) (< x y)) :axis 1))
      (signals wf:range-error (wf:sort a #'< :axis 2)))))

(test cumulative-sums-of-sequences
  (is (wf:conforms-p (numbers '(2 3) :stored) (wf:cumulative-sum (numbers '(2 3) :stored))))
  (is (equal '(1 3 6) (wf:to-list (wf:cumulative-sum (wf:from-list '(1 2 3))))))
  (signals wf:range-error (wf:cumulative-sum (numbers '(2 3) :stored) :axis 2)))
