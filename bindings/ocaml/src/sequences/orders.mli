(** Sorted sequences; part of {!Seq}.

    Scalars are ordered by value, -0 before 0, NaN after every number, false before true; tuples by their fields, one after
    another. Elements are equal if neither comes before the other: -0 and 0 differ, and all NaNs are equal. Every sort is stable: equal
    elements keep their order, also with [~descending:true]. Work n log n, span log{^2} n. *)

type needed := Expr.int [@@warning "-34"]
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

(** The [k] greatest elements, the greatest first; the least with [~descending:false]. A sort: work n log n.
    All elements if there are fewer. @raise Invalid_argument if [k] is negative. *)
val top_k : ?descending:bool -> int -> ('a, 'b) t -> ('a, 'b) t

(** Returns true if no element comes before the one before it. Computed at once. Work n, span log n. *)
val is_sorted : ?descending:bool -> ('a, 'b) t -> bool

(** [binary_search s needles] is, for each needle, the number of elements of [s] that come before it, or with [~after:true], that do not
    come after it: the first and the last index at which it can be inserted. [s] must be sorted. Work m log n for m needles, span
    log n; fused with what computes the needles. *)
val binary_search : ?descending:bool -> ?after:bool -> ('a, 'b) t -> ('a, 'b) t -> (int, Expr.int) t

(** In the order of a function, as for {!sort_by}. *)
val binary_search_by : ?after:bool -> ('b -> 'b -> Expr.bool) -> ('a, 'b) t -> ('a, 'b) t -> (int, Expr.int) t

(** {2 Sets}

    A set is a sorted sequence, as [sort] or [sort_uniq] returns. If m elements of one set and n of the other are equal, the union has the
    greater one of m and n of them, the intersection the lesser one. *)

(** The elements that differ from the one before them: of equal neighbours, the first. Work n, span log n. *)
val dedup : ('a, 'b) t -> ('a, 'b) t

(** Neighbours are equal if the traced function is true of them. *)
val dedup_by : ('b -> 'b -> Expr.bool) -> ('a, 'b) t -> ('a, 'b) t

(** The distinct elements, sorted. Work n log n, span log{^2} n. *)
val sort_uniq : ('a, 'b) t -> ('a, 'b) t

(** Work n + m log n, span log (n + m). *)
val union : ('a, 'b) t -> ('a, 'b) t -> ('a, 'b) t

(** The elements of the first set that are in the second. Work n log m, span log (n + m). *)
val inter : ('a, 'b) t -> ('a, 'b) t -> ('a, 'b) t

(** The elements of the first set that are not in the second. Work n log m, span log (n + m). *)
val diff : ('a, 'b) t -> ('a, 'b) t -> ('a, 'b) t

(** {2 Runs and keys}

    Of elements that are equal in the order of [sort]. {!Nested} has groups as sequences. *)

(** The maximal runs of equal neighbours, in order: their element and their length. Work n, span log n. Finds the runs at once. *)
val run_lengths : ('a, 'b) t -> ('a * int, 'b * Expr.int) t

(** [reduce_by_key f b pairs] is each distinct key, in the order of sort, with the combination of all values with that key, in their
    order. [f] is associative and [b] is its identity. Finds the groups at once. Work n log n, span log{^2} n. *)
val reduce_by_key : ('d -> 'd -> 'd) -> 'c -> ('a * 'c, 'b * 'd) t -> ('a * 'c, 'b * 'd) t

(** Each distinct element, in the order of sort, and how often it occurs. Work n log n, span log{^2} n. *)
val count_by_key : ('a, 'b) t -> ('a * int, 'b * Expr.int) t
