;;;; page-rank [PAGES]: the pages with the highest ranks in a web made up here. A page gives its rank in equal parts to the pages that it links
;;;; to, and a page without links to all. A round is two kernels: what pages give, and the sums of what they receive.

(in-package #:warpfold-examples)

(defun made-up-links (pages)
  "Tuples (to, from), sorted: page p links to p / 2, p / 3, ..., p mod 5 of them."
  (wf:sort (wf:from-list (loop for p below pages append (loop for k from 2 repeat (mod p 5) collect (list (floor p k) p)))) #'<))

(defun next-ranks (from out offsets rank)
  (let* ((n (wf:length rank))
         (given (wf:map (wf:fn (r links) (/ r (max links 1))) rank out))
         (lost (wf:sum (wf:map (wf:fn (r links) (if (= links 0) r 0)) rank out)))
         (received (wf:reduce-segments #'+ (wf:segments (wf:map (wf:fn (page) (aref given page)) from) :offsets offsets))))
    (wf:force (wf:map (wf:fn (r) (+ (/ 0.15d0 n) (* 0.85d0 (+ r (/ lost n))))) received))))

(defun page-ranks (links pages rounds)
  (multiple-value-bind (to from) (wf:unzip links)
    (let ((out (wf:histogram from pages))
          (offsets (wf:segment-offsets (wf:segments from :lengths (wf:histogram to pages))))
          (rank (wf:tabulate (wf:fn (i) (+ (* 0 i) (/ 1d0 pages))) pages)))
      (wf:force from out offsets)
      (dotimes (round rounds rank)
        (setf rank (next-ranks from out offsets rank))))))

(define-program page-rank (&rest arguments)
  (let* ((pages (number-argument arguments 0 20000)) (links (made-up-links pages)) (rounds 30)
         (ranks (timed ((* rounds (wf:length links)) "links") (page-ranks links pages rounds)))
         (best (wf:take (wf:sort (wf:enumerate ranks) #'> :key (wf:fn (page rank) (declare (ignore page)) rank)) 3)))
    (format t "sum ~,6F~%~:{page ~D: ~,6F~%~}" (wf:value (wf:sum ranks)) (wf:to-list best))))
