(** Sequences of sequences: the segments of one sequence of values.

    Segment k is values\[offsets\[k\]\], ..., values\[offsets\[k + 1\] - 1\]. Segments may be empty and of very different lengths:
    they share all processors. Functions inside segments are traced, lazy, and named as in {!Seq}. Below, n is the number of values
    and m that of segments. *)

(* Printed types name a module as it is named here: Warpfold.Expr for Warpfold__Expr. Dune finds dependencies by the
   short names in [needed]. *)

type needed := Expr.int * (unit, unit) Dtype.t * (unit, unit) Seq.t * (unit, unit) Scalar.t * Context.t [@@warning "-34"]
module Expr := Warpfold__Expr
module Dtype := Warpfold__Dtype
module Seq := Warpfold__Seq
module Scalar := Warpfold__Scalar
module Context := Warpfold__Context

(** Sequences of elements that OCaml sees as ['a] and that traced functions see as ['b]. *)
type ('a, 'b) t

(** {1 Making segments} *)

(** [of_lengths lengths values] has segments of these lengths. Work n, span log n.
    @raise Invalid_argument if the lengths do not add up to that of [values]: when they have been computed, from the call that reads a
    segment. *)
val of_lengths : (_, [< _ Expr.integer ]) Seq.t -> ('a, 'b) Seq.t -> ('a, 'b) t

(** The offsets are those of all segments and the length of the values: 0 is the first, and none is below the one before it. *)
val of_offsets : (int, Expr.int) Seq.t -> ('a, 'b) Seq.t -> ('a, 'b) t

val of_list : ?context:Context.t -> ('a, 'b) Dtype.t -> 'a list list -> ('a, 'b) t

(** [init lengths f] has the values [f i j], where [j] counts within segment [i]. With [lengths] that map a sequence, [flatten (init ...)] maps each
    element to as many as it likes. Computes the lengths. Work n + m. *)
