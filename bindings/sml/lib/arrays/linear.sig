(* Linear algebra. A matrix is the last two axes of an array; the axes before them number the matrices of a batch, and the batches of two
   arguments are broadcast. Elements are of Type.real or Type.single, of one type; where noted, also integers, which wrap. Everything is lazy. A
   product, a solution or a factorization stores its arguments and its results; its neighbours fuse.

   Errors of a call: Size, which states both shapes, and Warpfold Type. Computing a result raises Subscript for a matrix that is singular or not
   positive definite; Warpfold.lastMessage () names the matrix of the batch and the pivot. *)
signature LINEAR =
sig
  (* Only that triangle is read; the diagonal of a unit triangle is 1 and not read. *)
  datatype triangle = Lower | Upper | UnitLower | UnitUpper
  datatype form =
      General
    | Positive              (* symmetric and positive definite: only the lower triangle is read *)
    | Cholesky              (* the matrix is the factor that `cholesky` returns of the one that is meant *)
    | Triangle of triangle

  (* ---- products, also of integers *)

  (* (..., m, k) by (..., k, n) is (..., m, n). A vector is a row on the left and a column on the right; of two vectors it is the sum of
     products, of rank 0. Work m n k *)
  val matmul : 'a Tensor.t * 'a Tensor.t -> 'a Tensor.t
  (* Repeated squares; m^3 log n *)
  val power : 'a Tensor.t -> int -> 'a Tensor.t
  (* A triangle of the first times the second *)
  val triangularProduct : triangle -> 'a Tensor.t * 'a Tensor.t -> 'a Tensor.t
  (* The transpose of a times b; and a times the transpose of b, or all products of two vectors *)
  val inner : 'a Tensor.t * 'a Tensor.t -> 'a Tensor.t
  val outer : 'a Tensor.t * 'a Tensor.t -> 'a Tensor.t
  (* The sum of the products of the elements of two matrices of one shape *)
  val frobenius : 'a Tensor.t * 'a Tensor.t -> 'a Tensor.t
  val kronecker : 'a Tensor.t * 'a Tensor.t -> 'a Tensor.t

  (* ---- systems *)

  (* solve form (a, b): x with a x = b, for a vector or a matrix b. General: 2/3 n^3 + 2 n^2 r, for r columns of b; Positive: half of the first
     term; Cholesky: without it; Triangle: n^2 r *)
  val solve : form -> 'a Tensor.t * 'a Tensor.t -> 'a Tensor.t
  (* n^3 *)
  val inverse : form -> 'a Tensor.t -> 'a Tensor.t
  (* The logarithm of the size of the determinant, infinite for a singular General *)
  val logDeterminant : form -> 'a Tensor.t -> 'a Tensor.t

  (* ---- factorizations *)

  (* l with a = l times its transpose, for a symmetric and positive definite a; n^3 / 3 *)
  val cholesky : 'a Tensor.t -> 'a Tensor.t
  (* (q, r): a = q r with orthonormal columns of q, and an upper triangle r without negative numbers on its diagonal; 4 m n min (m, n) *)
  val qr : 'a Tensor.t -> 'a Tensor.t * 'a Tensor.t
  (* (values, vectors) of a symmetric a, of which only the lower triangle is read: values in ascending order, and unit vectors as columns *)
  val eigen : 'a Tensor.t -> 'a Tensor.t * 'a Tensor.t
  (* (u, values, v): a = u times the diagonal matrix of values times v, with values in descending order *)
  val singularValues : 'a Tensor.t -> 'a Tensor.t * 'a Tensor.t * 'a Tensor.t

  (* ---- Fourier transforms along the last one to three axes *)

  (* The elements of a complex array are a further axis of 2: real and imaginary parts. y[k] is the sum of exp (~2 pi i j k / n) x[j]; the inverse
     divides by the number of elements. 5 n log2 n *)
  val fft : int -> 'a Tensor.t -> 'a Tensor.t
  val inverseFft : int -> 'a Tensor.t -> 'a Tensor.t
  (* A real array of n numbers has n div 2 + 1 complex results, the others are their conjugates; and back, to an even or odd number *)
  val realFft : int -> 'a Tensor.t -> 'a Tensor.t
  val inverseRealFft : int * bool -> 'a Tensor.t -> 'a Tensor.t

  (* ---- others, also of integers *)

  val trace : 'a Tensor.t -> 'a Tensor.t
  (* The triangle, and 0 elsewhere *)
  val triangle : triangle -> 'a Tensor.t -> 'a Tensor.t
  (* The lower triangle of floats with half of the diagonal, the operator of derivatives of Cholesky's factor *)
  val phi : 'a Tensor.t -> 'a Tensor.t
  (* convolve (image, kernel): element [..., i, j] is the sum of kernel[p, q] image[..., i + p, j + q]. *)
  val convolve : 'a Tensor.t * 'a Tensor.t -> 'a Tensor.t
  (* The largest element of each block of rows x columns; incomplete blocks at the end are dropped. *)
  val maxPool : int * int -> 'a Tensor.t -> 'a Tensor.t
end
