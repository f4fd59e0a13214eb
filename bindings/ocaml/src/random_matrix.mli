(** Random matrices, and the logarithms of their densities. As all random numbers, they depend on their key alone; elements have the type of the
    matrix that is passed. Lazy.
    {[
      let samples = Random_matrix.multivariate_gaussian ~mean ~covariance key 1000
      let w = Random_matrix.wishart ~scale ~degrees:7.5 key
    ]}

    Shapes that do not fit, and [degrees] that are not more than the rows of [scale] less 1, raise [Invalid_argument]. So does a [covariance] or
    a [scale] that is not positive definite, from the call that computes. *)

(* Printed types name a module as it is named here: Warpfold.Expr for Warpfold__Expr. Dune finds dependencies by the
   short names in [needed]. *)

type needed := Expr.int * (unit, unit) Dtype.t * (unit, unit) Axes.t * (unit, unit, unit) Ndarray.t * Random.key [@@warning "-34"]
module Expr := Warpfold__Expr
module Dtype := Warpfold__Dtype
module Axes := Warpfold__Axes
module Ndarray := Warpfold__Ndarray
module Random := Warpfold__Random

(** {1 Samples} *)

(** n samples, each a row. *)
val multivariate_gaussian :
  mean:(Axes.rank1, float, ([< (float, _, _) Expr.value Expr.real ] as 'b)) Ndarray.t ->
  covariance:(Axes.rank2, float, 'b) Ndarray.t ->
  Random.key -> int -> (Axes.rank2, float, 'b) Ndarray.t

(** A positive definite matrix with mean [degrees] [scale], for a positive definite [scale] with fewer than [degrees + 1] rows (Bartlett's
    decomposition). *)
val wishart :
  scale:(Axes.rank2, float, ([< (float, _, _) Expr.value Expr.real ] as 'b)) Ndarray.t -> degrees:float -> Random.key -> (Axes.rank2, float, 'b) Ndarray.t

(** The inverse of a {!wishart} matrix whose scale is the inverse of this one. *)
val inverse_wishart :
  scale:(Axes.rank2, float, ([< (float, _, _) Expr.value Expr.real ] as 'b)) Ndarray.t -> degrees:float -> Random.key -> (Axes.rank2, float, 'b) Ndarray.t

(** An orthogonal n x n matrix, uniformly distributed: the first factor of {!Linalg.qr} of a gaussian matrix. *)
val orthogonal : (float, ([< (float, _, _) Expr.value Expr.real ] as 'b)) Dtype.t -> Random.key -> int -> (Axes.rank2, float, 'b) Ndarray.t

(** An n x n matrix with a 1 in each row and column, and else 0; all are equally likely. *)
val permutation : ('a, ([< ('a, _, _) Expr.value Expr.number ] as 'b)) Dtype.t -> Random.key -> int -> (Axes.rank2, 'a, 'b) Ndarray.t

(** {1 Log densities} *)

(** Of each row. *)
val multivariate_gaussian_log_density :
  mean:(Axes.rank1, float, ([< (float, _, _) Expr.value Expr.real ] as 'b)) Ndarray.t ->
  covariance:(Axes.rank2, float, 'b) Ndarray.t ->
  (Axes.rank2, float, 'b) Ndarray.t -> (Axes.rank1, float, 'b) Ndarray.t

val wishart_log_density :
  scale:(Axes.rank2, float, ([< (float, _, _) Expr.value Expr.real ] as 'b)) Ndarray.t ->
  degrees:float -> (Axes.rank2, float, 'b) Ndarray.t -> (Axes.rank0, float, 'b) Ndarray.t

val inverse_wishart_log_density :
  scale:(Axes.rank2, float, ([< (float, _, _) Expr.value Expr.real ] as 'b)) Ndarray.t ->
  degrees:float -> (Axes.rank2, float, 'b) Ndarray.t -> (Axes.rank0, float, 'b) Ndarray.t

(** Of an orthogonal n x n matrix, with respect to the surface measure. *)
val orthogonal_log_density : int -> float

val permutation_log_density : int -> float
