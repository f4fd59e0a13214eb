(* The names of BLAS and MGL-MAT, for arrays of any rank unless it is stated; elements are numbers of one type. Results are new arrays, fused with
   their neighbours; an array that never changes needs no copy. Size states both shapes. *)
signature BLAS =
sig
  (* The sum of the sizes of the elements, of rank 0 *)
  val asum : 'a Tensor.t -> 'a Tensor.t
  (* The sum of the products, and the root of the sum of the squares of floats, of rank 0 *)
  val dot : 'a Tensor.t * 'a Tensor.t -> 'a Tensor.t
  val nrm2 : 'a Tensor.t -> 'a Tensor.t
  (* scal (alpha, x): alpha x; axpy (alpha, x, y): alpha x + y *)
  val scal : 'a * 'a Tensor.t -> 'a Tensor.t
  val axpy : 'a * 'a Tensor.t * 'a Tensor.t -> 'a Tensor.t
  (* gemm (alpha, a, b, beta, c): alpha a b + beta c for matrices, as Linear.matmul; Tensor.transpose of one is read in place. *)
  val gemm : 'a * 'a Tensor.t * 'a Tensor.t * 'a * 'a Tensor.t -> 'a Tensor.t
  (* The same element by element; geerv (alpha, a, x, beta, c) multiplies each row of a matrix a by the vector x. *)
  val geem : 'a * 'a Tensor.t * 'a Tensor.t * 'a * 'a Tensor.t -> 'a Tensor.t
  val geerv : 'a * 'a Tensor.t * 'a Tensor.t * 'a * 'a Tensor.t -> 'a Tensor.t
  (* Row i, or column i, of a matrix times element i of a vector *)
  val scaleRows : 'a Tensor.t * 'a Tensor.t -> 'a Tensor.t
  val scaleColumns : 'a Tensor.t * 'a Tensor.t -> 'a Tensor.t
end
