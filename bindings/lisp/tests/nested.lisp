;;;; Sequences of sequences and groups, next to lists of lists, and by their laws.

(in-package #:warpfold-test)
(in-suite warpfold)

(defun pieces (n)
  "Lists of 0 to 6 numbers, and one that is much longer; N numbers in all."
  (append (loop with rest = (noise n)
                for k from 0
                while rest
                collect (loop repeat (if (= k 5) 5000 (mod (mod (* 7 k) 11) 7)) while rest collect (pop rest)))
          '(())))

(defun nested-of (lists)
  (wf:segments (wf:from-list (apply #'append lists)) :lengths (wf:from-list (mapcar #'length lists))))

(defun appended (lists) (loop for list in lists append list))

(defun nested-of-many (lists)
  (wf:segments (wf:from-list (appended lists)) :lengths (wf:from-list (mapcar #'length lists))))

(test parts-of-nested-sequences
  (dolist (n *sizes*)
    (let* ((lists (pieces n)) (s (nested-of-many lists)))
      (is (equal lists (wf:nested-list s)))
      (is (equal (appended lists) (wf:to-list (wf:flatten s))))
      (is (equal (mapcar #'length lists) (wf:to-list (wf:segment-lengths s))))
      (is (= (length lists) (wf:segment-count s)))
      (is (equal (loop for list in lists for k from 0 append (loop for nil in list collect k)) (wf:to-list (wf:segment-ids s))))
      (dolist (k (list 0 (1- (length lists)) (floor (length lists) 2)))
        (is (equal (nth k lists) (wf:to-list (wf:segment s k)))))
      (is (equal lists (wf:nested-list (wf:segments (wf:flatten s) :offsets (wf:segment-offsets s))))))))

(defun prefixes-of (list)
  (loop with total = 0 for x in list collect total do (incf total x)))

(test inside-segments
  (dolist (n *sizes*)
    (let* ((lists (pieces n)) (s (nested-of-many lists)) (sums (loop for list in lists collect (reduce #'+ list))))
      (is (equal (loop for list in lists collect (mapcar (lambda (x) (* 2 x)) list)) (wf:nested-list (wf:map-segments (wf:fn (x) (* 2 x)) s))))
      (is (equal (loop for list in lists collect (remove-if-not #'oddp list)) (wf:nested-list (wf:filter-segments #'oddp s))))
      (is (equal sums (wf:to-list (wf:reduce-segments #'+ s))))
      (is (equal (loop for list in lists collect (reduce #'max list :initial-value -5000))
                 (wf:to-list (wf:reduce-segments #'max s :identity -5000))))
      (multiple-value-bind (prefixes totals) (wf:scan-segments #'+ s)
        (is (equal (mapcar #'prefixes-of lists) (wf:nested-list prefixes)))
        (is (equal sums (wf:to-list totals))))
      (is (equal (loop for list in lists collect (mapcar #'+ list (prefixes-of list))) (wf:nested-list (wf:scan-segments-incl #'+ s))))
      (is (equal (loop for list in lists collect (sort (copy-list list) #'<)) (wf:nested-list (wf:sort-segments s))))
      (is (equal (loop for list in lists for sum in sums for k from 0 collect (list sum (if list k -1)))
                 (wf:to-list (wf:reduce-segments (wf:fn ((a i) (b j)) (values (+ a b) (max i j)))
                                                 (wf:segments (wf:zip (wf:flatten s) (wf:segment-ids s)) :offsets (wf:segment-offsets s))
                                                 :identity '(0 -1))))
          "tuples")
      (is (equal (wf:to-list (wf:reduce-segments #'+ s))
                 (wf:to-list (wf:reduce-segments (wf:fn (a b) (declare (ignore a)) b) (wf:scan-segments-incl #'+ s) :identity 0)))
          "scan's last is reduce"))))

(defun plain-split (f list)
  (loop with piece = '()
        for x in list
        if (funcall f x) collect (reverse (shiftf piece '())) into pieces else do (push x piece)
        finally (return (append pieces (list (reverse piece))))))

(test splits-chunks-windows
  (dolist (n *sizes*)
    (let* ((list (noise n)) (s (wf:from-list list)) (pieces (plain-split (lambda (x) (zerop (mod x 5))) list)))
      (is (equal pieces (wf:nested-list (wf:split (wf:fn (x) (zerop (mod x 5))) s))))
      (is (equal (remove nil pieces) (wf:nested-list (wf:tokens (wf:fn (x) (zerop (mod x 5))) s))))
      (dolist (k '(1 3 1000))
        (is (equal (loop with rest = list while rest collect (loop repeat k while rest collect (pop rest))) (wf:nested-list (wf:chunks s k))))
        (is (equal list (wf:to-list (wf:flatten (wf:chunks s k)))))
        (let ((prefix (coerce (prefixes-of (append list '(0))) 'vector)))
          (is (equal (loop for i from 0 to (- n k) collect (- (aref prefix (+ i k)) (aref prefix i)))
                     (wf:to-list (wf:reduce-segments #'+ (wf:windows s k))))))))))

(defun plain-groups (pairs)
  (let ((table (make-hash-table)))
    (loop for (k v) in pairs do (push v (gethash k table)))
    (loop for k in (sort (loop for k being the hash-keys of table collect k) #'<)
          collect (cons k (reverse (gethash k table))))))

(test groups
  (dolist (n '(1 2 100007))
    (let* ((pairs (loop for x in (noise n) for i from 0 collect (list (mod x 97) i)))
           (expected (plain-groups pairs)) (keys (mapcar #'first expected)) (s (wf:from-list pairs)))
      (multiple-value-bind (its-keys groups) (wf:collect s)
        (is (equal keys (wf:to-list its-keys)))
        (is (equal (mapcar #'rest expected) (wf:nested-list groups)) "groups keep the order"))
      (multiple-value-bind (its-keys groups) (wf:collect s :predicate #'>)
        (is (equal (reverse keys) (wf:to-list its-keys)))
        (is (equal (reverse (mapcar #'rest expected)) (wf:nested-list groups)) "in the opposite order"))
      (multiple-value-bind (its-keys groups) (wf:collect s :predicate (wf:fn (x y) (> (floor x 10) (floor y 10))))
        (let ((tens (reverse (plain-groups (loop for (k i) in pairs collect (list (floor k 10) (list k i)))))))
          (is (equal (loop for (nil (k nil)) in tens collect k) (wf:to-list its-keys)) "the first key of a group")
          (is (equal (loop for (nil . members) in tens collect (mapcar #'second members)) (wf:nested-list groups)))))
      (multiple-value-bind (its-keys groups) (wf:group-by (wf:fn (k v) (declare (ignore v)) k) s)
        (is (equal keys (wf:to-list its-keys)))
        (is (equal (mapcar #'rest expected) (wf:nested-list (wf:map-segments (wf:fn (k v) (declare (ignore k)) v) groups)))))
      (is (equal (loop for (k . values) in expected collect (list k (reduce #'+ values))) (wf:to-list (wf:reduce-by-key #'+ s))))
      (is (equal (loop for (k . values) in expected collect (list k (reduce #'max values :initial-value -1)))
                 (wf:to-list (wf:reduce-by-key #'max s :identity -1))))
      (is (equal (loop for (k . values) in expected collect (list k (length values))) (wf:to-list (wf:count-by-key (wf:columns s 0)))))))
  (multiple-value-bind (keys groups) (wf:collect (wf:zip (wf:iota 0) (wf:iota 0)))
    (is (equal '() (wf:to-list keys)))
    (is (equal '() (wf:nested-list groups)))))

(defun plain-runs (list)
  (let ((runs '()))
    (dolist (x list (reverse runs))
      (if (and runs (eql x (first (first runs)))) (incf (second (first runs))) (push (list x 1) runs)))))

(test runs-of-equal-elements
  (dolist (n *sizes*)
    (let* ((list (mapcar (lambda (x) (cond ((> x 300) 1) ((< x -800) 2) (t 3))) (noise n))) (s (wf:from-list list)) (runs (plain-runs list)))
      (is (equal runs (wf:to-list (wf:run-lengths s))))
      (is (equal (loop for (x n) in runs collect (make-list n :initial-element x)) (wf:nested-list (wf:runs s))))
      (is (equal (mapcar #'first runs) (wf:to-list (wf:dedup s))))
      (is (equal (mapcar #'first runs) (wf:to-list (wf:dedup s :test #'=))))
      (is (equal (mapcar #'second (plain-runs (mapcar (lambda (x) (floor x 2)) list)))
                 (wf:to-list (wf:segment-lengths (wf:runs s :test (wf:fn (x y) (= (floor x 2) (floor y 2)))))))))))

(test segments-are-one-kernel
  (let* ((n 1000) (s (wf:segments (wf:tabulate (wf:fn (i) (float i)) (/ (* n (1- n)) 2)) :lengths (wf:iota n)))
         (squares (wf:reduce-segments #'+ (wf:map-segments (wf:fn (x) (* x x)) s))))
    (wf:force (wf:segment-offsets s))
    (is (search "1 kernel" (wf:explain squares)))
    (is (= 5.0 (wf:elt squares 2)))
    (is (equal "#<segments of f32, 1000 of them>" (princ-to-string s)))))

(test errors-of-nested-sequences
  (let ((s (nested-of '((1 2) (3)))) (released (wf:iota 1)))
    (wf:release released)
    (names-itself (wf:segment s 2) (wf:segment s -1) (wf:chunks (wf:iota 3) 0) (wf:windows (wf:iota 3) 0) (wf:split #'plusp released)
                  (wf:tokens #'plusp released) (wf:runs released) (wf:run-lengths released) (wf:segments released :lengths released)
                  (wf:flatten released) (wf:map-segments #'abs 5) (wf:reduce-segments #'+ released) (wf:collect released)
                  (wf:group-by #'abs released) (wf:reduce-by-key #'+ released) (wf:segment-lengths 5))
    (dolist (wrong (list (wf:segments (wf:iota 3) :lengths (wf:from-list '(1 1))) (wf:segments (wf:iota 3) :lengths (wf:from-list '(2 2)))
                         (wf:segments (wf:iota 1) :lengths (wf:from-list '(2 -1))) (wf:segments (wf:iota 3) :offsets (wf:from-list '(0 2 1 3)))
                         (wf:segments (wf:iota 3) :offsets (wf:from-list '(1 3)))
                         (wf:segments (wf:iota 0) :offsets (wf:from-list '() :type :i64))))
      (names-itself (wf:nested-list wrong)))
    (signals wf:range-error (wf:to-list (wf:reduce-segments #'+ (wf:segments (wf:iota 3) :lengths (wf:from-list '(2 2))))))
    (signals wf:range-error (wf:to-list (wf:reduce-segments #'+ (wf:segments (wf:iota 1) :lengths (wf:from-list '(2 -1))))))))
