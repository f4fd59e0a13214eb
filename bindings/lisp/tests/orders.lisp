;;;; Sorts and merges: special values, errors. values.lisp has their values.

(in-package #:warpfold-test)
(in-suite warpfold)

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
