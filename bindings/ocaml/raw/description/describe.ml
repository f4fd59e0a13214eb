(* `describe HEADER TYPES` prints the module Warpfold_description: the file TYPES, then a declaration for each function of warpfold.h. *)

let read file =
  let channel = open_in_bin file in
  Fun.protect ~finally:(fun () -> close_in channel) (fun () -> really_input_string channel (in_channel_length channel))

let replace pattern by text = Str.global_replace (Str.regexp pattern) by text
let matches pattern text = Str.string_match (Str.regexp ("\\(" ^ pattern ^ "\\)$")) text 0

(* Functions that return at once: other OCaml threads wait meanwhile. All others may compute, copy or wait. *)
let is_quick =
  matches
    "abi_version\\|variable\\|constant\\|version\\|error_message\\|type_.*\\|op_.*\\|context_\\(retain\\|release\\|name\\|memory\\|reset_peak\\|set_limit\\|of\\)\\|\
     context_fail_allocation\\|fn_.*\\|program_\\(retain\\|release\\)\\|adopt.*\\|shape\\|allocate\\|scalar\\|from_dlpack.*\\|retain\\|release\\|\
     known_length\\|rank\\|column.*\\|is_manifest\\|tabulate\\|reduce\\|scan\\|filter\\|sort\\|sort_by\\|merge\\|merge_by\\|scatter\\|\
     histogram\\|random_key\\|random_split\\|length\\|cancel.*"

(* The ctypes value of a type such as "wf_seq*". *)
let rec pointed text =
  match text with
  | "void" | "char" | "int32_t" | "int64_t" | "double" -> text
  | "wf_block" -> "Block.typ"
  | _ when matches ".*\\*" text -> "ptr (" ^ pointed (String.sub text 0 (String.length text - 1)) ^ ")"
  | _ when matches "wf_[a-z]+" text -> replace "wf_" "" text
  | _ -> failwith ("warpfold.h has the unknown type " ^ text)

(* Texts that may be NULL are named so. Only calls that return at once may read an OCaml string in place. *)
let parameter quick text =
  let name_start = Str.search_backward (Str.regexp "[ *)]") text (String.length text - 1) + 1 in
  let name = Str.string_after text name_start and typ = String.trim (Str.string_before text name_start) in
  match typ with
  | "const char*" when matches "name\\|format\\|outside" name -> "string_opt"
  | "const char*" -> if quick then "ocaml_string" else "string"
  | "const char* const*" -> "ptr const_text"
  | "const void**" -> "ptr const_data"
  | _ when matches "int32_t (.*" text -> "poll"
  | _ when String.contains text '(' -> "deleter"
  | _ -> pointed (replace "const\\| " "" typ)

(* name, parameters, result *)
let functions header =
  let text = replace "[ \t\n]+" " " (replace "^#.*$" "" (replace "/\\*\\([^*]\\|\\*+[^*/]\\)*\\*+/" " " header)) in
  let pattern = Str.regexp "WF_API \\([^(;]*[ *]\\)wf_\\([a-z0-9_]+\\)(\\([^;]*\\));" in
  let rec from start =
    match Str.search_forward pattern text start with
    | exception Not_found -> []
    | _ ->
        let found = Str.(matched_group 2 text, matched_group 3 text, String.trim (matched_group 1 text)) in
        found :: from (Str.match_end ())
  in
  from 0

let declaration (name, parameters, result) =
  let typed text = parameter (is_quick name) (String.trim text) in
  let types = if parameters = "void" then [ "void" ] else List.map typed (String.split_on_char ',' parameters) in
  let result = match (result, name) with "const char*", "version" -> "string" | "const char*", _ -> "string_opt" | other, _ -> other in
  Printf.sprintf "  let %s = foreign \"wf_%s\" (%s @-> returning %s)\n" name name (String.concat " @-> " types) result

let section name documentation more functions =
  Printf.printf "\n(** %s *)\nmodule %s (F : FOREIGN) = struct\n  open F\n\n%s%send\n" documentation name
    (String.concat "" (List.map declaration functions)) more

(* A map of one sequence returns at once; one of several may have to compute their lengths. reduce_default passes no identity. *)
let more_quick =
  "  let map_one = foreign \"wf_map\" (ptr fn @-> ptr (ptr seq) @-> int32_t @-> ptr (ptr seq) @-> returning int32_t)\n\
  \  let reduce_default = foreign \"wf_reduce\" (ptr fn @-> ptr char @-> ptr seq @-> ptr (ptr seq) @-> returning int32_t)\n"

let () =
  let quick, blocking = List.partition (fun (name, _, _) -> is_quick name) (functions (read Sys.argv.(1))) in
  print_string (read Sys.argv.(2));
  section "Quick" "Functions that return at once: other OCaml threads wait meanwhile." more_quick quick;
  section "Blocking" "Functions that may compute, copy or wait: other OCaml threads run meanwhile." "" blocking
