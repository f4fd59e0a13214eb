(* Checks of values, which are shown by their types, and a runner of tests. *)

type 'a t = { pp : Format.formatter -> 'a -> unit; same : 'a -> 'a -> bool }

exception Failed of string

let testable pp same = { pp; same }
let fail text = raise (Failed text)
let failf format = Format.kasprintf fail format
let check t name expected found = if not (t.same expected found) then failf "%s: expected %a, found %a" name t.pp expected t.pp found

let printed format = testable (fun out x -> Format.fprintf out format x) ( = )
let int = printed "%d"
let int32 = printed "%ld"
let int64 = printed "%Ld"
let bool = printed "%b"
let string = printed "%S"
let float tolerance = testable (fun out x -> Format.fprintf out "%h" x) (fun x y -> compare x y = 0 || Float.abs (x -. y) <= tolerance)

let list t =
  let separator out () = Format.pp_print_string out "; " in
  testable
    (fun out xs -> Format.fprintf out "[%a]" (Format.pp_print_list ~pp_sep:separator t.pp) xs)
    (fun xs ys -> List.compare_lengths xs ys = 0 && List.for_all2 t.same xs ys)

let seen_as convert t = testable (fun out x -> t.pp out (convert x)) (fun x y -> t.same (convert x) (convert y))
let array t = seen_as Array.to_list (list t)
let option t = seen_as Option.to_list (list t)
let pair s t = testable (fun out (x, y) -> Format.fprintf out "(%a, %a)" s.pp x t.pp y) (fun (x, y) (a, b) -> s.same x a && t.same y b)

let check_raises name expected f =
  match f () with
  | exception e when e = expected -> ()
  | exception e -> failf "%s: raised %s" name (Printexc.to_string e)
  | () -> failf "%s: raised nothing" name

let contains part text = match Str.search_forward (Str.regexp_string part) text 0 with exception Not_found -> false | _ -> true

(* Runs the tests whose group or name contains one of the program's arguments, all without arguments, and prints how many passed. *)
let run groups =
  let words = List.tl (Array.to_list Sys.argv) and passed = ref 0 and failed = ref 0 in
  let test group (name, f) =
    let name = group ^ ": " ^ name in
    if words = [] || List.exists (fun word -> contains word name) words then (
      match f () with
      | () -> incr passed; Printf.printf "[OK] %s\n%!" name
      | exception e ->
          incr failed;
          Printf.printf "[FAIL] %s\n%s\n%!" name (match e with Failed text -> text | e -> Printexc.to_string e))
  in
  List.iter (fun (group, tests) -> List.iter (test group) tests) groups;
  if !passed = 0 then incr failed;
  Printf.printf "%d passed, %d failed, 0 skipped\n" !passed !failed;
  exit (Stdlib.min 1 !failed)
