(* The structures and constants of warpfold.h. *)

let read file =
  let channel = open_in_bin file in
  Fun.protect ~finally:(fun () -> close_in channel) (fun () -> really_input_string channel (in_channel_length channel))

let strip_comments text = Str.global_replace (Str.regexp "/\\*\\([^*]\\|\\*+[^*/]\\)*\\*+/") " " text
let squeeze text = String.trim (Str.global_replace (Str.regexp "[ \t\n]+") " " text)

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

(* The functions that the raw layer declares: name -> prototype. *)
module Recorder () = struct
  type 'a fn = 'a Ctypes.fn
  type 'a return = 'a
  type 'a result = unit

  let declared = ref []
  let ( @-> ) = Ctypes.( @-> )
  let returning = Ctypes.returning
  let foreign name fn = declared := (name, squeeze (Ctypes.string_of_fn fn)) :: !declared
  let foreign_value _ _ = ()
end

let described () =
  let module R = Recorder () in
  let module Quick = Warpfold_description.Quick (R) in
  let module Blocking = Warpfold_description.Blocking (R) in
  !R.declared
