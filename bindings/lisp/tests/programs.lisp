;;;; The shorter example programs, next to plain Lisp.

(in-package #:warpfold-test)
(in-suite warpfold)

(defun stable (list predicate &optional (key #'identity)) (stable-sort (copy-list list) predicate :key key))

(defun plain-runs (list)
  (let ((runs '()))
    (dolist (x list (reverse runs))
      (if (and runs (eql x (first (first runs)))) (incf (second (first runs))) (push (list x 1) runs)))))

(test primes
  (flet ((prime-p (n) (and (> n 1) (loop for d from 2 to (isqrt n) never (zerop (mod n d))))))
    (dolist (n '(0 2 3 4 122 5000))
      (is (equal (loop for i below n when (prime-p i) collect i) (wf:to-list (program primes n)))))
    (is (= 78498 (wf:length (program primes 1000003))))))

(defun plain-words (text)
  "Words with their counts, the most frequent first."
  (let ((table (make-hash-table :test #'equal)) (words '()))
    (loop with start = nil
          for i from 0 to (length text)
          for letter = (and (< i (length text)) (char<= #\a (char-downcase (char text i)) #\z))
          do (cond ((and letter (not start)) (setf start i))
                   ((and start (not letter))
                    (let ((word (string-downcase (subseq text start i))))
                      (when (= 1 (incf (gethash word table 0))) (push word words))
                      (setf start nil)))))
    (stable-sort (loop for word in (reverse words) collect (list (gethash word table) word)) #'> :key #'first)))

(test word-counts
  (let* ((path (asdf:system-relative-pathname "warpfold" "README.md"))
         (text (map 'string #'code-char (wf:to-vector (wf:from-file path)))))
    (is (equal (subseq (plain-words text) 0 25) (program most-frequent-words 25 (wf:from-file path)))))
  (flet ((counts (text) (program most-frequent-words 5 (wf:from-vector (sb-ext:string-to-octets text)))))
    (is (equal '((3 "it") (3 "is") (1 "what")) (counts "It is what it is, is IT?")))
    (is (equal '() (counts "12, 3.")))))

(test sorts-of-15-210
  (dolist (n '(0 1 100007))
    (let* ((list (noise n)) (s (wf:from-list list)) (sorted (stable list #'<)))
      (is (equal sorted (wf:to-list (program quicksort s))))
      (is (equal sorted (wf:to-list (program samplesort s)))))))

(test sparse-product
  (let* ((n 3000) (x (wf:tabulate (wf:fn (i) (coerce (rem i 7) 'double-float)) n))
         (expected (loop with start = 0
                         for r below n
                         for length = (floor n (1+ r))
                         collect (loop for i from start below (+ start length)
                                       sum (* (- (rem i 10) 4) (rem (rem (* i 7919) n) 7)))
                         do (incf start length))))
    (is (every #'= expected (wf:to-list (program sparse-product (program sparse-matrix n) x))))))

(test n-body
  (let* ((n 300) (mass (/ 1d0 n)) (positions (program bodies n))
         (velocities (wf:map (wf:fn (x y z) (values (* 0 x) (* 0 y) (* 0 z))) positions))
         (before (program energy positions velocities mass)))
    (dotimes (k 20) (setf (values positions velocities) (program advance positions velocities mass 1d-3)))
    (is (minusp before))
    (is (close-p (program energy positions velocities mass) before 1d-3))
    (is (every (lambda (x) (< (abs x) 1d-12)) (multiple-value-list (wf:value (wf:reduce (wf:fn ((a b c) (d e f)) (values (+ a d) (+ b e) (+ c f)))
                                                                                        velocities :identity '(0 0 0)))))
        "no momentum")))

(test run-length-codes
  (dolist (n *sizes*)
    (let* ((list (loop for i below n collect (if (< (mod (* i i) 1013) 700) 97 98))) (code (wf:run-lengths (wf:from-list list))))
      (is (equal (plain-runs list) (wf:to-list code)))
      (is (equal list (wf:to-list (program decode-runs code)))))))

(test moving-averages
  (let* ((list (loop for x in (noise 5000) collect (coerce x 'double-float))) (s (wf:from-list list)))
    (dolist (w '(1 2 7 5000 5001))
      (let ((expected (loop for rest on list repeat (- 5001 w) collect (/ (loop for x in rest repeat w sum x) w))))
        (is (every #'= expected (wf:to-list (program averages-by-windows w s))))
        (is (= (length expected) (wf:length (program averages-by-windows w s))))
        (is (every #'= expected (wf:to-list (program averages-by-prefixes w s))))))))

(test big-sums
  (flet ((sum (a b) (parse-integer (program digits-text (program add-digits (program digits a) (program digits b))))))
    (is (= (expt 10 5000) (sum (make-string 5000 :initial-element #\9) "1")))
    (let ((a (expt 7 5000)) (b (expt 3 9000)))
      (is (= (+ a b) (sum (princ-to-string a) (princ-to-string b)))))
    (is (equal "0" (program digits-text (program add-digits (program digits "0") (program digits "000")))))
    (signals error (program digits "1x"))))

(defun plain-bfs (edges n start)
  (let ((seen (make-array n :initial-element nil)) (targets (make-array n :initial-element '())))
    (loop for (from to) in edges do (push to (aref targets from)))
    (setf (aref seen start) t)
    (loop with frontier = (list start)
          while frontier
          collect (length frontier)
          do (setf frontier (loop for v in frontier
                                  append (loop for to in (aref targets v) unless (shiftf (aref seen to) t) collect to))))))

(test breadth-first-search
  (let* ((n 2000) (edges (loop for v below n append (loop for k in '(1 2 5) collect (list v (mod (+ (* v 37) (* k 991)) n))))))
    (is (equal (plain-bfs edges n 7) (program bfs-counts (program adjacency (wf:from-list edges)) 7))))
  (let ((edges '((0 1) (0 2) (1 3) (2 3) (3 4) (3 0) (5 6))))
    (uiop:with-temporary-file (:pathname path :stream out)
      (format out "~:{~D ~D~%~}" edges)
      (finish-output out)
      (is (equal '(1 2 1 1) (program bfs-counts (program adjacency (program read-edges path)) 0))))))

(test page-ranks
  (let* ((n 500) (links (wf:to-list (program made-up-links n)))
         (rank (make-array n :initial-element (/ 1d0 n))) (out (make-array n :initial-element 0)))
    (loop for (nil from) in links do (incf (aref out from)))
    (dotimes (k 30)
      (let ((next (make-array n :initial-element 0d0)) (lost (loop for r across rank for o across out when (zerop o) sum r)))
        (loop for (to from) in links do (incf (aref next to) (/ (aref rank from) (aref out from))))
        (setf rank (map 'vector (lambda (received) (+ (/ 0.15d0 n) (* 0.85d0 (+ received (/ lost n))))) next))))
    (is (every (lambda (a b) (< (abs (- a b)) 1d-12)) rank (wf:to-vector (program page-ranks (program made-up-links n) n 30))))))

(test nearest-neighbours
  (let* ((n 400) (points (program square-points n)) (list (wf:to-list points)))
    (flet ((distance (p q) (sqrt (+ (expt (- (first p) (first q)) 2) (expt (- (second p) (second q)) 2)))))
      (is (equal (subseq (mapcar #'second (sort (loop for p in list for i from 0 collect (list (distance p '(0.5d0 0.5d0)) i)) #'< :key #'first)) 0 4)
                 (mapcar #'second (wf:to-list (program nearest-points 4 points)))))
      (is (close-p (wf:value (program mean-nearest-distance points))
                   (/ (loop for p in list sum (loop for q in list unless (eq p q) minimize (distance p q))) n)
                   1d-12)))))

(test monte-carlo
  (flet ((near (expected estimate) (is (< (abs (- (first estimate) expected)) (* 4 (second estimate))) "~S" estimate)))
    (let ((key (wf.random:key 2026)))
      (near pi (program estimate-pi (wf.random:split key 0) 1000000))
      (is (close-p (program black-scholes) 10.69249d0 1d-6))
      (near (program black-scholes) (program call-option (wf.random:split key 1) 1000000)))))

(test particle-filter
  (destructuring-bind (distance deviation) (program distance-from-kalman 100000 20)
    (is (< distance 0.01))
    (is (< (abs (- deviation 0.4537)) 1d-3))))

(test metropolis
  (destructuring-bind (mean variance accepted) (program metropolis (wf.random:key 2026) 20000 100)
    (is (< (abs (- mean 3)) 0.08))
    (is (< (abs (- variance 3)) 0.3))
    (is (< 0.3 accepted 0.7))))

(test ising
  (is (< (abs (- (program infinite-magnetization) 0.9736)) 1d-4))
  (is (< (abs (- (program magnetization 128 100) (program infinite-magnetization))) 0.01)))

(test random-walk
  (let* ((key (wf.random:key 2026)) (points (wf:zip (program walk (wf.random:split key 0) 500) (program walk (wf.random:split key 1) 500)))
         (text (with-output-to-string (out) (program write-walk points out))))
    (is (eql 0 (search "<svg xmlns=" text)))
    (is (search (format nil "\"/>~%</svg>~%") text))
    (is (= 503 (count #\Newline text)))
    (is (search (format nil "~{~,3F,~,3F~}" (first (last (wf:to-list points)))) text))))

(test the-line-of-timing
  (let* ((s nil)
         (line (with-output-to-string (*error-output*)
                 (setf s (program timed (1000 "numbers") (wf:map #'1+ (wf:iota 1000)))))))
    (is (wf:manifest-p s))
    (is (eql (search " numbers/s" line) (- (length line) 11)))))
