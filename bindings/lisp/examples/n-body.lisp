;;;; n-body [BODIES [STEPS]]: bodies of equal mass under gravity, by leapfrog steps, and how well their energy is conserved. A body's force is a
;;;; reduction over all bodies inside wf:fn: one kernel per step, which stores no pair.

(in-package #:warpfold-examples)

(wf:define-function softened (dx dy dz)
  "The reciprocal of a distance that is never 0."
  (/ (sqrt (+ (* dx dx) (* dy dy) (* dz dz) 1d-2))))

(defun accelerations (positions mass)
  (wf:map (wf:fn (x y z)
            (reduce (lambda (a b c d e f) (values (+ a d) (+ b e) (+ c f)))
                    (map 'vector
                         (lambda (x2 y2 z2)
                           (let* ((dx (- x2 x)) (dy (- y2 y)) (dz (- z2 z)) (r (softened dx dy dz)) (k (* mass r r r)))
                             (values (* k dx) (* k dy) (* k dz))))
                         positions)
                    :identity '(0 0 0)))
          positions))

(defun energy (positions velocities mass)
  (wf:value (wf:sum (wf:map (wf:fn ((x y z) (u v w))
                              (let ((potential (reduce #'+ (map 'vector (lambda (x2 y2 z2) (* mass (softened (- x2 x) (- y2 y) (- z2 z))))
                                                                positions))))
                                (* 0.5d0 mass (- (+ (* u u) (* v v) (* w w)) potential))))
                            positions velocities))))

(defun advance (positions velocities mass dt)
  "Two values: the positions and velocities after a step."
  (flet ((moved (s by) (wf:map (wf:fn ((a b c) (d e f)) (values (+ a (* dt d)) (+ b (* dt e)) (+ c (* dt f)))) s by)))
    (let* ((velocities (moved velocities (accelerations positions mass)))
           (positions (moved positions velocities)))
      (wf:force positions velocities)
      (values positions velocities))))

(defun bodies (n)
  (flet ((place (k) (wf:tabulate (wf:fn (i) (- (/ (rem (* i k) 1009) 1009d0) 0.5d0)) n)))
    (wf:zip (place 7919) (place 104729) (place 1299709))))

(define-program n-body (&rest arguments)
  (let* ((n (number-argument arguments 0 1000)) (steps (number-argument arguments 1 10)) (mass (/ 1d0 n))
         (positions (bodies n)) (velocities (wf:map (wf:fn (x y z) (values (* 0 x) (* 0 y) (* 0 z))) positions))
         (before (energy positions velocities mass)))
    (timed ((* n n steps) "pairs")
      (dotimes (step steps) (setf (values positions velocities) (advance positions velocities mass 1d-3))))
    (format t "energy ~,6F, after ~D steps ~,6F~%" before steps (energy positions velocities mass))))
