(** Reductions, prefixes and order along axes; part of {!Ndarray}.

    Lazy, and fused with what computes the array. Axes are numbers from 0, or from -1 to count from the last axis. An axis that does not exist
    raises [Invalid_argument]. Work: the length of the array. *)

(* Printed types name a module as it is named here: Warpfold.Expr for Warpfold__Expr. Dune finds dependencies by the
   short names in [needed]. *)

type needed := Expr.int * (unit, unit) Axes.t [@@warning "-34"]
module Expr := Warpfold__Expr
module Axes := Warpfold__Axes

type ('rank, 'a, 'b) t = ('rank, 'a, 'b) Node.t

(** The axes along which elements are combined. *)
type (_, _) along =
  | Axis : int -> ('r Axes.axis, 'r) along  (** one axis, which the result lacks: [sum (Axis 0) m] of a matrix is a sequence *)
  | Axes : int * int -> ('r Axes.axis Axes.axis, 'r) along  (** two axes *)
  | All : ('r, Axes.rank0) along  (** all axes: the result is a {!Scalar.t} *)
  | Keep : int list -> ('r, 'r) along  (** any axes, which the result keeps with extent 1, to be combined with the array again *)

(** [reduce along f b a] combines elements in row-major order by [f], which is traced and associative and has the identity [b]. *)
val reduce : ('r, 's) along -> ('b -> 'b -> 'b) -> 'a -> ('r, 'a, 'b) t -> ('s, 'a, 'b) t

val sum : ('r, 's) along -> ('r, 'a, ([< _ Expr.number ] as 'b)) t -> ('s, 'a, 'b) t
val product : ('r, 's) along -> ('r, 'a, ([< _ Expr.number ] as 'b)) t -> ('s, 'a, 'b) t

(** As {!Seq.min} and {!Seq.max}: NaN is ignored. *)
val min : ('r, 's) along -> ('r, 'a, ([< _ Expr.scalar ] as 'b)) t -> ('s, 'a, 'b) t

val max : ('r, 's) along -> ('r, 'a, ([< _ Expr.scalar ] as 'b)) t -> ('s, 'a, 'b) t

(** Returns true if any element is, if all are; the number of those that are. *)
val any : ('r, 's) along -> ('r, bool, Expr.bool) t -> ('s, bool, Expr.bool) t

val all : ('r, 's) along -> ('r, bool, Expr.bool) t -> ('s, bool, Expr.bool) t
val count : ('r, 's) along -> ('r, bool, Expr.bool) t -> ('s, int, Expr.int) t

(** The mean, and the mean of the squared distances from it. Computed in f64; NaN of no elements. *)
val mean : ('r, 's) along -> ('r, 'a, ([< _ Expr.real ] as 'b)) t -> ('s, 'a, 'b) t

val variance : ('r, 's) along -> ('r, 'a, ([< _ Expr.real ] as 'b)) t -> ('s, 'a, 'b) t

(** The root of the sum of the squares, computed in f64; 0 of no elements. Of a matrix with [All], Frobenius's norm. *)
val norm : ('r, 's) along -> ('r, 'a, ([< _ Expr.real ] as 'b)) t -> ('s, 'a, 'b) t

(** log(sum of exp), without overflow. *)
val logsumexp : ('r, 's) along -> ('r, 'a, ([< _ Expr.real ] as 'b)) t -> ('s, 'a, 'b) t

(** exp(a) / sum of exp(a) along one axis, without overflow. *)
val softmax : int -> ('r Axes.axis, 'a, ([< _ Expr.real ] as 'b)) t -> ('r Axes.axis, 'a, 'b) t

(** The first index along the axis at which the greatest or least element is; NaN is ignored, and 0 is the index if all elements are NaN.
    @raise Invalid_argument if the extent is 0. *)
val argmax : int -> ('r Axes.axis, 'a, ([< _ Expr.scalar ] as 'b)) t -> ('r, int, Expr.int) t

val argmin : int -> ('r Axes.axis, 'a, ([< _ Expr.scalar ] as 'b)) t -> ('r, int, Expr.int) t

(** [scan axis f b a] is {!Seq.scan} of each vector along the axis: the prefixes, and the totals without the axis. Along another axis than
    the last, the prefixes are stored with that axis as the last one. *)
val scan : int -> ('b -> 'b -> 'b) -> 'a -> ('r Axes.axis, 'a, 'b) t -> ('r Axes.axis, 'a, 'b) t * ('r, 'a, 'b) t

(** The same prefixes with the element itself. *)
val scan_incl : int -> ('b -> 'b -> 'b) -> 'a -> ('r Axes.axis, 'a, 'b) t -> ('r Axes.axis, 'a, 'b) t

(** The sums and products of the elements up to each one along the axis; integers wrap. The shape stays. *)
val cumulative_sum : int -> ('r Axes.axis, 'a, ([< _ Expr.number ] as 'b)) t -> ('r Axes.axis, 'a, 'b) t

val cumulative_product : int -> ('r Axes.axis, 'a, ([< _ Expr.number ] as 'b)) t -> ('r Axes.axis, 'a, 'b) t

(** Each vector along the axis in the order of {!Seq.sort}; tuples by their first field. Work n log n. *)
val sort : ?descending:bool -> int -> ('r Axes.axis, 'a, 'b) t -> ('r Axes.axis, 'a, 'b) t
