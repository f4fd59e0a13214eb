(* The raw layer is that of the header. *)

let header () = Header.read "../raw/warpfold.h"

(* The declarations are made from the header. *)
let described () =
  let described = Header.described () in
  Check.(check bool) "the header was read" true (List.length described > 100);
  let check (name, expected) = Check.(check string) name expected (List.assoc name described) in
  List.iter check
    [
      ("wf_abi_version", "int32_t(void)");
      ("wf_retain", "void(wf_seq*)");
      ("wf_take", "int32_t(wf_seq*, int64_t, wf_seq**)");
      ("wf_data", "int32_t(wf_seq*, int32_t, const void**, int64_t*)");
      ("wf_write_arrays", "int32_t(char*, char*, wf_seq**, const char**, int32_t)");
    ]

let code_names =
  Warpfold.
    [
      ("WF_ERROR_ARGUMENT", Argument); ("WF_ERROR_TYPE", Type); ("WF_ERROR_MEMORY", Memory);
      ("WF_ERROR_COMPILE", Compile); ("WF_ERROR_DEVICE", Device); ("WF_ERROR_UNSUPPORTED", Unsupported);
      ("WF_ERROR_IO", Io); ("WF_ERROR_INTERNAL", Internal); ("WF_ERROR_CANCELED", Canceled);
    ]

let codes () =
  let of_code code = Warpfold__Call.exception_of code "why" in
  List.iter
    (fun (name, code) ->
      match List.assoc_opt name code_names with
      | Some expected -> Check.(check bool) name true (of_code code = Warpfold.Error (expected, "why"))
      | None -> Check.(check bool) name true (of_code code = Invalid_argument "why"))
    (List.filter (fun (name, _) -> Support.contains "WF_ERROR" name) (Header.constants (header ())))

let types () =
  let constants = Header.constants (header ()) in
  let code_of name = List.assoc ("WF_" ^ String.uppercase_ascii name) constants in
  Array.iteri
    (fun code name ->
      Check.(check int) name (code_of name) code;
      Check.(check (option string)) "the library's name" (Some name) (Warpfold_raw.type_name code))
    Warpfold__Element.code_names;
  Check.(check (option string)) "no further type" None (Warpfold_raw.type_name (Array.length Warpfold__Element.code_names))

let sizes () =
  let check dtype =
    let code = List.hd (Warpfold__Layout.codes dtype) in
    Check.(check int) (Warpfold.Dtype.name dtype) (Warpfold_raw.type_size code) (Warpfold.Dtype.size dtype)
  in
  Warpfold.Dtype.(check bool; check u8; check i32; check u32; check int; check i64; check u64; check f32; check f64)

(* Lengths are passed as 64 bits, not 32. *)
let wide () =
  let open Warpfold in
  let n = (1 lsl 33) + 5 in
  let s = Seq.init n Fun.id in
  Check.(check int) "length" n (Seq.length s);
  Check.(check int) "last" (n - 1) (Seq.get s (n - 1))

let block () =
  let open Ctypes in
  let module B = Warpfold_description.Block in
  let bound =
    [
      (field_name B.name, offsetof B.name); (field_name B.function_, offsetof B.function_);
      (field_name B.user, offsetof B.user); (field_name B.destroy, offsetof B.destroy);
      (field_name B.param_types, offsetof B.param_types); (field_name B.result_types, offsetof B.result_types);
      (field_name B.n_params, offsetof B.n_params); (field_name B.n_results, offsetof B.n_results);
    ]
  in
  Check.(check (list string)) "fields" (Header.fields (header ()) "wf_block") (List.map fst bound);
  Check.(check (list int)) "offsets" [ 0; 8; 16; 24; 32; 40; 48; 52 ] (List.map snd bound)

let tests =
  [
    Support.case "functions are declared as in the header" described; Support.case "codes" codes; Support.case "types" types;
    Support.case "the structure wf_block" block; Support.case "sizes" sizes; Support.case "64-bit lengths" wide;
  ]
