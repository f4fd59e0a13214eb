;;;; The example programs, against plain Lisp, and match_parens as a program.

(in-package #:warpfold-test)
(in-suite warpfold)

(defun text-report (text &optional (piece-size 1000))
  (warpfold-examples::match-text (wf:from-vector (sb-ext:string-to-octets text)) piece-size))

(defun report-list (report)
  (list (warpfold-examples::balanced-p report) (warpfold-examples::report-left-open report)
        (warpfold-examples::report-surplus report)
        (warpfold-examples::report-depth report) (warpfold-examples::report-deepest report)))

(test brackets
  (is (equal '(t 0 nil 0 nil) (report-list (text-report ""))))
  (is (equal '(t 0 nil 3 (1 4)) (report-list (text-report "(a[{}])"))))
  (is (equal '(nil 1 nil 1 (1 1)) (report-list (text-report "("))))
  (is (equal '(nil 0 (2 2) 0 nil) (report-list (text-report (format nil "ab~%c)(")))))
  (is (equal '(nil 2 nil 3 (3 2)) (report-list (text-report (format nil "(~%(~% (~%)"))))))

(defun plain-report (text)
  (loop with depth = 0 and lowest = 0 and highest = 0
        for c across text
        do (incf depth (cond ((find c "([{") 1) ((find c ")]}") -1) (t 0)))
           (setf lowest (min lowest depth) highest (max highest depth))
        finally (return (list (and (zerop depth) (zerop lowest)) depth (minusp lowest) highest))))

(test brackets-in-pieces
  (let ((state (sb-ext:seed-random-state 5)))
    (dotimes (round 50)
      (let* ((text (coerce (loop repeat (random 400 state)
                                 collect (char (format nil "()[]{}((x~%") (random 10 state))) 'string))
             (whole (report-list (text-report text 100000))))
        (is (equal whole (report-list (text-report text 37))) "pieces make no difference")
        (destructuring-bind (balanced open surplus depth deepest) whole
          (declare (ignore deepest))
          (is (equal (plain-report text) (list balanced open (and surplus t) depth))))))))

(defun plain-mcss (list)
  (let ((best 0) (here 0))
    (dolist (x list best) (setf here (max 0 (+ here x)) best (max best here)))))

(test mcss
  (is (= 6 (wf:value (warpfold-examples::mcss (wf:from-list '(-2 1 -3 4 -1 2 1 -5 4))))))
  (is (= 0 (wf:value (warpfold-examples::mcss (wf:from-list '(-2 -1))))))
  (dolist (n *lengths*)
    (let ((list (random-integers n)))
      (is (= (plain-mcss list) (wf:value (warpfold-examples::mcss (wf:from-list list))))))))

(defun plain-escape (c)
  (loop with z = #c(0.0 0.0)
        for steps from 0
        until (or (>= (+ (expt (realpart z) 2) (expt (imagpart z) 2)) 4) (>= steps 255))
        do (setf z (+ (* z z) c))
        finally (return steps)))

(test mandelbrot
  (let* ((width 60) (height 40)
         (levels (wf:to-vector (wf:reshape (wf:slice (warpfold-examples::mandelbrot width height) t t 2) -1)))
         (expected (loop for i below (* width height)
                         for (y x) = (multiple-value-list (truncate i width))
                         for steps = (plain-escape (complex (- (* x (/ 3.0 width)) 2.25) (* (- y (/ height 2.0)) (/ 3.0 width))))
                         collect (if (= steps 255) 0 steps)))
         (different (count nil (map 'list (lambda (a b) (= a b)) levels expected))))
    ;; Lisp rounds twice and the library's fma once, so a few pixels on the border differ.
    (is (< different 25) "~D of ~D pixels differ" different (* width height))
    (is (> (length (remove-duplicates (coerce levels 'list))) 20))))

(test statistics
  (let ((results (warpfold-examples::statistics (wf:from-list '(1d0 2d0 3d0 4d0)))))
    (is (search "1 kernel" (apply #'wf:explain results)))
    (is (every (lambda (scalar expected) (close-p (wf:value scalar) expected 1d-12))
               results (list 2.5d0 (sqrt 1.25d0) 1d0 4d0)))))

(test k-maps
  (let ((sum (warpfold-examples::k-maps 8 (wf:from-list '(1.0 2.0 4.0)))))
    (is (search "1 kernel" (wf:explain sum)))
    (is (= (wf:value sum)
           (reduce #'+ (mapcar (lambda (x) (dotimes (k 8 x) (setf x (+ (* x 0.5) 1)))) '(1.0 2.0 4.0)))))))

(test match-parens-as-a-program
  (uiop:with-temporary-file (:pathname good :stream out)
    (write-string "(a)" out)
    (finish-output out)
    (let* ((status nil)
           (errors (make-string-output-stream))
           (text (with-output-to-string (*standard-output*)
                   (let ((*error-output* errors))
                     (setf status (warpfold-examples::match-parens (list "--context" "cpu" (namestring good) "/no/such/file")))))))
      (is (= 2 status))
      (is (search (format nil "~A: balanced; depth 1 at 1:1" (namestring good)) text))
      (is (search "2 files, 3 bytes, 0 not balanced, 1 error;" text))
      (is (search "match_parens: /no/such/file: " (get-output-stream-string errors))))
    (let ((text (with-output-to-string (*standard-output*)
                  (is (= 0 (warpfold-examples::match-parens (list "--explain" "--" (namestring good))))))))
      (is (search "1 kernel" text))
      (is (search "distributive law" text)))
    (let ((*error-output* (make-broadcast-stream)) (*standard-output* (make-broadcast-stream)))
      (is (= 2 (warpfold-examples::match-parens '("--what"))))
      (is (= 2 (warpfold-examples::match-parens '())))
      (is (= 0 (warpfold-examples::match-parens '("--help")))))))
