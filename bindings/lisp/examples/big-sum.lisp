;;;; big-sum A B: the sum of two natural numbers of any length. A position of the digits' sums makes a carry, passes one on or stops it; a scan
;;;; finds all carries in one pass.

(in-package #:warpfold-examples)

(defun digits (text)
  "The digits of a number, the lowest first."
  (wf:reverse (wf:from-list (map 'list (lambda (c) (or (digit-char-p c) (error "~A is not a natural number" text))) text))))

(defun add-digits (a b)
  (let ((n (1+ (max (wf:length a) (wf:length b)))))
    (flet ((padded (s) (wf:append s (wf:tabulate (wf:fn (i) (* 0 i)) (- n (wf:length s))))))
      (let* ((sums (wf:map #'+ (padded a) (padded b)))
             (kinds (wf:map (wf:fn (x) (cond ((> x 9) 2) ((= x 9) 1) (t 0))) sums)) ; it makes a carry, passes it on, stops it
             (carries (wf:scan (wf:fn (before x) (if (= x 1) before x)) kinds :identity 1)))
        (wf:map (wf:fn (x carry) (rem (+ x (if (= carry 2) 1 0)) 10)) sums carries)))))

(defun digits-text (digits)
  (let ((text (format nil "~{~D~}" (reverse (wf:to-list digits)))))
    (subseq text (or (position #\0 text :test #'char/=) (1- (length text))))))

(define-program big-sum (&rest arguments)
  (destructuring-bind (a b) (mapcar #'digits arguments)
    (format t "~A~%" (digits-text (timed ((wf:length a) "digits") (add-digits a b))))))
