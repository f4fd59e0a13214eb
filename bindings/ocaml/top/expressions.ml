(* The toplevel selects a printer of a variant type only by the exact type, so each type has its own. *)

open Warpfold

let bool : Format.formatter -> Expr.bool -> unit = Expr.pp
let u8 : Format.formatter -> Expr.u8 -> unit = Expr.pp
let i32 : Format.formatter -> Expr.i32 -> unit = Expr.pp
let u32 : Format.formatter -> Expr.u32 -> unit = Expr.pp
let int : Format.formatter -> Expr.int -> unit = Expr.pp
let i64 : Format.formatter -> Expr.i64 -> unit = Expr.pp
let u64 : Format.formatter -> Expr.u64 -> unit = Expr.pp
let f32 : Format.formatter -> Expr.f32 -> unit = Expr.pp
let f64 : Format.formatter -> Expr.f64 -> unit = Expr.pp
