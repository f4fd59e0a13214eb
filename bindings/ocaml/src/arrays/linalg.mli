(** Linear algebra.

    A matrix is the last two axes of an array, rows and columns; the axes before them number the matrices of a batch, and are broadcast as in
    NumPy. Elements are floats, and where it is stated, integers other than u8. Lazy: a call stores its arguments and its result; what
    surrounds it fuses with its neighbours. Shapes that do not fit raise [Invalid_argument], which names both shapes. A matrix that is singular, or not
    positive definite, raises [Invalid_argument] from the call that computes: the message has the number of the pivot. *)

(* Printed types name a module as it is named here: Warpfold.Expr for Warpfold__Expr. Dune finds dependencies by the
   short names in [needed]. *)

type needed := Expr.int * (unit, unit) Axes.t [@@warning "-34"]
module Expr := Warpfold__Expr
module Axes := Warpfold__Axes

type ('rank, 'a, 'b) t = ('rank, 'a, 'b) Node.t

(** {1 Products} *)

(** The product of m x k and k x n; also of integers. A transpose is read in place. Work m n k. {!Seq.dot} is that of two vectors. *)
val matmul : ('r Axes.axis Axes.axis, 'a, ([< _ Expr.number ] as 'b)) t -> ('r Axes.axis Axes.axis, 'a, 'b) t -> ('r Axes.axis Axes.axis, 'a, 'b) t

(** [a *@ b] is [matmul a b], as in Owl. *)
val ( *@ ) : ('r Axes.axis Axes.axis, 'a, ([< _ Expr.number ] as 'b)) t -> ('r Axes.axis Axes.axis, 'a, 'b) t -> ('r Axes.axis Axes.axis, 'a, 'b) t

(** The product of a matrix and a vector; also of integers. Fused with its neighbours. *)
val matvec : ('r Axes.axis Axes.axis, 'a, ([< _ Expr.number ] as 'b)) t -> (Axes.rank1, 'a, 'b) t -> ('r Axes.axis, 'a, 'b) t

(** All products of the elements of two vectors; also of integers. *)
val outer : (Axes.rank1, 'a, ([< _ Expr.number ] as 'b)) t -> (Axes.rank1, 'a, 'b) t -> (Axes.rank2, 'a, 'b) t

(** The transpose of a times b, for a of k x m and b of k x n; also of integers. Work m n k. *)
val inner : ('r Axes.axis Axes.axis, 'a, ([< _ Expr.number ] as 'b)) t -> ('r Axes.axis Axes.axis, 'a, 'b) t -> ('r Axes.axis Axes.axis, 'a, 'b) t

(** The sum of the products of the elements of two matrices of one shape; also of integers. Work m n. *)
val frobenius : ('r Axes.axis Axes.axis, 'a, ([< _ Expr.number ] as 'b)) t -> ('r Axes.axis Axes.axis, 'a, 'b) t -> ('r, 'a, 'b) t

(** Element (i p + k, j q + l) is a\[i, j\] b\[k, l\], for b of p x q; also of integers. *)
val kronecker : (Axes.rank2, 'a, ([< _ Expr.number ] as 'b)) t -> (Axes.rank2, 'a, 'b) t -> (Axes.rank2, 'a, 'b) t

(** The n-th power of square matrices, n >= 0; also of integers. Work m{^3} log n. *)
val power : ('r Axes.axis Axes.axis, 'a, ([< _ Expr.number ] as 'b)) t -> int -> ('r Axes.axis Axes.axis, 'a, 'b) t

(** The sum of the diagonal; also of integers. *)
val trace : ('r Axes.axis Axes.axis, 'a, ([< _ Expr.number ] as 'b)) t -> ('r, 'a, 'b) t

(** The root of the sum of the squares of all elements. *)
val norm : ('r Axes.axis Axes.axis, 'a, ([< _ Expr.real ] as 'b)) t -> ('r, 'a, 'b) t

(** {1 Systems of equations} *)

(** [solve a b] is x with a x = b, a column for each column of [b]. [form] states what is known of a:
    - [`General] (the default): nothing. Work 2/3 n{^3} + 2 n{^2} r for r columns
    - [`Positive]: symmetric and positive definite; only its lower triangle is read. Work 1/3 n{^3} + 2 n{^2} r
    - [`Cholesky]: the factor of such a matrix, see {!cholesky}. Work 2 n{^2} r
    - [`Lower], [`Upper], [`Unit_lower], [`Unit_upper]: only this triangle is read, with 1 on the diagonal for a unit. Work n{^2} r *)
val solve :
  ?form:[ `General | `Positive | `Cholesky | `Lower | `Upper | `Unit_lower | `Unit_upper ] ->
  ('r Axes.axis Axes.axis, 'a, ([< _ Expr.real ] as 'b)) t ->
  ('r Axes.axis Axes.axis, 'a, 'b) t ->
  ('r Axes.axis Axes.axis, 'a, 'b) t

(** The same for one vector b. *)
val solve_vector :
  ?form:[ `General | `Positive | `Cholesky | `Lower | `Upper | `Unit_lower | `Unit_upper ] ->
  ('r Axes.axis Axes.axis, 'a, ([< _ Expr.real ] as 'b)) t ->
  (Axes.rank1, 'a, 'b) t ->
  ('r Axes.axis, 'a, 'b) t

(** The inverse, of a matrix of one of the forms of {!solve}; [solve] is faster and more accurate than a product by it. *)
val inverse :
  ?form:[ `General | `Positive | `Cholesky | `Lower | `Upper | `Unit_lower | `Unit_upper ] ->
  ('r Axes.axis Axes.axis, 'a, ([< _ Expr.real ] as 'b)) t -> ('r Axes.axis Axes.axis, 'a, 'b) t

(** The logarithm of the size of the determinant; -infinity for a singular matrix. *)
val log_determinant :
  ?form:[ `General | `Positive | `Cholesky | `Triangular ] -> ('r Axes.axis Axes.axis, 'a, ([< _ Expr.real ] as 'b)) t -> ('r, 'a, 'b) t

(** A triangle of each matrix, 0 outside; also of integers. *)
val triangle :
  [ `Lower | `Upper | `Unit_lower | `Unit_upper ] ->
  ('r Axes.axis Axes.axis, 'a, ([< _ Expr.number ] as 'b)) t -> ('r Axes.axis Axes.axis, 'a, 'b) t

(** The lower triangle with half of the diagonal, and 0 above: the operator of derivatives of Cholesky's factor. *)
val phi : ('r Axes.axis Axes.axis, 'a, ([< _ Expr.real ] as 'b)) t -> ('r Axes.axis Axes.axis, 'a, 'b) t

(** That triangle of a times b; the rest of a is not read. *)
val triangle_product :
  [ `Lower | `Upper | `Unit_lower | `Unit_upper ] ->
  ('r Axes.axis Axes.axis, 'a, ([< _ Expr.real ] as 'b)) t -> ('r Axes.axis Axes.axis, 'a, 'b) t -> ('r Axes.axis Axes.axis, 'a, 'b) t

(** {1 Factorizations} *)

(** The lower triangle l with a = l times its transpose, for a symmetric positive definite a, of which only the lower triangle is read. Work
    1/3 n{^3}. *)
val cholesky : ('r Axes.axis Axes.axis, 'a, ([< _ Expr.real ] as 'b)) t -> ('r Axes.axis Axes.axis, 'a, 'b) t

(** [(q, r)] with a = q r: q of m x k and r of k x n with k = min m n; the columns of q are orthonormal, and r is an upper triangle with no negative
    number on its diagonal. Work 4 m n k. *)
val qr : ('r Axes.axis Axes.axis, 'a, ([< _ Expr.real ] as 'b)) t -> ('r Axes.axis Axes.axis, 'a, 'b) t * ('r Axes.axis Axes.axis, 'a, 'b) t

(** The eigenvalues of a symmetric matrix in ascending order, and a unit eigenvector in each column. Only the lower triangle is read. Signs of
    vectors depend on the engine. Work about 10 n{^3}. *)
val eigen : ('r Axes.axis Axes.axis, 'a, ([< _ Expr.real ] as 'b)) t -> ('r Axes.axis, 'a, 'b) t * ('r Axes.axis Axes.axis, 'a, 'b) t

(** [(u, values, v)]: a = u diag(values) v with k = min m n values in descending order, u of m x k, v of k x n. Work about 20 m n k. *)
val singular_values :
  ('r Axes.axis Axes.axis, 'a, ([< _ Expr.real ] as 'b)) t ->
  ('r Axes.axis Axes.axis, 'a, 'b) t * ('r Axes.axis, 'a, 'b) t * ('r Axes.axis Axes.axis, 'a, 'b) t

(** {1 Fourier transforms} *)

(** The discrete Fourier transform along the last [axes] axes, one to three, of a complex array, whose elements are a further axis of 2: real and
    imaginary parts. Result k is the sum of exp(-2 pi i j k / n) times element j. Work 5 n log2 n. *)
val fft : ?axes:int -> ('r Axes.axis Axes.axis, 'a, ([< _ Expr.real ] as 'b)) t -> ('r Axes.axis Axes.axis, 'a, 'b) t

(** The inverse of {!fft}. *)
val inverse_fft : ?axes:int -> ('r Axes.axis Axes.axis, 'a, ([< _ Expr.real ] as 'b)) t -> ('r Axes.axis Axes.axis, 'a, 'b) t

(** The transform of a real array: n/2 + 1 complex results for n numbers along the last axis, the others are their conjugates. *)
val real_fft : ?axes:int -> ('r Axes.axis, 'a, ([< _ Expr.real ] as 'b)) t -> ('r Axes.axis Axes.axis, 'a, 'b) t

(** The inverse of {!real_fft}, with an even number of elements along the last axis, or with [odd] an odd one. *)
val inverse_real_fft : ?axes:int -> ?odd:bool -> ('r Axes.axis Axes.axis, 'a, ([< _ Expr.real ] as 'b)) t -> ('r Axes.axis, 'a, 'b) t

(** {1 Images} *)

(** Element (i, j) is the sum of kernel\[p, q\] image\[i + p, j + q\]; also of integers. Fused with its neighbours. *)
val convolve : ('r Axes.axis Axes.axis, 'a, ([< _ Expr.number ] as 'b)) t -> (Axes.rank2, 'a, 'b) t -> ('r Axes.axis Axes.axis, 'a, 'b) t

(** [max_pool rows columns image]: the largest element of each block; incomplete blocks at the end are dropped. Also of integers. *)
val max_pool : int -> int -> ('r Axes.axis Axes.axis, 'a, ([< _ Expr.number ] as 'b)) t -> ('r Axes.axis Axes.axis, 'a, 'b) t

(** {1 BLAS}

    The names of BLAS and MGL-MAT, for arrays of any rank unless it is stated. Results are new arrays, fused with their neighbours; an array that never
    changes needs no [copy]. *)

module Blas : sig
  (** The sum of the sizes of the elements. *)
  val asum : ('r, 'a, ([< _ Expr.number ] as 'b)) t -> (Axes.rank0, 'a, 'b) t

  (** The sum of the products of the elements, and the root of that of the squares. *)
  val dot : ('r, 'a, ([< _ Expr.number ] as 'b)) t -> ('r, 'a, 'b) t -> (Axes.rank0, 'a, 'b) t

  val nrm2 : ('r, 'a, ([< _ Expr.real ] as 'b)) t -> (Axes.rank0, 'a, 'b) t

  (** [scal alpha x] is alpha x, and [axpy alpha x y] is alpha x + y. *)
  val scal : 'a -> ('r, 'a, ([< _ Expr.number ] as 'b)) t -> ('r, 'a, 'b) t

  val axpy : 'a -> ('r, 'a, ([< _ Expr.number ] as 'b)) t -> ('r, 'a, 'b) t -> ('r, 'a, 'b) t

  (** [gemm alpha a b beta c] is alpha a b + beta c for matrices, of which [a] or [b] is transposed on request. *)
  val gemm :
    ?transpose_a:bool -> ?transpose_b:bool ->
    'a -> ('r Axes.axis Axes.axis, 'a, ([< _ Expr.number ] as 'b)) t -> ('r Axes.axis Axes.axis, 'a, 'b) t ->
    'a -> ('r Axes.axis Axes.axis, 'a, 'b) t -> ('r Axes.axis Axes.axis, 'a, 'b) t

  (** [geem alpha a b beta c] is alpha a b + beta c element by element; [geerv alpha a x beta c] multiplies each row of a matrix [a] by [x] so. *)
  val geem : 'a -> ('r, 'a, ([< _ Expr.number ] as 'b)) t -> ('r, 'a, 'b) t -> 'a -> ('r, 'a, 'b) t -> ('r, 'a, 'b) t

  val geerv :
    'a -> (Axes.rank2, 'a, ([< _ Expr.number ] as 'b)) t -> (Axes.rank1, 'a, 'b) t -> 'a -> (Axes.rank2, 'a, 'b) t -> (Axes.rank2, 'a, 'b) t

  (** Row i, or column i, times element i of the scales. *)
  val scale_rows : (Axes.rank1, 'a, ([< _ Expr.number ] as 'b)) t -> (Axes.rank2, 'a, 'b) t -> (Axes.rank2, 'a, 'b) t

  val scale_columns : (Axes.rank1, 'a, ([< _ Expr.number ] as 'b)) t -> (Axes.rank2, 'a, 'b) t -> (Axes.rank2, 'a, 'b) t
end
