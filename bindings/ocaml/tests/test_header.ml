(* The raw layer binds every function of the header with the right number and types of arguments. *)

let header () = Header.read "../raw/warpfold.h"
let check_none = Alcotest.(check (list string)) "differences" []

let same () =
  let prototypes = Header.prototypes (header ()) in
  Alcotest.(check bool) "the header was read" true (List.length prototypes > 50);
  check_none (Header.differences ~header:prototypes ~described:(Header.described ()))

(* The comparison detects changes of the header. *)
let sees_changes () =
  let change pattern replacement =
    let text = header () in
    let changed = Str.global_replace (Str.regexp_string pattern) replacement text in
    Alcotest.(check bool) ("the header has " ^ pattern) false (text = changed);
    let found = Header.differences ~header:(Header.prototypes changed) ~described:(Header.described ()) in
    Alcotest.(check int) ("one difference by " ^ replacement) 1 (List.length found)
  in
  change "wf_take(wf_seq* s, int64_t n" "wf_take(wf_seq* s, int32_t n";
  change "wf_rev(wf_seq* s, " "wf_rev(wf_seq* s, int32_t axis, ";
  change "int32_t wf_rank(" "int64_t wf_rank(";
  change "WF_API int32_t wf_rank(" "WF_API int32_t wf_new(int32_t k); WF_API int32_t wf_rank(";
  change "int64_t n, void (*deleter)(void* user), void* user" "int64_t n, void* user, void* user"

let code_names =
  Warpfold.
    [
      ("WF_ERROR_ARGUMENT", Argument); ("WF_ERROR_TYPE", Type); ("WF_ERROR_MEMORY", Memory);
      ("WF_ERROR_COMPILE", Compile); ("WF_ERROR_DEVICE", Device); ("WF_ERROR_UNSUPPORTED", Unsupported);
      ("WF_ERROR_IO", Io); ("WF_ERROR_INTERNAL", Internal);
    ]

let codes () =
  let of_code code = Warpfold__Call.exception_of code "why" in
  List.iter
    (fun (name, code) ->
      match List.assoc_opt name code_names with
      | Some expected -> Alcotest.(check bool) name true (of_code code = Warpfold.Error (expected, "why"))
      | None -> Alcotest.(check bool) name true (of_code code = Invalid_argument "why"))
    (List.filter (fun (name, _) -> Support.contains "WF_ERROR" name) (Header.constants (header ())))

let types () =
  let constants = Header.constants (header ()) in
  let code_of name = List.assoc ("WF_" ^ String.uppercase_ascii name) constants in
  Array.iteri
    (fun code name ->
      Alcotest.(check int) name (code_of name) code;
      Alcotest.(check (option string)) "the library's name" (Some name) (Warpfold_raw.type_name code))
    Warpfold__Element.code_names;
  Alcotest.(check (option string)) "no further type" None (Warpfold_raw.type_name (Array.length Warpfold__Element.code_names))

let sizes () =
  let check dtype =
    let code = List.hd (Warpfold__Layout.codes dtype) in
    Alcotest.(check int) (Warpfold.Dtype.name dtype) (Warpfold_raw.type_size code) (Warpfold.Dtype.size dtype)
  in
  Warpfold.Dtype.(check bool; check u8; check i32; check u32; check int; check i64; check u64; check f32; check f64)

(* Lengths are passed as 64 bits, not 32. *)
let wide () =
  let open Warpfold in
  let n = (1 lsl 33) + 5 in
  let s = Seq.init n Fun.id in
  Alcotest.(check int) "length" n (Seq.length s);
  Alcotest.(check int) "last" (n - 1) (Seq.get s (n - 1))

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
  Alcotest.(check (list string)) "fields" (Header.fields (header ()) "wf_block") (List.map fst bound);
  Alcotest.(check (list int)) "offsets" [ 0; 8; 16; 24; 32; 40; 48; 52 ] (List.map snd bound)

let tests =
  [
    Alcotest.test_case "every function is bound as it is declared" `Quick same;
    Alcotest.test_case "a change of the header is seen" `Quick sees_changes;
    Alcotest.test_case "codes" `Quick codes;
    Alcotest.test_case "types" `Quick types;
    Alcotest.test_case "the structure wf_block" `Quick block;
    Alcotest.test_case "sizes" `Quick sizes;
    Alcotest.test_case "64-bit lengths" `Quick wide;
  ]
