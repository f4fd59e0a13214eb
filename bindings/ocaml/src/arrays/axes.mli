(** Lists of one value per axis, with their number in the type: shapes, indices and permutations of arrays of a rank.

    They are written as lists wherever their type is known: [Ndarray.init \[ 3; 4 \] (fun \[ i; j \] -> ...)]. *)

(** The rank of scalars: no axes. *)
type rank0 = private Rank0

(** One axis more: [rank0 axis], or [rank1], is the rank of sequences, and [rank2] that of matrices. *)
type 'rank axis = private Axis of 'rank

type rank1 = rank0 axis
type rank2 = rank1 axis
type rank3 = rank2 axis

type ('e, 'rank) t = [] : ('e, rank0) t | ( :: ) : 'e * ('e, 'rank) t -> ('e, 'rank axis) t

val to_list : ('e, 'rank) t -> 'e list
val map : ('e -> 'f) -> ('e, 'rank) t -> ('f, 'rank) t

(** Prints a shape or an index: [\[3; 4\]]. *)
val pp : Format.formatter -> (int, 'rank) t -> unit
[@@ocaml.toplevel_printer]

(**/**)

(** The caller knows that the list has this length. *)
val of_list : 'e list -> ('e, 'rank) t
