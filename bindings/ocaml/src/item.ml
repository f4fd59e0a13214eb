(* One scalar of a traced function: its term, and the type of its values. 'a is what OCaml sees of a value; 'k tells which
   operations take it and how bigarrays store it. *)

type ('a, 'k) t = { term : Term.t; element : ('a, 'k) Element.t }

module Types = struct
  open Bigarray

  type nonrec f64 = (float, [ `Float ] * (float, float64_elt) kind) t
  type nonrec f32 = (float, [ `Float ] * (float, float32_elt) kind) t
  type nonrec u64 = (Unsigned.UInt64.t, [ `Int ] * (int64, int64_elt) kind) t
  type nonrec i64 = (int64, [ `Int ] * (int64, int64_elt) kind) t
  type nonrec u32 = (int, [ `Int ] * (int32, int32_elt) kind) t
  type nonrec i32 = (int32, [ `Int ] * (int32, int32_elt) kind) t
  type nonrec u8 = (int, [ `Int ] * (int, int8_unsigned_elt) kind) t
  type nonrec bool = (bool, [ `Bool ] * (int, int8_unsigned_elt) kind) t
  type nonrec int = (int, [ `Int ] * (int, int_elt) kind) t
end
