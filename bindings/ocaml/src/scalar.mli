(** Scalars that may not have been computed yet: what [Seq.reduce] gives, and the like. Functions of them stay lazy, so that what
    is asked for at the end takes as few passes over memory as possible; {!get} computes. *)

type ('a, 'b) t = ('a, 'b) Node.scalar

(** Computes the value, with all that it needs; once.
    @raise Invalid_argument where an index inside a function was outside of a sequence
    @raise Warpfold.Error [Memory], or [Unsupported] for what the engine cannot do. *)
val get : ('a, 'b) t -> 'a

(** A value as a scalar. *)
val const : ?context:Context.t -> ('a, 'b) Dtype.t -> 'a -> ('a, 'b) t

(** [Warpfold.force] computes several together. Functions of them, lazily: *)

val map : ('b -> ([< ('c, _, _) Expr.value Expr.scalar ] as 'r)) -> ('a, 'b) t -> ('c, 'r) t

(** For functions that give tuples: [map_to Dtype.(pair f32 int) f x]. *)
val map_to : ('c, 'd) Dtype.t -> ('b -> 'd) -> ('a, 'b) t -> ('c, 'd) t

val map2 : ('b -> 'd -> ([< ('e, _, _) Expr.value Expr.scalar ] as 'r)) -> ('a, 'b) t -> ('c, 'd) t -> ('e, 'r) t
val zip : ('a, 'b) t -> ('c, 'd) t -> ('a * 'c, 'b * 'd) t
val unzip : ('a * 'c, 'b * 'd) t -> ('a, 'b) t * ('c, 'd) t
val dtype : ('a, 'b) t -> ('a, 'b) Dtype.t

(** Whether it has been computed. *)
val is_manifest : ('a, 'b) t -> bool

(** Gives it up without waiting for the collector; to use it afterwards raises [Invalid_argument]. *)
val release : ('a, 'b) t -> unit

(** Shows the value if it has been computed. Computes nothing. *)
val pp : Format.formatter -> ('a, 'b) t -> unit
[@@ocaml.toplevel_printer]

(**/**)

(** {!get}, for functions of other modules, which name themselves in errors. *)
val value_of : ('a, 'b) t -> 'a
