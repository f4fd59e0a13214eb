(* The value of an expression in a traced function.

   Its type is a polymorphic variant such as Expr.f32, which is never matched. The type states which operations accept the
   expression, the OCaml type of its value and the bigarray kind that stores it. Inference keeps the name of such a type, unlike
   that of a parametrized constructor, and so prints `Expr.f32`. The representation is a record, which `show` and `hide` convert. *)

(* Types of values in OCaml and in bigarrays. No value has this type. *)
type ('a, 'x, 'e) value

type 'v scalar = [ `Bool of 'v | `Int of 'v | `Float of 'v ]
type 'v number = [ `Int of 'v | `Float of 'v ]
type 'v integer = [ `Int of 'v ]
type 'v real = [ `Float of 'v ]
type 'v bits = [ `Bool of 'v | `Int of 'v ]

module Types = struct
  open Bigarray

  type f64 = [ `Float of (float, float, float64_elt) value ]
  type f32 = [ `Float of (float, float, float32_elt) value ]
  type u64 = [ `Int of (Unsigned.UInt64.t, int64, int64_elt) value ]
  type i64 = [ `Int of (int64, int64, int64_elt) value ]
  type u32 = [ `Int of (int, int32, int32_elt) value ]
  type i32 = [ `Int of (int32, int32, int32_elt) value ]
  type u8 = [ `Int of (int, int, int8_unsigned_elt) value ]
  type nonrec bool = [ `Bool of (bool, int, int8_unsigned_elt) value ]
  type nonrec int = [ `Int of (int, int, int_elt) value ]
end