val init : (int, Expr.int) Seq.t -> (Expr.int -> Expr.int -> ([< ('a, _, _) Expr.value Expr.scalar ] as 'b)) -> ('a, 'b) t

(** [split f s] is the pieces of [s] between the elements for which [f] is true, which are dropped: one piece more than there are
    such elements; pieces may be empty. Work n, span log n. *)
val split : ('b -> Expr.bool) -> ('a, 'b) Seq.t -> ('a, 'b) t

(** [split_before f s] is the pieces of [s] that begin with its first element, and with each element for which [f] is true. Copies nothing. *)
val split_before : ('b -> Expr.bool) -> ('a, 'b) Seq.t -> ('a, 'b) t

(** [tokens f s] is the pieces of [split f s] that are not empty. *)
val tokens : ('b -> Expr.bool) -> ('a, 'b) Seq.t -> ('a, 'b) t

(** The maximal runs of equal neighbours; with [~by], of neighbours of which the traced function is true. [Stdlib.Seq.group]. *)
val runs : ?by:('b -> 'b -> Expr.bool) -> ('a, 'b) Seq.t -> ('a, 'b) t

(** [chunks k s] is the segments of [k] elements one after another; the last may be shorter. Copies nothing. *)
val chunks : int -> ('a, 'b) Seq.t -> ('a, 'b) t

(** [windows k s] is s\[i\], ..., s\[i + k - 1\] for each i from 0 to n - k: overlapping segments. Stored, if they are, k-fold; a
    reduction or a map of them stores nothing. *)
val windows : int -> ('a, 'b) Seq.t -> ('a, 'b) t

(** [collect pairs] is the distinct keys, in the order of sort, and for each the sequence of its values, in their order. Sorts stably: work
    n log n, span log{^2} n. *)
val collect : ('a * 'c, 'b * 'd) Seq.t -> ('a, 'b) Seq.t * ('c, 'd) t

(** In the order of a function of two keys, as for {!Seq.sort_by}. Of the keys of a group, the first one stands for all. *)
val collect_by : ('b -> 'b -> Expr.bool) -> ('a * 'c, 'b * 'd) Seq.t -> ('a, 'b) Seq.t * ('c, 'd) t

(** [group_by key s] is [collect] of the pairs [(key x, x)]. *)
val group_by :
  ('b -> ([< ('k, _, _) Expr.value Expr.scalar ] as 'r)) -> ('a, 'b) Seq.t -> ('k, 'r) Seq.t * ('a, 'b) t

(** {1 Parts} *)

(** The number of segments. *)
val length : ('a, 'b) t -> int

(** The number of elements of each segment. *)
val lengths : ('a, 'b) t -> (int, Expr.int) Seq.t

(** All elements, one segment after another. A view. *)
val flatten : ('a, 'b) t -> ('a, 'b) Seq.t

val offsets : ('a, 'b) t -> (int, Expr.int) Seq.t

(** For each value, the number of its segment. Work n + m. *)
val ids : ('a, 'b) t -> (int, Expr.int) Seq.t

(** Segment [k], a view. Computes the offsets.
    @raise Invalid_argument if [k] is out of range. *)
val get : ('a, 'b) t -> int -> ('a, 'b) Seq.t

val to_list : ('a, 'b) t -> 'a list list

(** {1 Inside segments} *)

val map : ('b -> ([< ('c, _, _) Expr.value Expr.scalar ] as 'r)) -> ('a, 'b) t -> ('c, 'r) t
val map_to : ('c, 'd) Dtype.t -> ('b -> 'd) -> ('a, 'b) t -> ('c, 'd) t

(** [mapi f] passes the number of the segment, then the element. *)
val mapi : (Expr.int -> 'b -> ([< ('c, _, _) Expr.value Expr.scalar ] as 'r)) -> ('a, 'b) t -> ('c, 'r) t

(** The segments of pairs, of two with the same offsets.
    @raise Invalid_argument if the numbers of values differ. *)
val zip : ('a, 'b) t -> ('c, 'd) t -> ('a * 'c, 'b * 'd) t

(** One element per segment: its elements combined, [b] if it is empty. One kernel, fused with what computes the values. Work n + m. *)
val reduce : ('b -> 'b -> 'b) -> 'a -> ('a, 'b) t -> ('a, 'b) Seq.t

val sum : ('a, ([< _ Expr.number ] as 'b)) t -> ('a, 'b) Seq.t

(** The prefixes in each segment, and the total of each. Work n + m, span log n. *)
val scan : ('b -> 'b -> 'b) -> 'a -> ('a, 'b) t -> ('a, 'b) t * ('a, 'b) Seq.t

val scan_incl : ('b -> 'b -> 'b) -> 'a -> ('a, 'b) t -> ('a, 'b) t

(** As many segments; some may become empty. Work n + m. *)
val filter : ('b -> Expr.bool) -> ('a, 'b) t -> ('a, 'b) t

(** Each segment sorted, stably. A single sort of all values. Work n log n, span log{^2} n. *)
val sort : ('a, 'b) t -> ('a, 'b) t

(** {1 Segments as elements} *)

val append : ('a, 'b) t -> ('a, 'b) t -> ('a, 'b) t

(** [update s k x] has [x] as segment [k]. Copies the values. @raise Invalid_argument if [k] is out of range. *)
val update : ('a, 'b) t -> int -> ('a, 'b) Seq.t -> ('a, 'b) t

(** Segments in the order of words: by their first different values, which {!Seq.sort} orders, then by length. Each function computes the
    lengths, and ranks the segments by prefix doubling: for segments of up to l values, log l sorts of all values. *)
module By_content : sig
  (** Stable. *)
  val sort : ('a, 'b) t -> ('a, 'b) t

  (** Of two sorted ones; equal segments of the first come first. *)
  val merge : ('a, 'b) t -> ('a, 'b) t -> ('a, 'b) t

  (** Without segments that equal the one before. *)
  val dedup : ('a, 'b) t -> ('a, 'b) t

  (** [dedup (sort s)]. *)
  val sort_uniq : ('a, 'b) t -> ('a, 'b) t

  (** The number of the first of the greatest segments. @raise Invalid_argument if there are none. *)
  val argmax : ('a, 'b) t -> (int, Expr.int) Scalar.t

  (** For each segment of the second, the number of segments of the first, which is sorted, that come before it, or with [~after:true] not after it. *)
  val binary_search : ?after:bool -> ('a, 'b) t -> ('a, 'b) t -> (int, Expr.int) Seq.t

  (** Negative, 0 or positive: segments are compared one after another, then their numbers. 15-210's [collate]. *)
  val compare : ('a, 'b) t -> ('a, 'b) t -> int
end

(** {1 Printing} *)

(** [<<1,2>,<>,<3>>]. Computes the values. *)
val to_string : ('a, 'b) t -> string

(** For the toplevel; computes nothing. *)
val pp : Format.formatter -> ('a, 'b) t -> unit
[@@ocaml.toplevel_printer]
