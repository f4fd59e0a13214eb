;;;; Linear algebra. A matrix is the last two axes of an array; the axes before them number the matrices of a batch, and batches are repeated by the
;;;; rules of MAP. Integers become :f64 unless a function is for them too. A matrix that is singular or not positive definite is a RANGE-ERROR of
;;;; the call that computes the result; its message has the number of the pivot.

(in-package #:warpfold)

(sb-ext:define-load-time-global **triangles** '(:lower :upper :unit-lower :unit-upper))

(defun form-word (form forms)
  "A form of matrices, one of FORMS, as a name of the library."
  (if (member form forms)
      (library-word form)
      (complain-of-argument form `(member ,@forms) "~A: the form is ~A: expected ~{~A~#[~; or ~:;, ~]~}"
                            (called) (form-text form) (mapcar #'form-text forms))))

(defun as-floats (array)
  (if (float-type-p (single-type array)) array (cast array :f64)))

(defun of-one-type (arrays)
  "ARRAYS, converted to the later one of their types."
  (let ((type (cl:reduce #'promoted (mapcar #'single-type arrays))))
    (loop for array in arrays collect (if (eq (single-type array) type) array (cast array type)))))

(defun linear (function &rest arrays)
  "The result of a function of wf_linear."
  (new-column (out (name (library-word function) :text) (pointers (of-one-type arrays) n)) (wf.raw:wf-linear name pointers n out)))

;;; ---- products

(define-called matmul (a b &rest more)
  "The product of matrices, also of integers. (m, k) by (k, n) is (m, n); a vector is a row on the left and a column on the right, so that (m, k) by
(k) is (m), and (k) by (k) a delayed scalar. More factors are multiplied from the left. SIZE-ERROR names both shapes and the axis. Work m n k."
  (let ((product (destructuring-bind (a b) (of-one-type (list a b))
                   (new-column (out (its-a a) (its-b b)) (wf.raw:wf-matmul its-a its-b out)))))
    (if more (apply #'matmul product more) product)))

(define-called matrix-power (matrix n)
  "The N-th power of a square matrix, N >= 0, also of integers. Work m^3 log n."
  (new-seq ((seq-types matrix) (seq-rank matrix)) (out (s matrix)) (wf.raw:wf-matrix-power s (integer-argument n "the exponent") out)))

(macrolet ((define-products (&rest clauses)
             `(progn ,@(loop for (name documentation) in clauses
                             collect `(define-called ,name (a b) ,documentation (linear ,(library-word name) a b))))))
  (define-products
    (inner "The product of the transpose of A and B, also of integers; DOT is the sum of all products of elements.")
    (outer "All products of the elements of two sequences, as a matrix; of matrices, A times the transpose of B. Also of integers.")
    (frobenius "The sum of the products of the elements of two matrices of one shape, also of integers. SIZE-ERROR names both shapes.")
    (kronecker "Kronecker's product of two matrices, also of integers.")))

(define-called triangle (matrix &optional (form :lower))
  "The triangle of a matrix, :lower or :upper, 0 outside; :unit-lower and :unit-upper have 1 on the diagonal. Also of integers."
  (linear (form-word form **triangles**) matrix))

(define-called triangle-product (form a b)
  "A triangle of A, as for TRIANGLE, times B. The rest of A is not read."
  (linear (format nil "~A_product" (form-word form **triangles**)) a b))

;;; ---- Fourier transforms

(defun fourier (name axes array &optional (last ""))
  (linear (format nil "~A~[~;~:;~:*~D~]~A" name axes last) (as-floats array)))

(define-called fft (array &optional (axes 1))
  "The discrete Fourier transform along the last AXES axes, one to three, of a complex array, whose elements are a further axis of 2: real and
imaginary parts. Result k is the sum of exp(-2 pi i j k / n) times element j. Work 5 n log2 n."
  (fourier "fft" axes array))
(define-called inverse-fft (array &optional (axes 1))
  "The inverse of FFT."
  (fourier "inverse_fft" axes array))
(define-called real-fft (array &optional (axes 1))
  "The transform of a real array: n/2 + 1 complex results for n numbers along the last axis, the others are their conjugates."
  (fourier "real_fft" axes array))
(define-called inverse-real-fft (array &key (axes 1) odd)
  "The inverse of REAL-FFT, with an even number of elements along the last axis, or with ODD an odd one."
  (fourier "inverse_real_fft" axes array (if odd "_odd" "")))

(define-called phi (matrix)
  "The lower triangle with half of the diagonal, and 0 above: the operator of derivatives of Cholesky's factor."
  (linear :phi (as-floats matrix)))

(define-called trace (matrix)
  "The sum of the diagonal, also of integers."
  (linear :trace matrix))

;;; ---- systems of equations

(define-called solve (a b &key (form :general))
  "x with A x = B, for a sequence B, or a matrix of several right sides. FORM:
  :general                                     elimination with row exchanges; work 2/3 n^3 + 2 n^2 r
  :positive                                    symmetric and positive definite, of which the lower triangle is read: Cholesky; work 1/3 n^3 + 2 n^2 r
  :cholesky                                    A is the result of CHOLESKY, for the matrix that it factors
  :lower, :upper, :unit-lower, :unit-upper     a triangle; the rest of A is not read"
  (destructuring-bind (a b) (of-one-type (list (as-floats a) (as-floats b)))
    (new-column (out (its-form (form-word form `(:general :positive :cholesky ,@**triangles**)) :text) (its-a a) (its-b b))
      (wf.raw:wf-solve its-form its-a its-b out))))

(defun linear-of-form (function matrix form forms)
  "A function of wf_linear with the suffix of a form."
  (let ((word (form-word form forms)))
    (linear (if (eq form :general) function (format nil "~A_~A" (library-word function) word)) (as-floats matrix))))

(define-called inverse (matrix &key (form :general))
  "The inverse of a matrix; FORM is as for SOLVE, which is faster and more accurate than a product with the inverse."
  (linear-of-form :inverse matrix form `(:general :positive :cholesky ,@**triangles**)))

(define-called log-determinant (matrix &key (form :general))
  "The logarithm of the absolute value of the determinant; FORM is :general, :positive, :cholesky, as for SOLVE, or :triangular."
  (linear-of-form :log-determinant matrix form '(:general :positive :cholesky :triangular)))

;;; ---- factorizations

(defun factors (factorization matrix n)
  "The N results of a factorization, as values."
  (with-pointers ((name (library-word factorization) :text) (s (as-floats matrix)))
    (cffi:with-foreign-object (out :pointer n)
      (checked (wf.raw:wf-factor name s out n))
      (values-list (loop for k below n collect (own-column (cffi:mem-aref out :pointer k)))))))

(define-called cholesky (matrix)
  "The lower triangle l with l lT = MATRIX, which is symmetric and positive definite; its lower triangle is read. Work 1/3 n^3."
  (factors :cholesky matrix 1))

(define-called qr (matrix)
  "Two values, q and r: q r = MATRIX, qT q = 1, and r is an upper triangle without negative numbers on its diagonal. Work 4 m n min(m, n)."
  (factors :qr matrix 2))

(define-called eigen (matrix)
  "Two values of a symmetric matrix: the eigenvalues, ascending, and a unit eigenvector in each column. Its lower triangle is read. Work about 10 n^3."
  (factors :eigen matrix 2))

(define-called singular-values (matrix)
  "Three values, u, s and v: MATRIX is u diag(s) v, with s descending. Work about 20 m n min(m, n)."
  (factors :singular-values matrix 3))

;;; ---- images

(define-called convolve (image kernel)
  "r[i, j] is the sum of kernel[p, q] image[i + p, j + q], where the kernel fits into the image; also of integers. Fused with what computes IMAGE."
  (destructuring-bind (image kernel) (of-one-type (list image kernel))
    (new-seq ((seq-types image) (seq-rank image)) (out (its-image image) (its-kernel kernel)) (wf.raw:wf-convolve its-image its-kernel out))))

(define-called max-pool (image rows columns)
  "The greatest element of each block of ROWS x COLUMNS of an image; incomplete blocks at the end are dropped."
  (new-seq ((seq-types image) (seq-rank image)) (out (s image))
    (wf.raw:wf-max-pool s (integer-argument rows "the number of rows") (integer-argument columns "the number of columns") out)))
