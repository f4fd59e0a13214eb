;;;; primes [N]: how many primes are below N, and the last ones, by a sieve. The multiples of the primes up to the root of N are one sequence,
;;;; and a scatter crosses all of them out. Work N log log N.

(in-package #:warpfold-examples)

(defun multiples (small n)
  "2p, 3p, ... below n for each prime p of SMALL."
  (let* ((counts (wf:map (wf:fn (p) (1- (truncate (1- n) p))) small))
         (all (wf:segments (wf:iota (wf:value (wf:sum counts))) :lengths counts)) ; segment k is of the multiples of small[k]
         (starts (wf:segment-offsets all)))
    (wf:map (wf:fn (k i) (* (aref small k) (+ 2 (- i (aref starts k))))) (wf:segment-ids all) (wf:flatten all))))

(defun primes (n)
  (if (<= n 2)
      (wf:iota 0)
      (let ((multiples (multiples (primes (1+ (isqrt (1- n)))) n)))
        (wf:positions-if (wf:fn (prime) prime)
                         (wf:scatter (wf:tabulate (wf:fn (i) (>= i 2)) n) multiples (wf:map (wf:fn (i) (< i 0)) multiples))))))

(define-program primes (&rest arguments)
  (let* ((n (number-argument arguments 0 1000000))
         (primes (timed (n "numbers") (primes n)))
         (count (wf:length primes)))
    (format t "~D primes below ~D, the last ones ~A~%" count n (wf:to-string (wf:drop primes (max 0 (- count 3)))))))
