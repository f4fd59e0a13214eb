;;;; The example programs of arrays, next to plain loops.

(in-package #:warpfold-test)
(in-suite warpfold)

(test game-of-life
  (loop for (rows columns) in '((17 23) (2 3) (1 1))
        do (let* ((plain (plain-array (list rows columns) (lambda (i j) (if (zerop (mod (+ (* 7 i i) (* 3 j)) 5)) 1 0))))
                  (board (wf:from-array plain :type :u8)))
             (dotimes (step 5)
               (setf plain (plain-array (list rows columns)
                                        (lambda (i j)
                                          (let ((nine (loop for y from -1 to 1
                                                            sum (loop for x from -1 to 1
                                                                      sum (aref plain (mod (+ i y) rows) (mod (+ j x) columns))))))
                                            (if (or (= nine 3) (and (= nine 4) (= 1 (aref plain i j)))) 1 0))))))
             (is-array plain (program after-generations board 5)))))

(test heat-equation
  (let* ((u (wf:tabulate (wf:fn (i j) (float (rem (* i 7 j) 11))) '(17 23))) (plain (wf:to-array u)))
    (dotimes (step 3)
      (setf plain (plain-array '(17 23)
                               (lambda (i j)
                                 (let ((here (aref plain i j)))
                                   (if (and (< 0 i 16) (< 0 j 22))
                                       (+ here (* 0.2 (- (+ (aref plain (1- i) j) (aref plain (1+ i) j) (aref plain i (1- j)) (aref plain i (1+ j)))
                                                         (* 4 here))))
                                       here))))))
    (let ((got (wf:to-array (program temperatures-after u 3))))
      (is (every (lambda (a b) (close-p a b 1d-5)) (flat got) (flat plain))))))

(test jacobis-method
  (let ((a (program dominant-matrix 57)) (b (wf:tabulate (wf:fn (i) (* 1d0 (rem i 5))) 57)))
    (multiple-value-bind (x steps) (program jacobi a b 1d-11 100)
      (is (< 3 steps 100))
      (is (< (wf:value (wf:norm (wf.op:- b (wf:sum (wf.op:* a x) :axis 1)))) 1d-9)))
    (is (null (nth-value 1 (program jacobi a b 1d-11 2))))))

(test linear-regression
  (multiple-value-bind (coefficients explained) (program least-squares (program made-up-table 100000))
    (is (every (lambda (a b) (< (abs (- a b)) 0.02)) (wf:to-list coefficients) '(3 2 -1)))
    (is (< 0.92 (wf:value explained) 0.96)))
  (uiop:with-temporary-file (:pathname path :type "csv" :stream out)
    (format out "a,b~%1,3~%2,5~%3,7~%4,9~%")
    (finish-output out)
    (is (every (lambda (a b) (close-p a b 1d-12)) (wf:to-list (program least-squares (wf:read-array path))) '(1 2)))))

(test principal-components
  (let ((points (program points-near-a-plane 2000)))
    (multiple-value-bind (directions variances projected) (program principal-components points 2)
      (is (same-arrays (wf:eye 2) (wf:inner directions directions)))
      (is (same-arrays variances (wf:variance projected :axis 0 :correction 1)))
      (is (< 0.95 (/ (wf:value (wf:sum variances)) (wf:value (wf:sum (wf:variance points :axis 0 :correction 1)))) 1)))))

(test edges-of-pictures
  (let* ((picture (program rings 31)) (plain (wf:to-array picture)) (weights #(1/16 4/16 6/16 4/16 1/16))
         (smooth (plain-array '(27 27) (lambda (i j) (loop for k below 5
                                                           sum (loop for l below 5
                                                                     sum (* (aref weights k) (aref weights l) (aref plain (+ i k) (+ j l))))))))
         (across #2a((-1 0 1) (-2 0 2) (-1 0 1)))
         (expected (plain-array '(25 25)
                                (lambda (i j)
                                  (let ((x 0) (y 0))
                                    (dotimes (k 3)
                                      (dotimes (l 3)
                                        (incf x (* (aref across k l) (aref smooth (+ i k) (+ j l))))
                                        (incf y (* (aref across l k) (aref smooth (+ i k) (+ j l))))))
                                    (min 255 (floor (sqrt (+ (* x x) (* y y)))))))))
         (got (wf:to-array (program edges picture))))
    (is (equal '(25 25) (array-dimensions got)))
    (is (every (lambda (a b) (<= (abs (- a b)) 1)) (flat got) (flat expected)))
    (is (> (length (remove-duplicates (flat got))) 20))))

(test digits-in-a-picture
  (uiop:with-temporary-file (:pathname path :type "png")
    (let ((drawn (program drawn-digits 137)))
      (is (equal '(7 685) (wf:dimensions drawn)))
      (is (equal '(:u8) (wf:element-types drawn)))
      (wf:write-array path drawn)
      (is (equalp (wf:to-array drawn) (wf:to-array (wf:read-array path))))
      (is (equal (loop for k below 137 collect (mod k 10)) (wf:to-list (program recognized-digits (wf:read-array path))))))))
