(* The example programs, run as processes. *)

open Support

let rec read_all channel buffer =
  match Buffer.add_channel buffer channel 1 with
  | () -> read_all channel buffer
  | exception End_of_file -> Buffer.contents buffer

(* The output and exit status of an example. *)
let run name arguments =
  let channel = Unix.open_process_in (Filename.quote_command ("../examples/" ^ name ^ ".exe") arguments) in
  let text = read_all channel (Buffer.create 1000) in
  match Unix.close_process_in channel with
  | Unix.WEXITED status -> (text, status)
  | _ -> Alcotest.failf "%s was killed" name

let with_file contents f =
  let path = Filename.temp_file "warpfold" ".txt" in
  let channel = open_out_bin path in
  output_string channel contents;
  close_out channel;
  Fun.protect ~finally:(fun () -> Sys.remove path) (fun () -> f path)

let match_parens () =
  let check contents expected status =
    with_file contents (fun path ->
        let text, found = run "match_parens" [ path ] in
        Alcotest.(check string) contents (path ^ ": " ^ expected) (List.hd (String.split_on_char '\n' text));
        Alcotest.(check int) contents status found)
  in
  check "" "balanced; depth 0" 0;
  check "(a [b]\n {c} )" "balanced; depth 2 at 1:4" 0;
  check "()\n )(" "NOT balanced: a closing bracket too many at 2:2; depth 1 at 1:1" 1;
  check "(\n\n  ((" "NOT balanced: 3 brackets left open; depth 3 at 3:4" 1;
  check "{" "NOT balanced: 1 bracket left open; depth 1 at 1:1" 1;
  let text, _ = with_file "()" (fun path -> run "match_parens" [ "--explain"; "--context"; "cpu"; path ]) in
  Alcotest.(check string) "one kernel" "1 kernel" (List.hd (String.split_on_char '\n' text));
  Alcotest.(check int) "an error" 2 (snd (run "match_parens" [ "--context"; "cpu"; "/nowhere" ]))

let mcss () =
  Alcotest.(check (pair string int)) "3 + 4 - 1 + 5" ("11\n", 0) (run "mcss" [ "1"; "-2"; "3"; "4"; "-1"; "5"; "-9" ]);
  Alcotest.(check (pair string int)) "the empty one" ("0\n", 0) (run "mcss" [ "-1"; "-2" ])

let map_reduce () =
  let text, status = run "map_reduce" [ "1"; "2"; "3"; "4" ] in
  Alcotest.(check int) "status" 0 status;
  Alcotest.(check bool) "one kernel" true (contains "1 kernel" text);
  Alcotest.(check bool) text true (contains "mean 2.5, deviation 1.118033988749895, from 1. to 4." text)

(* The point 0 never leaves the circle; a point far outside leaves it at once. *)
let mandelbrot () =
  let width = 12 and height = 8 in
  let text, status = run "mandelbrot" [ string_of_int width; string_of_int height ] in
  let header = "P6\n12 8\n255\n" in
  Alcotest.(check int) "status" 0 status;
  Alcotest.(check int) "size" (String.length header + (3 * width * height)) (String.length text);
  let pixel x y = String.sub text (String.length header + (3 * ((y * width) + x))) 3 in
  Alcotest.(check string) "0" "\000\000\000" (pixel 9 4);
  Alcotest.(check string) "the corner" "\009\004\001" (pixel 0 0)

let tests =
  [ case "match_parens" match_parens; case "mcss" mcss; case "map_reduce" map_reduce; case "mandelbrot" mandelbrot ]
