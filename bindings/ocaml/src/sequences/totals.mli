(** Reductions by name, and functions of the elements after a map; part of {!Seq}.

    Lazy: several that are computed together share one pass. Work n, span log n. *)

type needed := Expr.int * (unit, unit) Scalar.t [@@warning "-34"]
module Expr := Warpfold__Expr
module Scalar := Warpfold__Scalar

type ('a, 'b) t = ('a, 'b) Node.seq

val sum : ('a, ([< _ Expr.number ] as 'b)) t -> ('a, 'b) Scalar.t
val product : ('a, ([< _ Expr.number ] as 'b)) t -> ('a, 'b) Scalar.t

(** The least element; NaN is ignored. Of no elements, the largest value of the type: infinity for floats, [max_int] for [int]. *)
val min : ('a, ([< _ Expr.scalar ] as 'b)) t -> ('a, 'b) Scalar.t

(** The greatest element; NaN is ignored. Of no elements, the smallest value of the type: -infinity for floats, [min_int] for [int]. *)
val max : ('a, ([< _ Expr.scalar ] as 'b)) t -> ('a, 'b) Scalar.t

(** [(min s, max s)] in one pass. *)
val minmax : ('a, ([< _ Expr.scalar ] as 'b)) t -> ('a * 'a, 'b * 'b) Scalar.t

(** The arithmetic mean, computed in f64; NaN of no elements. *)
val mean : ('a, ([< _ Expr.real ] as 'b)) t -> ('a, 'b) Scalar.t

(** The sum of the products.
    @raise Invalid_argument if the lengths differ. *)
val dot : ('a, ([< _ Expr.number ] as 'b)) t -> ('a, 'b) t -> ('a, 'b) Scalar.t

(** The number of elements for which the function returns true. *)
val count_if : ('b -> Expr.bool) -> ('a, 'b) t -> (int, Expr.int) Scalar.t

(** {2 After a map}

    [map_reduce f g b s] is [reduce g b (map f s)], and so on: the same kernels as without these names, since maps are fused. *)

val map_reduce :
  ('b -> ([< ('c, _, _) Expr.value Expr.scalar ] as 'r)) -> ('r -> 'r -> 'r) -> 'c -> ('a, 'b) t -> ('c, 'r) Scalar.t

val map_scan :
  ('b -> ([< ('c, _, _) Expr.value Expr.scalar ] as 'r)) ->
  ('r -> 'r -> 'r) ->
  'c ->
  ('a, 'b) t ->
  ('c, 'r) t * ('c, 'r) Scalar.t

val map_scan_incl :
  ('b -> ([< ('c, _, _) Expr.value Expr.scalar ] as 'r)) -> ('r -> 'r -> 'r) -> 'c -> ('a, 'b) t -> ('c, 'r) t

(** [map_filter f g s] is [filter g (map f s)]. *)
val map_filter :
  ('b -> ([< ('c, _, _) Expr.value Expr.scalar ] as 'r)) -> ('r -> Expr.bool) -> ('a, 'b) t -> ('c, 'r) t

(** [map_filteri f g s] is [filteri g (mapi f s)]. *)
val map_filteri :
  (Expr.int -> 'b -> ([< ('c, _, _) Expr.value Expr.scalar ] as 'r)) ->
  (Expr.int -> 'r -> Expr.bool) ->
  ('a, 'b) t ->
  ('c, 'r) t

(** [map_merge f less s t] is [merge_by less (map f s) (map f t)]. *)
val map_merge :
  ('b -> ([< ('c, _, _) Expr.value Expr.scalar ] as 'r)) -> ('r -> 'r -> Expr.bool) -> ('a, 'b) t -> ('a, 'b) t -> ('c, 'r) t
