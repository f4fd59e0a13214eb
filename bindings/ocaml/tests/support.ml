(* Helpers of the tests. *)

open Warpfold

let raises_invalid name f =
  match f () with
  | exception Invalid_argument _ -> ()
  | exception other -> Check.failf "%s: raised %s" name (Printexc.to_string other)
  | _ -> Check.failf "%s: raised nothing" name

let raises_code name code f =
  match f () with
  | exception Error (found, _) when found = code -> ()
  | exception other -> Check.failf "%s: raised %s" name (Printexc.to_string other)
  | _ -> Check.failf "%s: raised nothing" name

let contains = Check.contains

let message_of name f =
  match f () with
  | exception (Invalid_argument message | Error (_, message)) -> message
  | exception other -> Check.failf "%s: raised %s" name (Printexc.to_string other)
  | _ -> Check.failf "%s: raised nothing" name

(* f raises a message with this part; that begins with this name. *)
let says part f =
  let message = message_of part f in
  if not (contains part message) then Check.failf "not %S but %s" part message

let names_itself name f =
  let message = message_of name f in
  if not (String.starts_with ~prefix:("Warpfold." ^ name ^ ": ") message) then Check.failf "not from %s: %s" name message
let check_ints name expected s = Check.(check (array int)) name expected (Seq.to_array s)

(* Floats are the same if compare returns 0, so two NaNs are the same. *)
let same_float = Check.testable (fun out -> Format.fprintf out "%h") (fun x y -> compare x y = 0)
let check_floats name expected s = Check.(check (array same_float)) name expected (Seq.to_array s)

(* x rounded to single precision. *)
let single x = Int32.float_of_bits (Int32.bits_of_float x)

(* Pseudorandom numbers, the same in every run. *)
let noise n = Array.init n (fun i -> ((i * 7919) + (i * i mod 1013)) mod 2003 - 1001)
let case name test = (name, test)
