;;;; Sequences as sequences of Common Lisp, by SBCL's protocol.

(in-package #:warpfold-test)
(in-suite warpfold)

(test functions-of-common-lisp-take-sequences
  (let* ((list (random-integers 1007)) (s (wf:map #'identity (wf:from-list list))))
    (is (typep s 'sequence))
    (is (= 1007 (length s)))
    (is (eql (nth 1000 list) (elt s 1000)))
    (is (equal list (coerce s 'list)))
    (is (equalp (coerce list 'vector) (coerce s 'vector)))
    (is (equal (mapcar #'1+ list) (map 'list #'1+ s)))
    (is (equal (mapcar #'+ list list) (map 'list #'+ s list)))
    (is (= (reduce #'+ list) (reduce #'+ s)))
    (is (equal (reduce #'cons list :from-end t :start 3 :end 9) (reduce #'cons s :from-end t :start 3 :end 9)))
    (is (eql (find-if #'plusp list) (find-if #'plusp s)))
    (is (eql (position (nth 500 list) list) (position (nth 500 list) s)))
    (is (= (count-if #'evenp list) (count-if #'evenp s)))
    (is (every #'integerp s))
    (is (equal (remove-if #'evenp list) (coerce (remove-if #'evenp s) 'list)))
    (is (equal (sort (copy-list list) #'<) (coerce (sort (wf:to-vector s) #'<) 'list)))
    (is (equal list (loop for x being the elements of s collect x)))
    (is (equalp (coerce list 'vector) (replace (make-array 1007) s)))))

(test sequences-of-tuples-and-booleans
  (let ((pairs (wf:zip (wf:from-list '(1 2)) (wf:from-list '(t nil)))))
    (is (equal '((1 t) (2 nil)) (coerce pairs 'list)))
    (is (equal '(2 nil) (elt pairs 1)))
    (is (equal '(t nil) (map 'list #'second pairs)))))

(test parts-and-reversals-stay-lazy
  (let ((m (wf:map #'1+ (wf:from-list '(1 2 3)))))
    (is (wf:seq-p (reverse m)))
    (is (equal '(4 3) (wf:to-list (subseq (reverse m) 0 2))))
    (is (eq m (copy-seq m)))
    (is (not (wf:manifest-p m)))))

(test sequences-are-immutable
  (let ((s (wf:from-list '(1 2 3))))
    (signals wf:unsupported-error (setf (elt s 0) 5))
    (signals wf:unsupported-error (fill s 0))
    (signals wf:range-error (print (elt s 3)))
    (is (equal '(1 2 3) (wf:to-list s)))))
