(* Identities of operations on scalars, as literals of the written form. *)

let by_element literal dtype = List.map literal (Layout.codes dtype)
let suffixed code text = text ^ ":" ^ Element.code_names.(code)
let zeros dtype = by_element (fun code -> suffixed code "0") dtype
let ones dtype = by_element (fun code -> suffixed code "1") dtype
let greatest = [| "true"; "255"; "2147483647"; "4294967295"; "9223372036854775807"; "18446744073709551615"; "inf"; "inf" |]
let least = [| "false"; "0"; "-2147483648"; "0"; "-9223372036854775808"; "0"; "-inf"; "-inf" |]

(* An int is an i64 of which OCaml reads 63 bits, so its bounds are those of OCaml: the lower 63 bits of the greatest i64 are -1. *)
let bound (type a b) table of_int (dtype : (a, b) Layout.t) =
  match dtype with
  | Element Int -> [ suffixed (Element.code Int) (string_of_int of_int) ]
  | _ -> by_element (fun code -> if code = Element.code Bool then table.(code) else suffixed code table.(code)) dtype

let of_min dtype = bound greatest max_int dtype
let of_max dtype = bound least min_int dtype
