(* Random matrices, and the logarithms of their densities. As all random numbers, they depend on their key alone. Elements are of Type.real or
   Type.single, as those of the matrix that is passed. All are lazy.

       val samples = RandomMatrix.multivariateGaussian {mean = mean, covariance = covariance} key 1000
       val w = RandomMatrix.wishart {scale = scale, degrees = 7.5} key

   Size for shapes that do not fit; Warpfold Argument unless degrees are more than the rows of the scale less 1. Computing a result raises
   Subscript if a covariance or a scale is not positive definite. *)
signature RANDOM_MATRIX =
sig
  (* n samples, each a row *)
  val multivariateGaussian : {mean : 'a Tensor.t, covariance : 'a Tensor.t} -> Random.key -> int -> 'a Tensor.t
  (* A positive definite matrix with mean degrees * scale, for a positive definite scale with fewer than degrees + 1 rows (Bartlett's
     decomposition) *)
  val wishart : {scale : 'a Tensor.t, degrees : real} -> Random.key -> 'a Tensor.t
  (* The inverse of a wishart matrix whose scale is the inverse of this one *)
  val inverseWishart : {scale : 'a Tensor.t, degrees : real} -> Random.key -> 'a Tensor.t
  (* An orthogonal n x n matrix, uniformly distributed: the first factor of Linear.qr of a gaussian matrix *)
  val orthogonal : 'a Type.t -> Random.key -> int -> 'a Tensor.t
  (* An n x n matrix of any numbers with a 1 in each row and column, and else 0; all are equally likely. *)
  val permutation : 'a Type.t -> Random.key -> int -> 'a Tensor.t

  structure LogDensity :
    sig
      (* A density per row *)
      val multivariateGaussian : {mean : 'a Tensor.t, covariance : 'a Tensor.t} -> 'a Tensor.t -> 'a Tensor.t
      (* The density of one matrix, as an array of rank 0 *)
      val wishart : {scale : 'a Tensor.t, degrees : real} -> 'a Tensor.t -> 'a Tensor.t
      val inverseWishart : {scale : 'a Tensor.t, degrees : real} -> 'a Tensor.t -> 'a Tensor.t
      (* The density of each n x n matrix; orthogonal ones have it with respect to the surface measure *)
      val orthogonal : int -> real
      val permutation : int -> real
    end
end
