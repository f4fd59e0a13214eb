(* The example programs, run as processes, print what ../../programs.py expects. *)

open Support

let script = "../../../../programs.py"

let rec lines channel = match input_line channel with line -> line :: lines channel | exception End_of_file -> []

(* The standard output of a program on one line, and its exit status if it is not 0. *)
let output folder name arguments =
  let errors = Filename.concat folder "stderr" in
  let channel = Unix.open_process_in (Filename.quote_command ("../examples/" ^ name ^ ".exe") ~stderr:errors arguments) in
  let text = String.concat " | " (List.filter (( <> ) "") (lines channel)) in
  match Unix.close_process_in channel with
  | Unix.WEXITED 0 -> (text, Header.read errors)
  | Unix.WEXITED status -> (Printf.sprintf "%s (status %d)" text status, Header.read errors)
  | _ -> Check.failf "%s was killed" name

(* "..." in a pattern stands for any text. *)
let matches pattern text =
  let parts = Str.split_delim (Str.regexp_string "...") pattern in
  Str.string_match (Str.regexp (String.concat ".*" (List.map Str.quote parts) ^ "$")) text 0

let path_of name =
  List.find (fun name -> Sys.file_exists ("../examples/" ^ name ^ ".exe")) (List.map (fun folder -> folder ^ name) [ ""; "arrays/"; "gradients/"; "random/" ])

let calls () =
  let folder = Filename.temp_file "warpfold" "" in
  Sys.remove folder;
  Unix.mkdir folder 0o700;
  let check words expected =
    let words = String.split_on_char '\t' words in
    let found, _ = output folder (path_of (List.hd words)) (List.tl words) in
    if matches expected found then [] else [ Printf.sprintf "%s: expected %S, found %S" (String.concat " " words) expected found ]
  in
  let rec check_all = function words :: expected :: rest -> check words expected @ check_all rest | _ -> [] in
  let wrong = check_all (lines (Unix.open_process_in (Filename.quote_command "python3" [ script; "ocaml"; folder ]))) in
  Array.iter (fun file -> Sys.remove (Filename.concat folder file)) (Sys.readdir folder);
  Unix.rmdir folder;
  Check.(check (list string)) "wrong results" [] wrong

let timing () =
  let _, errors = output (Filename.get_temp_dir_name ()) "primes" [ "1000" ] in
  Check.(check bool) errors true (Str.string_match (Str.regexp "[0-9.e+-]+ s, [0-9.e+-]+ numbers/s\n") errors 0)

(* A package has no table. *)
let tests = case "the line of timing" timing :: (if Sys.file_exists script then [ case "what they print" calls ] else [])
