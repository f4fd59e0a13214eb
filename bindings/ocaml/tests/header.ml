(* Prototypes as text: those of warpfold.h, and those declared by the description of the raw layer. *)

let read file =
  let channel = open_in_bin file in
  Fun.protect ~finally:(fun () -> close_in channel) (fun () -> really_input_string channel (in_channel_length channel))

let strip_comments text = Str.global_replace (Str.regexp "/\\*\\([^*]\\|\\*+[^*/]\\)*\\*+/") " " text
let strip_directives text = Str.global_replace (Str.regexp "^#.*$") "" text
let squeeze text = String.trim (Str.global_replace (Str.regexp "[ \t\n]+") " " text)
let without_const text = Str.global_replace (Str.regexp "\\bconst\\b") "" text

(* "wf_seq* const* out" -> "wf_seq**" *)
let parameter_type text =
  let text = squeeze (without_const text) in
  if Str.string_match (Str.regexp ".*([^)]*\\*[^)]*)(.*)") text 0 then
    squeeze (Str.global_replace (Str.regexp "(\\*[a-z_]*)\\|[a-z_]+\\([,)]\\)") "\\1" text)
  else
    let text = if text = "void" then text else Str.global_replace (Str.regexp "[A-Za-z_0-9]+ *$") "" text in
    Str.global_replace (Str.regexp " ") "" text

(* Splits at commas outside parentheses. *)
let split_parameters text =
  let depth = ref 0 and start = ref 0 and parts = ref [] in
  String.iteri
    (fun i c ->
      if c = '(' then incr depth
      else if c = ')' then decr depth
      else if c = ',' && !depth = 0 then (
        parts := String.sub text !start (i - !start) :: !parts;
        start := i + 1))
    text;
  List.rev (String.sub text !start (String.length text - !start) :: !parts)

let is_function_pointer text = String.contains text '('
let normal_type text = if is_function_pointer text then "function*" else parameter_type text

(* name -> "int32_t (wf_seq*, int64_t*)" *)
let prototypes header =
  let text = squeeze (strip_directives (strip_comments header)) in
  let pattern = Str.regexp "WF_API \\([^;]*;\\)" in
  let rec find from found =
    match Str.search_forward pattern text from with
    | exception Not_found -> List.rev found
    | _ ->
        let declaration = Str.matched_group 1 text and next = Str.match_end () in
        let opening = String.index declaration '(' and closing = String.rindex declaration ')' in
        let before = String.trim (String.sub declaration 0 opening) in
        let name_start = 1 + Stdlib.max (String.rindex before ' ') (try String.rindex before '*' with Not_found -> 0) in
        let name = String.sub before name_start (String.length before - name_start) in
        let result = Str.global_replace (Str.regexp " ") "" (without_const (String.sub before 0 name_start)) in
        let parameters = split_parameters (String.sub declaration (opening + 1) (closing - opening - 1)) in
        find next ((name, result ^ " (" ^ String.concat ", " (List.map normal_type parameters) ^ ")") :: found)
  in
  find 0 []

(* The names of the fields of a structure, in order. *)
let fields header name =
  let text = squeeze (strip_comments header) in
  let start = Str.search_forward (Str.regexp_string ("struct " ^ name ^ " {")) text 0 in
  let opening = String.index_from text start '{' in
  let closing = String.index_from text opening '}' in
  let declarations = String.split_on_char ';' (String.sub text (opening + 1) (closing - opening - 1)) in
  let field declaration =
    let before = List.hd (String.split_on_char ')' declaration) in
    List.hd (List.rev (Str.split (Str.regexp "[ *(]+") before))
  in
  List.map field (List.filter (fun d -> String.trim d <> "") declarations)

(* enum constants: name -> value *)
let constants header =
  let text = strip_comments header in
  let pattern = Str.regexp "\\(WF_[A-Z0-9_]+\\) = \\([0-9]+\\)" in
  let rec find from found =
    match Str.search_forward pattern text from with
    | exception Not_found -> List.rev found
    | _ ->
        let next = Str.match_end () in
        find next ((Str.matched_group 1 text, int_of_string (Str.matched_group 2 text)) :: found)
  in
  find 0 []

(* Collects the declarations of the description. *)
module Recorder () = struct
  type 'a fn = 'a Ctypes.fn
  type 'a return = 'a
  type 'a result = unit

  let declared = ref []
  let ( @-> ) = Ctypes.( @-> )
  let returning = Ctypes.returning

  (* "int32_t (wf_seq**, function*)" from the text that ctypes prints *)
  let normal text =
    let text = squeeze (without_const text) in
    let opening = String.index text '(' and closing = String.rindex text ')' in
    let result = Str.global_replace (Str.regexp " ") "" (String.sub text 0 opening) in
    let parameters = split_parameters (String.sub text (opening + 1) (closing - opening - 1)) in
    let normal_type t =
      if is_function_pointer t then "function*" else Str.global_replace (Str.regexp " \\|\\bstruct\\b") "" t
    in
    result ^ " (" ^ String.concat ", " (List.map normal_type parameters) ^ ")"

  let foreign name fn = declared := (name, normal (Ctypes.string_of_fn fn)) :: !declared
  let foreign_value _ _ = ()
end

let described () =
  let module R = Recorder () in
  let module Quick = Warpfold_description.Quick (R) in
  let module Blocking = Warpfold_description.Blocking (R) in
  List.rev !R.declared

(* The differences between the header and the description, as messages. *)
let differences ~header ~described =
  let missing =
    List.filter_map
      (fun (name, prototype) ->
        match List.assoc_opt name described with
        | None -> Some (name ^ " is not bound")
        | Some bound when bound <> prototype -> Some (Printf.sprintf "%s is %s but bound as %s" name prototype bound)
        | Some _ -> None)
      header
  in
  let surplus =
    List.filter_map
      (fun (name, _) -> if List.mem_assoc name header then None else Some (name ^ " is not in the header"))
      described
  in
  missing @ surplus
