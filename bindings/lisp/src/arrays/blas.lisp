;;;; The names of BLAS and of MGL-MAT, for arrays of any rank unless it is stated. Results are new arrays, fused with their neighbours. An array never
;;;; changes, so there is no copy; DOT is in sequences/totals.lisp.

(in-package #:warpfold)

(define-called asum (array)
  "The sum of the sizes of all elements, as a delayed scalar."
  (sum (map #'abs array)))

(define-called nrm2 (array)
  "The root of the sum of the squares of all elements, as a delayed scalar."
  (norm array))

(define-called scal (alpha array)
  "ALPHA * ARRAY"
  (map #'* alpha array))

(define-called axpy (alpha x y)
  "ALPHA * X + Y"
  (map (fn (alpha x y) (+ (* alpha x) y)) alpha x y))

(defun weighted-sum (alpha a beta b)
  "ALPHA * A + BETA * B"
  (map (fn (alpha a beta b) (+ (* alpha a) (* beta b))) alpha a beta b))

(define-called gemm (alpha a b beta c &key transpose-a transpose-b)
  "ALPHA * A B + BETA * C for matrices, of which A or B is transposed if TRANSPOSE-A or TRANSPOSE-B is true."
  (weighted-sum alpha (matmul (if transpose-a (transpose a) a) (if transpose-b (transpose b) b)) beta c))

(define-called geem (alpha a b beta c)
  "ALPHA * A * B + BETA * C, element by element."
  (map (fn (alpha a b beta c) (+ (* (* alpha a) b) (* beta c))) alpha a b beta c))

(define-called geerv (alpha a x beta c)
  "GEEM with each row of a matrix A times the sequence X."
  (require-rank x 1 "a sequence")
  (geem alpha a x beta c))

(define-called scale-rows (scales matrix)
  "Row i of a matrix times element i of SCALES."
  (require-rank scales 1 "a sequence")
  (map #'* (insert-axis scales 1) matrix))

(define-called scale-columns (scales matrix)
  "Column j of a matrix times element j of SCALES."
  (require-rank scales 1 "a sequence")
  (map #'* scales matrix))
