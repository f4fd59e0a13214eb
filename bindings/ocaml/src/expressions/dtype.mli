(** Types of elements.

    [('a, 'b) Dtype.t] is the type of elements that OCaml sees as ['a] and that a traced function sees as ['b]. A number is
    traced as an expression, a tuple as an ordinary tuple of expressions. The type mirrors {!Bigarray.kind}: [f32] has
    ['a = float] and is stored as a [(float, float32_elt)] bigarray. Tuples are stored column by column. *)

(* Printed types name a module as it is named here: Warpfold.Expr for Warpfold__Expr. Dune finds dependencies by the
   short names in [needed]. *)

type needed := Expr.int [@@warning "-34"]
module Expr := Warpfold__Expr

type ('a, 'b) t = ('a, 'b) Layout.t =
  | Element : ('a, 'x, 'e, 'b) Element.t -> ('a, 'b) t
  | Pair : ('a, 'b) t * ('c, 'd) t -> ('a * 'c, 'b * 'd) t
  | Triple : ('a, 'b) t * ('c, 'd) t * ('e, 'f) t -> ('a * 'c * 'e, 'b * 'd * 'f) t
  | Conv : ('a, 'b) t * ('a, 'b, 'c, 'd) Layout.conversion -> ('c, 'd) t

(** {1 Scalars}

    [int] is the library's i64: functions compute in 64 bits, and OCaml reads the lower 63, as with {!Bigarray.int}.
    [i64] keeps all bits. *)

val bool : (bool, Expr.bool) t
val u8 : (int, Expr.u8) t
val i32 : (int32, Expr.i32) t
val u32 : (int, Expr.u32) t
val int : (int, Expr.int) t
val i64 : (int64, Expr.i64) t
val u64 : (Unsigned.UInt64.t, Expr.u64) t
val f32 : (float, Expr.f32) t
val f64 : (float, Expr.f64) t

(** {1 Tuples} *)

val pair : ('a, 'b) t -> ('c, 'd) t -> ('a * 'c, 'b * 'd) t
val triple : ('a, 'b) t -> ('c, 'd) t -> ('e, 'f) t -> ('a * 'c * 'e, 'b * 'd * 'f) t

val quadruple :
  ('a, 'b) t -> ('c, 'd) t -> ('e, 'f) t -> ('g, 'h) t -> ('a * 'c * 'e * 'g, 'b * 'd * 'f * 'h) t

(** {1 Records and other types}

    [conv (of_value, to_value) (of_traced, to_traced) t] is the type of elements that the functions convert to those of [t] and back: as OCaml
    sees them, and as traced functions do. Records whose fields have variable types are both:
    {[
      type ('i, 'x) particle = { id : 'i; mass : 'x }

      let particle =
        let fields p = (p.id, p.mass) and make (id, mass) = { id; mass } in
        Dtype.(conv (fields, make) (fields, make) (pair int f32))

      let heavier = Seq.map_to particle (fun p -> { p with mass = Expr.(p.mass * f32 2.) }) particles
      let character = Dtype.(conv (Char.code, Char.chr) (Fun.id, Fun.id) u8)
    ]} *)

val conv : ('c -> 'a) * ('a -> 'c) -> ('d -> 'b) * ('b -> 'd) -> ('a, 'b) t -> ('c, 'd) t

(** {1 Properties} *)

(** The number of scalars per element. *)
val columns : ('a, 'b) t -> int

(** The number of bytes per element. *)
val size : ('a, 'b) t -> int

(** The name, as in messages of the library: ["f32"], ["(i32 * f32)"]. *)
val name : ('a, 'b) t -> string

(** Prints a value as {!Seq.pp} does. *)
val pp_value : ('a, 'b) t -> Format.formatter -> 'a -> unit

val pp : Format.formatter -> ('a, 'b) t -> unit
[@@ocaml.toplevel_printer]
