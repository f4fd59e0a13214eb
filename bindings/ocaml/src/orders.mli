(** Sorted sequences; part of {!Seq}.

    Scalars are ordered by value, -0 before 0, NaN after every number, false before true; tuples by their fields, one after
    another. Every sort is stable: equal elements keep their order, also with [~descending:true]. Work n log n, span log{^2} n. *)

type expr := Expr.int
module Expr := Warpfold__Expr

type ('a, 'b) t = ('a, 'b) Node.seq

val sort : ?descending:bool -> ('a, 'b) t -> ('a, 'b) t

(** [sort_on key s] is in the order of [key x], a scalar: [sort_on fst pairs]. *)
val sort_on : ?descending:bool -> ('b -> [< _ Expr.scalar ]) -> ('a, 'b) t -> ('a, 'b) t

(** [sort_by less s] is in the order of a traced function that is true if the first element comes before the second: a strict weak
    order that captures nothing. Slower than {!sort_on}. *)
val sort_by : ('b -> 'b -> Expr.bool) -> ('a, 'b) t -> ('a, 'b) t

(** The elements of both sequences in one order, if both are in that order; else their order is unspecified. Of equal elements, those
    of the first come first. Work n, span log n. *)
val merge : ?descending:bool -> ('a, 'b) t -> ('a, 'b) t -> ('a, 'b) t

val merge_by : ('b -> 'b -> Expr.bool) -> ('a, 'b) t -> ('a, 'b) t -> ('a, 'b) t
