(** Searches; part of {!Seq}.

    The functions are traced. A result that is an OCaml value is computed at once, in one parallel pass over all elements: work n,
    span log n. On the result of a filter, functions of indices run the filter first. *)

type needed := Expr.int * (unit, unit) Scalar.t [@@warning "-34"]
module Expr := Warpfold__Expr
module Scalar := Warpfold__Scalar

type ('a, 'b) t = ('a, 'b) Node.seq

(** Returns true if the function returns true for some element; false for an empty sequence. *)
val exists : ('b -> Expr.bool) -> ('a, 'b) t -> bool

(** Returns true if the function returns true for every element; true for an empty sequence. *)
val for_all : ('b -> Expr.bool) -> ('a, 'b) t -> bool

(** The first element for which the function returns true.
    @raise Not_found if there is none. *)
val find : ('b -> Expr.bool) -> ('a, 'b) t -> 'a

val find_opt : ('b -> Expr.bool) -> ('a, 'b) t -> 'a option

(** The index of the first element for which the function returns true. *)
val find_index : ('b -> Expr.bool) -> ('a, 'b) t -> int option

(** The indices of the elements for which the function returns true, ascending. Work n, span log n. *)
val pack_index : ('b -> Expr.bool) -> ('a, 'b) t -> (int, Expr.int) t

(** The elements x at indices i for which [f i x] is true, in order; 15-210's [filterIdx]. Work n, span log n. *)
val filteri : (Expr.int -> 'b -> Expr.bool) -> ('a, 'b) t -> ('a, 'b) t

(** The elements for which the function returns true, and the others, both in order. Work n, span log n. *)
val partition : ('b -> Expr.bool) -> ('a, 'b) t -> ('a, 'b) t * ('a, 'b) t

(** {2 Extreme elements}

    The index of the first greatest or least element; NaN is less than every number for [argmax], and greater for [argmin]. Lazy.
    Work n, span log n; two passes, or one for [argmax_by].
    @raise Invalid_argument if the sequence is empty. *)

val argmax : ('a, [< _ Expr.scalar ]) t -> (int, Expr.int) Scalar.t
val argmin : ('a, [< _ Expr.scalar ]) t -> (int, Expr.int) Scalar.t

(** In the order of a function that is true if its first argument is less. *)
val argmax_by : ('b -> 'b -> Expr.bool) -> ('a, 'b) t -> (int, Expr.int) Scalar.t

(** {2 Comparisons of sequences} *)

(** [equal eq s t] is true if the lengths are equal and [eq] is true for every two elements at the same index. *)
val equal : ('b -> 'd -> Expr.bool) -> ('a, 'b) t -> ('c, 'd) t -> bool

(** The lexicographic order by the order of {!sort}, as for [Stdlib.compare]: negative, 0 or positive. 15-210's [collate]. *)
val compare : ('a, 'b) t -> ('a, 'b) t -> int

(** The lexicographic order by a function that is true if its first argument is less. *)
val compare_by : ('b -> 'b -> Expr.bool) -> ('a, 'b) t -> ('a, 'b) t -> int
