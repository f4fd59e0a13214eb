(** Sequences inside a traced function that depend on its arguments, such as a row of a matrix.

    The names are those of {!Seq}. Lengths, positions and reductions are expressions. A reduction is computed in the kernel of the
    traced function and stores nothing. The sums of the rows of a matrix:
    {[
      let row a m i = Inner.subseq (Inner.seq a) Expr.(i * int m) (Expr.int m)
      let sums a m rows = Seq.init rows (fun i -> Inner.sum (row a m i))
    ]}

    An inner sequence has no memory and is never a result. Its use in another traced function raises [Invalid_argument]. There is
    no scan, whose prefixes would be a nested sequence: scan a whole sequence outside, or write {!Expr.loop}. A result of
    several elements is a longer sequence, [Seq.init (rows * m)]. The halves of a sequence are [take] and [drop] of half its length. Work of a reduction is that of the elements; they are combined from left to right. *)

(* Printed types name a module as it is named here: Warpfold.Expr for Warpfold__Expr. Dune finds dependencies by the
   short names in [needed]. *)

type needed := Expr.int * (unit, unit) Dtype.t * (unit, unit) Seq.t [@@warning "-34"]
module Expr := Warpfold__Expr
module Dtype := Warpfold__Dtype
module Seq := Warpfold__Seq

(** Elements that OCaml would see as ['a] and that the function sees as ['b], as in {!Seq.t}. *)
type ('a, 'b) t

(** {1 Sequences} *)

(** A sequence that the function captures. *)
val seq : ('a, 'b) Seq.t -> ('a, 'b) t

