(** Reductions by name, functions of the elements after a map, and sequential steps; part of {!Seq}.

    Lazy: several that are computed together share one pass. Work n, span log n. *)

type needed := Expr.int * (unit, unit) Dtype.t * (unit, unit) Scalar.t [@@warning "-34"]
module Expr := Warpfold__Expr
module Dtype := Warpfold__Dtype
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

(** {2 Sequential steps}

    The traced function need not be associative, so these are sequential by definition: span n. {!Seq.reduce} and {!Seq.scan} are the
    parallel ones; {!Seq.fold_left} takes an ordinary function. [dtype] is the type of the states. The sequence is computed first
    unless that is cheap. *)

(** [iterate dtype f b s] is f (... (f (f b s\[0\]) s\[1\]) ...) s\[n-1\]. One kernel, a loop of one thread. Work n. *)
val iterate : ('c, 'd) Dtype.t -> ('d -> 'b -> 'd) -> 'c -> ('a, 'b) t -> ('c, 'd) Scalar.t

(** The states before each element, b, f b s\[0\], ..., and the one after the last. One step of a plan, in which one thread goes through the
    stored elements: work n. If [f] captures sequences, a few kernels compute every 2{^k}-th state first, then those between them. *)
val iterate_prefixes : ('c, 'd) Dtype.t -> ('d -> 'b -> 'd) -> 'c -> ('a, 'b) t -> ('c, 'd) t * ('c, 'd) Scalar.t

(** The states after each element. *)
val iterate_prefixes_incl : ('c, 'd) Dtype.t -> ('d -> 'b -> 'd) -> 'c -> ('a, 'b) t -> ('c, 'd) t
