open Ctypes
module D = Warpfold_description
module Raw = Warpfold_raw

type code = Argument | Type | Memory | Compile | Device | Unsupported | Io | Internal | Canceled

exception Error of code * string

let code_name = function
  | Argument -> "Argument"
  | Type -> "Type"
  | Memory -> "Memory"
  | Compile -> "Compile"
  | Device -> "Device"
  | Unsupported -> "Unsupported"
  | Io -> "Io"
  | Internal -> "Internal"
  | Canceled -> "Canceled"

let () =
  Printexc.register_printer (function
    | Error (code, message) -> Some (Printf.sprintf "Warpfold.Error (%s, %S)" (code_name code) message)
    | _ -> None)

let ok = 0
let memory = 5
let canceled = 11

let exception_of code message =
  match code with
  | 1 -> Error (Argument, message)
  | 2 -> Error (Type, message)
  | 3 | 4 -> Invalid_argument message
  | 5 -> Error (Memory, message)
  | 6 -> Error (Compile, message)
  | 7 -> Error (Device, message)
  | 8 -> Error (Unsupported, message)
  | 9 -> Error (Io, message)
  | 11 -> Error (Canceled, message)
  | _ -> Error (Internal, message)

let text_of call =
  let needed = allocate D.int64_t 0 in
  call (from_voidp char null) 0 needed;
  let capacity = !@needed in
  let buffer = allocate_n char ~count:capacity in
  call buffer capacity needed;
  string_from_ptr buffer ~length:(Stdlib.min capacity !@needed - 1)

let fail code =
  raise (exception_of code (text_of (fun buffer capacity needed -> ignore (Raw.error_message buffer capacity needed))))

(* The library trims its pool before it reports that memory is exhausted. A collection then frees the memory of unreachable
   handles. *)
let collect () =
  Gc.full_major ();
  Handle.drop_adopted ()

external raise_interruption : unit -> unit = "warpfold_raise_interruption"

let check call =
  let code = call () in
  if code = canceled then raise_interruption ();
  if code <> ok then
    let code = if code = memory then (collect (); call ()) else code in
    if code <> ok then fail code

(* An error names the function that the user called, instead of the function of the C API as in "wf_zip: ...", or of the function that
   one is composed of. *)

let again e = Printexc.raise_with_backtrace e (Printexc.get_raw_backtrace ())

let renaming is_inner full_name f =
  let renamed message =
    match String.index_opt message ':' with
    | Some colon when is_inner (String.sub message 0 colon) -> full_name ^ String.sub message colon (String.length message - colon)
    | _ -> message
  in
  try f () with
  | Invalid_argument message -> again (Invalid_argument (renamed message))
  | Error (code, message) -> again (Error (code, renamed message))

let of_library name = String.starts_with ~prefix:"wf_" name || name = "warpfold"
let parts = [ "Warpfold.Seq."; "Warpfold.Scalar."; "Warpfold.Ndarray." ]
let of_parts name = of_library name || List.exists (fun prefix -> String.starts_with ~prefix name) parts
let named folder name f = renaming of_library ("Warpfold." ^ folder ^ name) f
let composed ?(folder = "Seq.") name f = renaming of_parts ("Warpfold." ^ folder ^ name) f

let text call = text_of (fun buffer capacity needed -> check (fun () -> call buffer capacity needed))

(* `take` applied to the cell that the call has written. *)
let in_cell layout call take =
  Scratch.use 1 (fun cell ->
      let out = from_voidp layout cell.memory in
      check (fun () -> call out);
      take cell out)

let output layout call = in_cell layout call (fun _ out -> !@out)
let int32 call = output D.int32_t call
let int64 call = output D.int64_t call
let handle kind call = in_cell (ptr (Handle.layout kind)) call (fun cell _ -> Handle.own kind cell)
let seq ?bytes call = in_cell (ptr D.seq) call (fun cell _ -> Handle.own ?bytes Handle.Seq cell)

(* The n sequences that the call writes. *)
let seqs n call =
  Scratch.use n (fun cell ->
      check (fun () -> call (from_voidp (ptr D.seq) cell.memory));
      List.init n (fun k -> Handle.own Handle.Seq (Scratch.from k cell)))
