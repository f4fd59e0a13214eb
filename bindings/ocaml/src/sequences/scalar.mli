(** Scalars that may not have been computed yet, such as the result of [Seq.reduce]. Functions of scalars are lazy, so that {!get}
    computes the value in as few passes over memory as possible. *)

type ('a, 'b) t = ('a, 'b) Node.scalar

(** Computes the value and everything that it depends on, at most once.
    @raise Invalid_argument if an index inside a traced function is out of range.
    @raise Warpfold.Error [Memory], or [Unsupported] if the engine cannot compute it. *)
val get : ('a, 'b) t -> 'a

(** A scalar with this value. *)
val const : ?context:Context.t -> ('a, 'b) Dtype.t -> 'a -> ('a, 'b) t

(** [Warpfold.force] computes several scalars together. The following functions are lazy. *)

val map : ('b -> ([< ('c, _, _) Expr.value Expr.scalar ] as 'r)) -> ('a, 'b) t -> ('c, 'r) t

(** [map] for functions that return tuples: [map_to Dtype.(pair f32 int) f x]. *)
val map_to : ('c, 'd) Dtype.t -> ('b -> 'd) -> ('a, 'b) t -> ('c, 'd) t

val map2 : ('b -> 'd -> ([< ('e, _, _) Expr.value Expr.scalar ] as 'r)) -> ('a, 'b) t -> ('c, 'd) t -> ('e, 'r) t
val zip : ('a, 'b) t -> ('c, 'd) t -> ('a * 'c, 'b * 'd) t
val unzip : ('a * 'c, 'b * 'd) t -> ('a, 'b) t * ('c, 'd) t
val dtype : ('a, 'b) t -> ('a, 'b) Dtype.t

(** Returns true if the scalar has been computed. *)
val is_manifest : ('a, 'b) t -> bool

(** Releases the scalar without waiting for the garbage collector. Using it afterwards raises [Invalid_argument]. *)
val release : ('a, 'b) t -> unit

(** Shows the value if it has been computed. Computes nothing. *)
val pp : Format.formatter -> ('a, 'b) t -> unit
[@@ocaml.toplevel_printer]

(**/**)

(** {!get} for other modules: its error messages do not name a function of this module. *)
val value_of : ('a, 'b) t -> 'a