(** The elements f 0, ..., f (n - 1); none if n <= 0, as for all lengths here. *)
val init : [< _ Expr.integer ] -> (Expr.int -> ([< ('a, _, _) Expr.value Expr.scalar ] as 'r)) -> ('a, 'r) t

val tabulate : (Expr.int -> ([< ('a, _, _) Expr.value Expr.scalar ] as 'r)) -> [< _ Expr.integer ] -> ('a, 'r) t

(** [range a b] is a, a + 1, ..., b - 1. *)
val range : [< _ Expr.integer ] -> [< _ Expr.integer ] -> (int, Expr.int) t

val map : ('b -> ([< ('c, _, _) Expr.value Expr.scalar ] as 'r)) -> ('a, 'b) t -> ('c, 'r) t

(** [map] for functions that return tuples. *)
val map_to : ('c, 'd) Dtype.t -> ('b -> 'd) -> ('a, 'b) t -> ('c, 'd) t

(** Sequences of equal lengths: the index of an element that the shorter one does not have is out of range. *)
val map2 : ('b -> 'd -> ([< ('e, _, _) Expr.value Expr.scalar ] as 'r)) -> ('a, 'b) t -> ('c, 'd) t -> ('e, 'r) t

val zip : ('a, 'b) t -> ('c, 'd) t -> ('a * 'c, 'b * 'd) t

(** To the length of the shorter sequence. *)
val map2_shortest : ('b -> 'd -> ([< ('e, _, _) Expr.value Expr.scalar ] as 'r)) -> ('a, 'b) t -> ('c, 'd) t -> ('e, 'r) t

val zip_shortest : ('a, 'b) t -> ('c, 'd) t -> ('a * 'c, 'b * 'd) t

(** 0, ..., n - 1. *)
val iota : [< _ Expr.integer ] -> (int, Expr.int) t

(** With the index of each element. *)
val mapi : (Expr.int -> 'b -> ([< ('c, _, _) Expr.value Expr.scalar ] as 'r)) -> ('a, 'b) t -> ('c, 'r) t

val enumerate : ('a, 'b) t -> (int * 'a, Expr.int * 'b) t
val filteri : (Expr.int -> 'b -> Expr.bool) -> ('a, 'b) t -> ('a, 'b) t

(** The indices of the elements for which the function returns true. *)
val pack_index : ('b -> Expr.bool) -> ('a, 'b) t -> (int, Expr.int) t

(** The positions of a filter's elements are not known: functions that need them, such as [map2], [zip], [mapi], [subseq], [take], [rotate],
    [equal], [compare] and [get], raise [Invalid_argument]. *)
val filter : ('b -> Expr.bool) -> ('a, 'b) t -> ('a, 'b) t

(** The elements for which the function returns true, and the others. *)
val partition : ('b -> Expr.bool) -> ('a, 'b) t -> ('a, 'b) t * ('a, 'b) t

(** [subseq s start length]. An element outside of [s] is an index out of range when it is computed. *)
val subseq : ('a, 'b) t -> [< _ Expr.integer ] -> [< _ Expr.integer ] -> ('a, 'b) t

val take : [< _ Expr.integer ] -> ('a, 'b) t -> ('a, 'b) t
val drop : [< _ Expr.integer ] -> ('a, 'b) t -> ('a, 'b) t
val rev : ('a, 'b) t -> ('a, 'b) t
val append : ('a, 'b) t -> ('a, 'b) t -> ('a, 'b) t
val concat : ('a, 'b) t list -> ('a, 'b) t

(** s\[k\], ..., s\[n-1\], s\[0\], ..., s\[k-1\], with [k] modulo the length. *)
val rotate : [< _ Expr.integer ] -> ('a, 'b) t -> ('a, 'b) t

(** s\[0\], t\[0\], s\[1\], t\[1\], ...; of equal lengths. *)
val interleave : ('a, 'b) t -> ('a, 'b) t -> ('a, 'b) t

(** [update s i x] is [s] with s\[i\] replaced by [x]. *)
val update : ('a, 'b) t -> [< _ Expr.integer ] -> 'b -> ('a, 'b) t

(** {1 Values} *)

val length : ('a, 'b) t -> Expr.int
val get : ('a, 'b) t -> [< _ Expr.integer ] -> 'b

(** [reduce f b s] is s\[0\] f ... f s\[n-1\], [b] for an empty [s]. [f] is associative and depends on its two arguments alone; [b]
    is its identity. *)
val reduce : ('b -> 'b -> 'b) -> 'a -> ('a, 'b) t -> 'b

val sum : ('a, ([< _ Expr.number ] as 'b)) t -> 'b

(** The least element, NaN only if all are; of no elements, the largest value of the type: infinity for floats, [max_int] for [int]. *)
val min : ('a, ([< _ Expr.scalar ] as 'b)) t -> 'b

val max : ('a, ([< _ Expr.scalar ] as 'b)) t -> 'b

(** The product, 1 of no elements; the mean as an f64, NaN of no elements; the least and the greatest element. *)
val product : ('a, ([< _ Expr.number ] as 'b)) t -> 'b

val mean : ('a, [< _ Expr.scalar ]) t -> Expr.f64
val minmax : ('a, ([< _ Expr.scalar ] as 'b)) t -> 'b * 'b

(** The sum of the products. *)
val dot : ('a, ([< _ Expr.number ] as 'b)) t -> ('a, 'b) t -> 'b

(** The number of elements for which the function returns true. *)
val count : ('b -> Expr.bool) -> ('a, 'b) t -> Expr.int

val for_all : ('b -> Expr.bool) -> ('a, 'b) t -> Expr.bool
val exists : ('b -> Expr.bool) -> ('a, 'b) t -> Expr.bool

(** [map_reduce f g b s] is [reduce g b (map f s)]. *)
val map_reduce :
  ('b -> ([< ('c, _, _) Expr.value Expr.scalar ] as 'r)) -> ('r -> 'r -> 'r) -> 'c -> ('a, 'b) t -> 'r

(** [iterate dtype f b s] is f (... (f (f b s\[0\]) s\[1\]) ...) s\[n-1\]; [f] need not be associative. *)
val iterate : ('c, 'd) Dtype.t -> ('d -> 'b -> 'd) -> 'c -> ('a, 'b) t -> 'd

(** {1 Positions and comparisons} *)

(** The index of the first element for which the function returns true; -1 if there is none. *)
val find_index : ('b -> Expr.bool) -> ('a, 'b) t -> Expr.int

(** The index of the first greatest or least element; NaN is chosen only if there is nothing else. -1 of no elements. *)
val argmax : ('a, [< _ Expr.scalar ]) t -> Expr.int

val argmin : ('a, [< _ Expr.scalar ]) t -> Expr.int

(** In the order of a function that is true if its first argument is less, and depends on its two arguments alone. *)
val argmax_by : ('b -> 'b -> Expr.bool) -> ('a, 'b) t -> Expr.int

(** Are the lengths equal, and the function true for elements at the same position. *)
val equal : ('b -> 'd -> Expr.bool) -> ('a, 'b) t -> ('c, 'd) t -> Expr.bool

(** Is no element before the one before it, in the order of {!Seq.sort}. *)
val is_sorted : ?descending:bool -> ('a, 'b) t -> Expr.bool

(** The lexicographic order, -1, 0 or 1: elements are compared as by {!Seq.sort}, or by a function that is true if its first argument comes
    before its second. *)
val compare : ('a, 'b) t -> ('a, 'b) t -> Expr.int

val compare_by : ('b -> 'b -> Expr.bool) -> ('a, 'b) t -> ('a, 'b) t -> Expr.int
