(* The types of scalars. In ('a, 'x, 'e, 'b) t, 'a is the OCaml type of the value, ('x, 'e) the bigarray kind that stores it, and 'b
   the type of its expressions. *)

open Bigarray

type ('a, 'x, 'e, 'b) t =
  | Bool : (bool, int, int8_unsigned_elt, Item.Types.bool) t
  | U8 : (int, int, int8_unsigned_elt, Item.Types.u8) t
  | I32 : (int32, int32, int32_elt, Item.Types.i32) t
  | U32 : (int, int32, int32_elt, Item.Types.u32) t
  | Int : (int, int, int_elt, Item.Types.int) t
  | I64 : (int64, int64, int64_elt, Item.Types.i64) t
  | U64 : (Unsigned.UInt64.t, int64, int64_elt, Item.Types.u64) t
  | F32 : (float, float, float32_elt, Item.Types.f32) t
  | F64 : (float, float, float64_elt, Item.Types.f64) t

let code : type a x e b. (a, x, e, b) t -> int = function
  | Bool -> 0
  | U8 -> 1
  | I32 -> 2
  | U32 -> 3
  | Int | I64 -> 4
  | U64 -> 5
  | F32 -> 6
  | F64 -> 7

let code_names = [| "bool"; "u8"; "i32"; "u32"; "i64"; "u64"; "f32"; "f64" |]
let name element = code_names.(code element)

let size : type a x e b. (a, x, e, b) t -> int = function
  | Bool | U8 -> 1
  | I32 | U32 | F32 -> 4
  | Int | I64 | U64 | F64 -> 8

let kind : type a x e b. (a, x, e, b) t -> (x, e) kind = function
  | Bool -> int8_unsigned
  | U8 -> int8_unsigned
  | I32 -> int32
  | U32 -> int32
  | Int -> int
  | I64 -> int64
  | U64 -> int64
  | F32 -> float32
  | F64 -> float64

let u32_mask = 0xffff_ffff

let of_stored : type a x e b. (a, x, e, b) t -> x -> a = function
  | Bool -> fun x -> x <> 0
  | U8 -> Fun.id
  | I32 -> Fun.id
  | U32 -> fun x -> Int32.to_int x land u32_mask
  | Int -> Fun.id
  | I64 -> Fun.id
  | U64 -> Unsigned.UInt64.of_int64
  | F32 -> Fun.id
  | F64 -> Fun.id

let out_of_range element x low high =
  invalid_arg (Printf.sprintf "warpfold: %d is not a valid %s, expected %d to %d" x (name element) low high)

let checked element low high x = if x < low || x > high then out_of_range element x low high else x

let to_stored : type a x e b. (a, x, e, b) t -> a -> x = function
  | Bool -> Bool.to_int
  | U8 -> checked U8 0 255
  | I32 -> Fun.id
  | U32 -> fun x -> Int32.of_int (checked U32 0 u32_mask x)
  | Int -> Fun.id
  | I64 -> Fun.id
  | U64 -> Unsigned.UInt64.to_int64
  | F32 -> Fun.id
  | F64 -> Fun.id

(* The primitive that printf's %h calls; printf itself costs as much as the rest of a small lambda. *)
external hexadecimal : float -> int -> char -> string = "caml_hexstring_of_float"

(* Programs trace the same functions again and again, so the last texts are kept. The place is the top of a product, which depends on all
   bits; those of short floats end with zeros. An entry is one immutable block: other threads may replace it at any time. *)
let kept = Array.make 64 (Float.nan, "")

let kept_hexadecimal x =
  let place = (Int64.to_int (Int64.bits_of_float x) * 0x1e3779b97f4a7c15) lsr 57 in
  let known, text = Array.unsafe_get kept place in
  if known = x then text
  else
    let text = hexadecimal x (-1) '-' in
    kept.(place) <- (x, text);
    text

(* The exact value of a float: integers below 1e15 in decimal, others in hexadecimal. *)
let float_digits x =
  if Float.is_nan x then "nan"
  else if x = 0. then if Float.sign_bit x then "-0.0" else "0.0"
  else if Float.is_integer x && Float.abs x < 1e15 then string_of_int (int_of_float x) ^ ".0"
  else if x = Float.infinity then "inf"
  else if x = Float.neg_infinity then "-inf"
  else kept_hexadecimal x

let to_single x = Int32.float_of_bits (Int32.bits_of_float x)

let literal : type a x e b. (a, x, e, b) t -> a -> string =
 fun element x ->
  match element with
  | Bool -> string_of_bool x
  | U8 -> string_of_int (to_stored U8 x) ^ ":u8"
  | I32 -> Int32.to_string x ^ ":i32"
  | U32 -> string_of_int (checked U32 0 u32_mask x) ^ ":u32"
  | Int -> string_of_int x ^ ":i64"
  | I64 -> Int64.to_string x ^ ":i64"
  | U64 -> Unsigned.UInt64.to_string x ^ ":u64"
  | F32 -> float_digits (to_single x) ^ ":f32"
  | F64 -> float_digits x ^ ":f64"

(* The shortest decimal that reads back as x. *)
let shortest x same =
  let rec search digits =
    let text = Printf.sprintf "%.*g" digits x in
    if digits >= 17 || same (float_of_string text) then text else search (digits + 1)
  in
  let text = search 6 in
  if String.exists (fun c -> c = '.' || c = 'e' || c = 'n') text then text else text ^ "."

(* With six digits, which keep columns narrow: 0.333333. *)
let brief x =
  let text = if Float.is_nan x then "nan" else Printf.sprintf "%g" x in
  if String.exists (fun c -> c = '.' || c = 'e' || c = 'n') text then text else text ^ "."

let pp : type a x e b. ?is_brief:bool -> (a, x, e, b) t -> Format.formatter -> a -> unit =
 fun ?(is_brief = false) element out x ->
  match element with
  | F32 when is_brief -> Format.pp_print_string out (brief x)
  | F64 when is_brief -> Format.pp_print_string out (brief x)
  | Bool -> Format.pp_print_bool out x
  | U8 -> Format.pp_print_int out x
  | I32 -> Format.fprintf out "%ld" x
  | U32 -> Format.pp_print_int out x
  | Int -> Format.pp_print_int out x
  | I64 -> Format.fprintf out "%Ld" x
  | U64 -> Format.pp_print_string out (Unsigned.UInt64.to_string x)
  | F32 -> Format.pp_print_string out (shortest x (fun y -> to_single y = x))
  | F64 -> Format.pp_print_string out (shortest x (fun y -> y = x))
