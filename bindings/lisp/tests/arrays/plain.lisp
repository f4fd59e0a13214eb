;;;; Arrays of Lisp, by plain loops over indices, to compare with.

(in-package #:warpfold-test)

(defparameter *shapes* '((0) (1) (3) (257) (0 3) (3 0) (1 1) (2 3) (17 257) (257 17) (3 1 2) (2 17 3) (3 0 2) (5 3 4 2)))

(defun call-with-indices (dimensions function)
  "Calls FUNCTION with all lists of indices, in row-major order."
  (labels ((along (dimensions before)
             (if dimensions
                 (dotimes (i (first dimensions)) (along (rest dimensions) (cons i before)))
                 (funcall function (reverse before)))))
    (along dimensions '())))

(defun plain-array (dimensions function)
  "The array of the values of FUNCTION of the indices."
  (let ((array (make-array dimensions)))
    (call-with-indices dimensions (lambda (indices) (setf (apply #'aref array indices) (apply function indices))))
    array))

(defun number-at (k) (- (mod (* k 37) 101) 50))

(defun plain-numbers (dimensions)
  "An array of integers whose neighbours differ along each axis."
  (let ((k -1)) (plain-array dimensions (lambda (&rest indices) (declare (ignore indices)) (number-at (incf k))))))

(defun numbers (dimensions kind)
  "The same as a warpfold array: stored, delayed, or a view of stored elements in another order."
  (ecase kind
    (:stored (wf:from-array (plain-numbers dimensions) :type :i64))
    (:delayed (wf:reshape (wf:tabulate (wf:fn (k) (- (mod (* k 37) 101) 50)) (reduce #'* dimensions)) dimensions))
    (:view (wf:flip (wf:force (wf:flip (numbers dimensions :stored)))))))

(defparameter *kinds* '(:stored :delayed :view))

(defun plain-view (array dimensions index)
  "The array of DIMENSIONS whose elements are those of ARRAY at the list of indices that INDEX returns."
  (plain-array dimensions (lambda (&rest indices) (apply #'aref array (apply index indices)))))

(defun is-array (expected got &optional (what ""))
  (is (equal (array-dimensions expected) (wf:dimensions got)) "~A: the shape is ~A, not ~A" what (wf:dimensions got) (array-dimensions expected))
  (is (= (array-rank expected) (wf:rank got)))
  (let ((values (wf:to-array got)))
    (is (every #'same-element (flat expected) (flat values)) "~A of shape ~A: other elements" what (array-dimensions expected))))

(defun same-element (a b) (if (numberp a) (close-p b a 1d-6) (eq a b)))

(defun flat (array) (make-array (array-total-size array) :displaced-to array :element-type (array-element-type array)))
