(** Arrays of any rank, lazy like sequences.

    A sequence is an array of rank 1 and a scalar one of rank 0, so that all functions of {!Seq} apply to a row, and those of {!Scalar} to a sum of all
    elements. The rank is a part of the type; extents are checked when arrays are combined. Shapes and indices are written as lists:
    {[
      let table = Ndarray.init [ 9; 9 ] (fun [ i; j ] -> Expr.((i + int 1) * (j + int 1)))
      let total = Scalar.get (Ndarray.sum All table)
      let centred = Ndarray.(m - mean (Keep [ 0 ]) m)                        (* each column of m has mean 0 *)
      let inner = Ndarray.slice [ Range (1, -1); Range (1, -1) ] table
    ]} *)

(** [(Axes.rank2, float, Expr.f32) t] is a matrix; [('a, 'b) Seq.t] is [(Axes.rank1, 'a, 'b) t], and [('a, 'b) Scalar.t] is [(Axes.rank0, 'a, 'b) t]. *)
type ('rank, 'a, 'b) t = ('rank, 'a, 'b) Node.t

(** {1 Construction} *)

include module type of Making with type ('rank, 'a, 'b) t := ('rank, 'a, 'b) t

(** {1 Views} *)

module Parts = Parts

include module type of Views with type ('rank, 'a, 'b) t := ('rank, 'a, 'b) t

(** {1 Elementwise} *)

include module type of Elementwise with type ('rank, 'a, 'b) t := ('rank, 'a, 'b) t

(** {1 Along axes} *)

include module type of Reductions with type ('rank, 'a, 'b) t := ('rank, 'a, 'b) t

(** {1 Values} *)

include module type of Values with type ('rank, 'a, 'b) t := ('rank, 'a, 'b) t
