;;;; Functions along several axes and of all elements, extremes, errors. values.lisp has the values along one axis.

(in-package #:warpfold-test)
(in-suite warpfold)

(defun plain-along (array axes function keep)
  "FUNCTION of the list of the elements that differ in their indices along AXES."
  (let* ((dimensions (array-dimensions array))
         (kept (loop for n in dimensions for k from 0
                     if (member k axes) append (if keep '(1) '()) else collect n))
         (inner (loop for k in (sort (copy-list axes) #'<) collect (nth k dimensions))))
    (plain-array kept
                 (lambda (&rest outer)
                   (let ((elements '()))
                     (call-with-indices inner
                                        (lambda (along)
                                          (let ((outer outer))
                                            (push (apply #'aref array (loop for nil in dimensions for k from 0
                                                                            collect (cond ((member k axes) (when keep (pop outer)) (pop along))
                                                                                          (t (pop outer)))))
                                                  elements))))
                     (funcall function (reverse elements)))))))

(defun plain-mean (list) (/ (reduce #'+ list :initial-value 0d0) (length list)))
(defun plain-variance (list) (let ((m (plain-mean list))) (plain-mean (mapcar (lambda (x) (expt (- x m) 2)) list))))
(defun plain-argbest (better list) (let ((best (reduce (lambda (a b) (if (funcall better b a) b a)) list))) (position best list)))

(test reductions-along-several-axes
  (dolist (kind *kinds*)
    (loop for (shape . all-axes) in '(((2 3) (0 1)) ((3 0) (0) (1)) ((2 17 3) (1) (0 2) (0 1 2)) ((5 3 4 2) (1 3) (0 2) (3)))
          for a = (numbers shape kind) for plain = (plain-numbers shape)
          do (dolist (axes all-axes)
               (dolist (keep '(nil t))
                 (flet ((expect (function got) (is-array (plain-along plain axes function keep) got)))
                   (expect (lambda (list) (reduce #'+ list)) (wf:sum a :axis axes :keep keep))
                   (expect (lambda (list) (count-if #'evenp list)) (wf:count-if #'evenp a :axis axes :keep keep))
                   (unless (member 0 shape)
                     (expect #'plain-variance (wf:variance a :axis axes :keep keep))
                     (when (null (rest axes))
                       (expect (lambda (list) (plain-argbest #'> list))
                               (wf:argmax a :predicate (wf:fn (x y) (< x y)) :axis (first axes) :keep keep))))))))))

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

(test reductions-by-other-functions
  (let* ((maps (wf:zip (numbers '(5 17) :stored) (numbers '(5 17) :delayed)))    ; x -> a x + b: composition does not commute
         (plain (plain-numbers '(5 17)))
         (composed (wf:reduce (wf:fn ((a b) (c d)) (values (* a c) (+ (* c b) d))) (wf:map (wf:fn (a b) (values (rem a 3) (rem b 5))) maps)
                              :identity '(1 0) :axis 1)))
    (is-array (plain-along plain '(1)
                           (lambda (list)
                             (cdr (reduce (lambda (f g) (cons (* (car f) (car g)) (+ (* (car g) (cdr f)) (cdr g))))
                                          (mapcar (lambda (x) (cons (rem x 3) (rem x 5))) list))))
                           nil)
              (wf:columns composed 1)))
  (let ((x (wf:tabulate (wf:fn (i j) (- (* 0.5d0 i) j)) '(3 17))) (plain (plain-array '(3 17) (lambda (i j) (- (* 0.5d0 i) j)))))
    (is-array (plain-along plain '(0 1) (lambda (list) (log (reduce #'+ (mapcar #'exp list)))) nil) (wf:logsumexp x))
    (is-array (plain-array '(3 17) (lambda (i j) (/ (exp (aref plain i j)) (loop for k below 3 sum (exp (aref plain k j)))))) (wf:softmax x :axis 0)))
  (is (= 1000.6931471805599d0 (wf:value (wf:logsumexp (wf:full 2 1d3))))))

;; Numbers that differ by less than their mean's rounding error, and squares that overflow or vanish.
(test statistics-of-extremes
  (is (= 1 (wf:value (wf:variance (wf:tabulate (wf:fn (i) (+ 1d16 (wf:cast (* 2 (rem i 2)) :f64))) 1000)))))
  (is-array (plain-array '(3) (lambda (i) (* 5 (expt 10d0 (aref #(200 -200 0) i)))))
            (wf:norm (wf:tabulate (wf:fn (i j) (* (+ 3 j) (if (= i 0) 1d200 (if (= i 1) 1d-200 1d0)))) '(3 2)) :axis 1))
  (is (= 5f30 (wf:value (wf:nrm2 (wf:from-list '(3f30 4f30) :type :f32))))))

(test errors-of-sorts-and-scans-along-axes
  (dolist (kind *kinds*)
    (let ((a (numbers '(3 17) kind)))
      (is (equal (wf:to-list (wf:sort a #'> :axis 1)) (wf:to-list (wf:sort a #'< :axis 1 :key #'-))))
      (signals wf:unsupported-error (wf:sort a (wf:fn (x y) (< x y)) :axis 1))
      (signals wf:range-error (wf:sort a #'< :axis 2)))))

(test arrays-of-a-million-elements
  (let* ((rows 1001) (columns 1007) (plain (make-array (list rows columns) :element-type '(signed-byte 64))))
    (declare (type (simple-array (signed-byte 64) (* *)) plain))
    (dotimes (i rows) (dotimes (j columns) (setf (aref plain i j) (- (mod (* (+ (* i columns) j) 37) 1009) 500))))
    (flet ((sums (n m at) (let ((sums (make-array n :initial-element 0))) (dotimes (i n sums) (dotimes (j m) (incf (aref sums i) (funcall at i j)))))))
      (dolist (early '(t nil))
        (let* ((a (wf:tabulate (wf:fn (i j) (- (mod (* (+ (* i columns) j) 37) 1009) 500)) (list rows columns)))
               (b (wf:transpose a)) (c (wf.op:- a (wf:maximum a :axis 1 :keep t))) (by-rows (wf:sum a :axis 1)) (by-columns (wf:sum a :axis 0))
               (of-b (wf:sum b :axis 1)) (running (wf:scan-incl #'+ a :axis 0)))
          (when early (wf:force a) (wf:force b))
          (wf:force c by-rows by-columns of-b running)
          (is (equalp plain (wf:to-array a)))
          (is (equalp (sums rows columns (lambda (i j) (aref plain i j))) (wf:to-array by-rows)))
          (is (equalp (sums columns rows (lambda (j i) (aref plain i j))) (wf:to-array by-columns)))
          (is (equalp (wf:to-array by-columns) (wf:to-array of-b)))
          (is (equalp (wf:to-array by-columns) (wf:to-array (wf:slice running -1))))
          (let ((lisp (wf:to-array b)) (highs (wf:to-array (wf:maximum a :axis 1))) (less (wf:to-array c)))
            (is (loop for i below rows always (loop for j below columns always (= (aref plain i j) (aref lisp j i)))))
            (is (loop for i below rows
                      always (loop for j below columns always (= (- (aref plain i j) (aref highs i)) (aref less i j)))))))))))

(test cumulative-sums-of-sequences
  (is (wf:conforms-p (numbers '(2 3) :stored) (wf:cumulative-sum (numbers '(2 3) :stored))))
  (is (equal '(1 3 6) (wf:to-list (wf:cumulative-sum (wf:from-list '(1 2 3))))))
  (signals wf:range-error (wf:cumulative-sum (numbers '(2 3) :stored) :axis 2)))
