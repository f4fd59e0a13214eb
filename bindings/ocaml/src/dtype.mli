(** Types of elements.

    [('a, 'b) Dtype.t] is the type of elements that OCaml sees as ['a] and that a traced function sees as ['b]: a number is an
    expression, a tuple an ordinary tuple of expressions. It mirrors {!Bigarray.kind}: [f32] has ['a = float] and is stored
    as a [(float, float32_elt)] bigarray. Tuples are stored column by column. *)

type ('a, 'b) t =
  | Element : ('a, 'k) Element.t -> ('a, ('a, 'k) Item.t) t
  | Pair : ('a, 'b) t * ('c, 'd) t -> ('a * 'c, 'b * 'd) t
  | Triple : ('a, 'b) t * ('c, 'd) t * ('e, 'f) t -> ('a * 'c * 'e, 'b * 'd * 'f) t
  | Quadruple :
      ('a, 'b) t * ('c, 'd) t * ('e, 'f) t * ('g, 'h) t
      -> ('a * 'c * 'e * 'g, 'b * 'd * 'f * 'h) t

(** {1 Scalars}

    [int] is the library's i64: functions compute in 64 bits, and what OCaml reads are the lower 63, as with {!Bigarray.int}.
    [i64] keeps all bits. *)

val bool : (bool, Item.Types.bool) t
val u8 : (int, Item.Types.u8) t
val i32 : (int32, Item.Types.i32) t
val u32 : (int, Item.Types.u32) t
val int : (int, Item.Types.int) t
val i64 : (int64, Item.Types.i64) t
val u64 : (Unsigned.UInt64.t, Item.Types.u64) t
val f32 : (float, Item.Types.f32) t
val f64 : (float, Item.Types.f64) t

(** {1 Tuples} *)

val pair : ('a, 'b) t -> ('c, 'd) t -> ('a * 'c, 'b * 'd) t
val triple : ('a, 'b) t -> ('c, 'd) t -> ('e, 'f) t -> ('a * 'c * 'e, 'b * 'd * 'f) t

val quadruple :
  ('a, 'b) t -> ('c, 'd) t -> ('e, 'f) t -> ('g, 'h) t -> ('a * 'c * 'e * 'g, 'b * 'd * 'f * 'h) t

(** {1 Looking in} *)

(** Scalars in it. *)
val columns : ('a, 'b) t -> int

(** Bytes of an element. *)
val size : ('a, 'b) t -> int

(** As the library writes it: ["f32"], ["(i32 * f32)"]. *)
val name : ('a, 'b) t -> string

(** A value as {!Seq.pp} shows it. *)
val pp_value : ('a, 'b) t -> Format.formatter -> 'a -> unit

val pp : Format.formatter -> ('a, 'b) t -> unit
[@@ocaml.toplevel_printer]

(**/**)

val codes : ('a, 'b) t -> int list
val build : ('a, 'b) t -> (int -> Term.t) -> 'b
val terms : ('a, 'b) t -> 'b -> Term.t list
val literal : ('a, 'b) t -> 'a -> string
