(** Sequential steps; part of {!Seq}.

    The traced function need not be associative, so these are sequential by definition: span n. {!Seq.reduce} and {!Seq.scan} are the
    parallel ones; {!Seq.fold_left} takes an ordinary function. [dtype] is the type of the states. The sequence is computed first
    unless that is cheap. *)

type needed := Expr.int * (unit, unit) Dtype.t * (unit, unit) Scalar.t [@@warning "-34"]
module Expr := Warpfold__Expr
module Dtype := Warpfold__Dtype
module Scalar := Warpfold__Scalar

type ('a, 'b) t = ('a, 'b) Node.seq

(** [iterate dtype f b s] is f (... (f (f b s\[0\]) s\[1\]) ...) s\[n-1\]. One kernel, a loop of one thread. Work n. *)
val iterate : ('c, 'd) Dtype.t -> ('d -> 'b -> 'd) -> 'c -> ('a, 'b) t -> ('c, 'd) Scalar.t

(** The states before each element, b, f b s\[0\], ..., and the one after the last. One step of a plan, in which one thread goes through the
    stored elements: work n. If [f] captures sequences, a few kernels compute every 2{^k}-th state first, then those between them. *)
val iterate_prefixes : ('c, 'd) Dtype.t -> ('d -> 'b -> 'd) -> 'c -> ('a, 'b) t -> ('c, 'd) t * ('c, 'd) Scalar.t

(** The states after each element. *)
val iterate_prefixes_incl : ('c, 'd) Dtype.t -> ('d -> 'b -> 'd) -> 'c -> ('a, 'b) t -> ('c, 'd) t
