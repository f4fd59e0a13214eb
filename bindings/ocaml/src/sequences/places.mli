(** Elements at computed indices; part of {!Seq}. *)

type needed := Expr.int [@@warning "-34"]
module Expr := Warpfold__Expr

type ('a, 'b) t = ('a, 'b) Node.seq

(** [scatter base indices values] is [base] with its element indices\[i\] replaced by values\[i\] for i = 0, 1, ..., so that the
    last of equal indices wins. With [~by:f], values\[i\] is combined with the element instead; [f] is one of the operations add,
    mul, min, max, and_, or_, xor of each field: [scatter ~by:Expr.( + ) counts keys ones]. The result is the same every time.
    Work n + m for m values, m log m for floats with [by].
    @raise Invalid_argument if the lengths of [indices] and [values] differ; the call that computes the result raises it for an
    index out of range.
    @raise Warpfold.Error [Argument] for any other function. *)
val scatter : ?by:('b -> 'b -> 'b) -> ('a, 'b) t -> (_, [< _ Expr.integer ]) t -> ('a, 'b) t -> ('a, 'b) t

(** The number of elements that are k, for each k from 0 to [bins - 1]. Work n + bins.
    @raise Invalid_argument for negative [bins]; the call that computes the result raises it for an element out of range. *)
val histogram : bins:int -> (_, [< _ Expr.integer ]) t -> (int, Expr.int) t

(** [inject s updates] is {!scatter} of pairs (index, value); the last of equal indices wins. Work n + m. *)
val inject : ('a, 'b) t -> (_ * 'a, [< _ Expr.integer ] * 'b) t -> ('a, 'b) t

(** [update s i x] is [s] with element [i] replaced by [x]. Work n, span 1; fused with its consumers. {!inject} replaces many.
    @raise Invalid_argument if [i] is out of range. *)
val update : ('a, 'b) t -> int -> 'a -> ('a, 'b) t

(** [rotate k s] is s\[k\], ..., s\[n-1\], s\[0\], ..., s\[k-1\]; [k] is taken modulo n. A view. *)
val rotate : int -> ('a, 'b) t -> ('a, 'b) t

(** s\[0\], t\[0\], s\[1\], t\[1\], ... Work n, span 1. @raise Invalid_argument if the lengths differ. *)
val interleave : ('a, 'b) t -> ('a, 'b) t -> ('a, 'b) t
