;;;; ising [SIZE [SWEEPS]]: the magnetization of the Ising model on a square of even size with wrapped edges, at the inverse temperature 0.6. Half of
;;;; the spins, those of one colour of a chess board, do not depend on each other, and are drawn at once from their neighbours (heat bath).

(in-package #:warpfold-examples)

(defconstant +beta+ 0.6f0)

(defun drawn-spins (spins size parity key)
  "New spins where row + column has this parity. A spin is 1 or -1."
  (let ((area (* size size)))
    (wf:tabulate (wf:fn (i)
                   (multiple-value-bind (line column) (truncate i size)
                     (let* ((row (* line size))
                            (up (rem (+ row (- area size)) area)) (down (rem (+ row size) area))
                            (left (rem (+ column (1- size)) size)) (right (rem (1+ column) size))
                            (field (+ (aref spins (+ up column)) (aref spins (+ down column))
                                      (aref spins (+ row left)) (aref spins (+ row right)))))
                       (if (= (rem (+ line column) 2) parity)
                           (if (< (* (wf.random:uniform key i) (+ 1 (exp (* -2 +beta+ field)))) 1) 1 -1)
                           (aref spins i)))))
                 area)))

(defun magnetization (size sweeps)
  (let ((key (wf.random:key 2026)) (spins (wf:tabulate (wf:fn (i) (progn i 1)) (* size size))))
    (dotimes (step (* 2 sweeps))
      (setf spins (wf:force (drawn-spins spins size (mod step 2) (wf.random:split key step)))))
    (/ (wf:value (wf:sum spins)) (* size size))))

(defun infinite-magnetization ()
  "L. Onsager, C. N. Yang: (1 - sinh(2 beta)^-4)^(1/8), of an infinite square."
  (expt (- 1 (expt (sinh (* 2 +beta+)) -4)) 1/8))

(define-program ising (&rest arguments)
  (let ((size (number-argument arguments 0 1000)) (sweeps (number-argument arguments 1 100)))
    (assert (evenp size) () "SIZE is odd")
    (format t "magnetization ~,4F, of an infinite square ~,4F~%" (timed ((* size size sweeps) "spins") (magnetization size sweeps))
            (infinite-magnetization))))
