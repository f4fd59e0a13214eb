(** Runs of equal elements; part of {!Seq}. {!Nested} has groups as sequences. Elements are equal if neither comes before the other in the
    order of [sort]: -0 and 0 differ, and all NaNs are equal. *)

type needed := Expr.int [@@warning "-34"]
module Expr := Warpfold__Expr

type ('a, 'b) t = ('a, 'b) Node.seq

(** The maximal runs of equal neighbours, in order: their element and their length. Work n, span log n. Finds the runs at once. *)
val run_lengths : ('a, 'b) t -> ('a * int, 'b * Expr.int) t

(** [reduce_by_key f b pairs] is each distinct key, in the order of sort, with the combination of all values with that key, in their
    order. [f] is associative and [b] is its identity. Finds the groups at once. Work n log n, span log{^2} n. *)
val reduce_by_key : ('d -> 'd -> 'd) -> 'c -> ('a * 'c, 'b * 'd) t -> ('a * 'c, 'b * 'd) t

(** Each distinct element, in the order of sort, and how often it occurs. Work n log n, span log{^2} n. *)
val count_by_key : ('a, 'b) t -> ('a * int, 'b * Expr.int) t
