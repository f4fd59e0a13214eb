(* match_parens FILE...: do the brackets of these files balance? *)

open Warpfold

let usage =
  {|usage: match_parens [--context NAME] [--explain] FILE...

Tells of each FILE whether its brackets ( [ { and } ] ) balance, and if not, the line and column of the first closing
bracket too many, or how many are left open; then the greatest depth and where it is first reached.

What is checked: every ( [ { deepens by one and every } ] ) lowers by one, whatever their kind and wherever they stand, in
comments and strings too. A file balances if the depth is never below zero and ends at zero. That the kinds match pairwise
is not checked. Lines end at a newline; columns count bytes from 1.

  --context NAME  where it runs: cpu, cuda:0, auto (the default)
  --explain       shows the plan first: the one pass over a file's bytes
  --help          this text

Exit status: 0 if all files balance, 1 if one does not, 2 for errors, such as a file that cannot be read.
|}

(* Files are memory-mapped and read in pieces of this many bytes, so memory use does not depend on their size. *)
let piece_size = 32 lsl 20

type options = { context : string option; explain : bool; files : string list }

exception Wrong_use of string

let rec parse options = function
  | [] -> { options with files = List.rev options.files }
  | "--" :: files -> { options with files = List.rev_append options.files files }
  | ("--help" | "-h") :: _ ->
      print_string usage;
      exit 0
  | "--explain" :: rest -> parse { options with explain = true } rest
  | [ "--context" ] -> raise (Wrong_use "--context takes a name, such as cpu")
  | "--context" :: name :: rest -> parse { options with context = Some name } rest
  | argument :: _ when argument <> "" && argument.[0] = '-' -> raise (Wrong_use ("unknown option " ^ argument))
  | file :: rest -> parse { options with files = file :: options.files } rest

let place (p : Brackets.position) = Printf.sprintf "%d:%d" p.line p.column

let describe (report : Brackets.report) =
  let verdict =
    match (report.surplus, report.left_open) with
    | Some p, _ -> "NOT balanced: a closing bracket too many at " ^ place p
    | None, 0 -> "balanced"
    | None, 1 -> "NOT balanced: 1 bracket left open"
    | None, n -> Printf.sprintf "NOT balanced: %d brackets left open" n
  in
  let deepest = match report.deepest with None -> "" | Some p -> " at " ^ place p in
  Printf.sprintf "%s; depth %d%s" verdict report.greatest deepest

(* A file that cannot be read counts as empty here; match_file reports it later. *)
let size file = try (Unix.LargeFile.stat file).st_size with Unix.Unix_error _ -> 0L
let total_size files = Int64.to_int (List.fold_left (fun sum file -> Int64.add sum (size file)) 0L files)
let plural n = if n = 1 then "" else "s"

let match_files options =
  Option.iter (fun name -> Context.set_default (Context.create name)) options.context;
  let progress = Progress.create (total_size options.files) in
  let bytes = ref 0 and unbalanced = ref 0 and errors = ref 0 and is_explained = ref (not options.explain) in
  let match_file file =
    let text = Seq.of_file Dtype.u8 file in
    let n = Seq.length text in
    if not !is_explained then print_endline (Brackets.plan (Seq.take (min n piece_size) text));
    is_explained := true;
    let advance here = Progress.update progress (!bytes + here) in
    let report = Brackets.match_brackets text ~piece_size ~progress:advance in
    bytes := !bytes + n;
    if not (Brackets.balanced report) then incr unbalanced;
    Progress.clear progress;
    Printf.printf "%s: %s\n%!" file (describe report)
  in
  let complain file message =
    incr errors;
    Progress.clear progress;
    Printf.eprintf "match_parens: %s: %s\n%!" file message
  in
  List.iter
    (fun file ->
      match match_file file with
      | () -> ()
      | exception Error (_, message) -> complain file message
      | exception Invalid_argument message -> complain file message)
    options.files;
  let seconds = Progress.seconds progress and n = List.length options.files in
  Printf.printf "%d file%s, %d bytes, %d not balanced, %d error%s; %.3f s, %.2f GB/s\n" n (plural n) !bytes !unbalanced
    !errors (plural !errors) seconds
    (float !bytes *. 1e-9 /. seconds);
  if !errors > 0 then 2 else if !unbalanced > 0 then 1 else 0

let () =
  match
    let options = parse { context = None; explain = false; files = [] } (List.tl (Array.to_list Sys.argv)) in
    if options.files = [] then raise (Wrong_use "no files given");
    match_files options
  with
  | status -> exit status
  | exception Wrong_use why ->
      Printf.eprintf "match_parens: %s\ntry match_parens --help\n" why;
      exit 2
  | exception Error (_, message) ->
      Printf.eprintf "match_parens: %s\n" message;
      exit 2
