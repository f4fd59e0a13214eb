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
  | _ -> Check.failf "%s was killed" name

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
        Check.(check string) contents (path ^ ": " ^ expected) (List.hd (String.split_on_char '\n' text));
        Check.(check int) contents status found)
  in
  check "" "balanced; depth 0" 0;
  check "(a [b]\n {c} )" "balanced; depth 2 at 1:4" 0;
  check "()\n )(" "NOT balanced: a closing bracket too many at 2:2; depth 1 at 1:1" 1;
  check "(\n\n  ((" "NOT balanced: 3 brackets left open; depth 3 at 3:4" 1;
  check "{" "NOT balanced: 1 bracket left open; depth 1 at 1:1" 1;
  let text, _ = with_file "()" (fun path -> run "match_parens" [ "--explain"; "--context"; "cpu"; path ]) in
  Check.(check string) "one kernel" "1 kernel" (List.hd (String.split_on_char '\n' text));
  Check.(check int) "an error" 2 (snd (run "match_parens" [ "--context"; "cpu"; "/nowhere" ]))

let mcss () =
  Check.(check (pair string int)) "3 + 4 - 1 + 5" ("11\n", 0) (run "mcss" [ "1"; "-2"; "3"; "4"; "-1"; "5"; "-9" ]);
  Check.(check (pair string int)) "the empty one" ("0\n", 0) (run "mcss" [ "-1"; "-2" ])

let map_reduce () =
  let text, status = run "map_reduce" [ "1"; "2"; "3"; "4" ] in
  Check.(check int) "status" 0 status;
  Check.(check bool) "one kernel" true (contains "1 kernel" text);
  Check.(check bool) text true (contains "mean 2.5, deviation 1.118033988749895, from 1. to 4." text)

(* The point 0 never leaves the circle; a point far outside leaves it at once. *)
let mandelbrot () =
  Test_files.with_path ".png" (fun path ->
      let width = 12 and height = 8 in
      let text, status = run "mandelbrot" [ path; string_of_int width; string_of_int height ] in
      if status <> 2 then (
        Check.(check (pair string int)) "output" ("", 0) (text, status);
        let open Warpfold in
        let picture = Files.read [ height; width; 3 ] Dtype.u8 path in
        let pixel x y = List.init 3 (fun k -> Ndarray.get picture [ y; x; k ]) in
        Check.(check (list int)) "0" [ 0; 0; 0 ] (pixel 9 4);
        Check.(check (list int)) "the corner" [ 9; 4; 1 ] (pixel 0 0)))

(* The numbers with a point that an example prints. *)
let numbers name arguments =
  let text, status = run name arguments in
  Check.(check int) name 0 status;
  let is_number c = (c >= '0' && c <= '9') || c = '.' || c = '-' in
  let words = String.split_on_char ' ' (String.map (fun c -> if is_number c then c else ' ') text) in
  List.filter_map (fun word -> if String.contains word '.' then float_of_string_opt word else None) words

let near name tolerance expected found = Check.(check (float tolerance)) name expected found

let random_numbers () =
  (match numbers "random/monte_carlo" [ "1000000" ] with
  | [ pi; pi_error; option; option_error; exact ] ->
      near "pi" (4. *. pi_error) (acos (-1.)) pi;
      near "its error" 1e-5 0.001642 pi_error;
      near "an option" (4. *. option_error) exact option;
      near "Black and Scholes" 1e-5 10.69249 exact
  | _ -> Check.fail "monte_carlo");
  (match numbers "random/particle_filter" [ "100000"; "20" ] with
  | [ distance; deviation ] -> near "particle_filter" 0.01 0. distance; near "its deviation" 1e-3 0.4537 deviation
  | _ -> Check.fail "particle_filter");
  (match numbers "random/metropolis" [ "20000"; "100" ] with
  | [ mean; variance; accepted ] -> near "mean" 0.08 3. mean; near "variance" 0.3 3. variance; near "accepted" 20. 50. accepted
  | _ -> Check.fail "metropolis");
  (match numbers "random/ising" [ "128"; "100" ] with
  | [ found; right ] -> near "magnetization" 0.01 0.9736 found; near "of an infinite square" 1e-4 0.9736 right
  | _ -> Check.fail "ising");
  match numbers "random/random_walk" [ "5000" ] with
  | _of_url :: left :: top :: width :: height :: _stroke :: points ->
      Check.(check int) "as many points" 10000 (List.length points);
      let inside k x = if k mod 2 = 0 then left < x && x < left +. width else top < x && x < top +. height in
      Check.(check bool) "inside of the picture" true (List.for_all Fun.id (List.mapi inside points))
  | _ -> Check.fail "random_walk"

let arrays () =
  let text, status = run "arrays/life" [ "65"; "50" ] in
  Check.(check (pair string int)) "life" ("64 cells live\n", 0) (text, status);
  let board, _ = run "arrays/life" [ "5"; "0" ] in
  Check.(check string) "its board" "[[. . . . .]\n [. . . . .]\n [. . . # #]\n [. . # # .]\n [. . . # .]]\n5 cells live\n" board;
  (match numbers "arrays/heat" [ "33"; "100" ] with [ found; right ] -> near "heat" 1e-6 right found | _ -> Check.fail "heat");
  let text, status = run "arrays/jacobi" [ "57" ] in
  Check.(check int) "jacobi" 0 status;
  Scanf.sscanf text "%d steps, error %f" (fun steps error ->
      near "its error" 1e-11 0. error;
      Check.(check bool) "an early exit" true (steps < 30));
  (* A vertical edge of height 255: the greatest slope of the blurred edge is 255 * 4 * (6 + 4) / 16. *)
  let width = 40 in
  Test_files.with_path ".png" (fun path ->
      Test_files.with_path ".png" (fun edges ->
          let open Warpfold in
          let picture = Ndarray.init [ 30; width ] (fun [ _; j ] -> Expr.(where (j < int 20) (u8 0) (u8 255))) in
          match Files.write path picture with
          | exception Error (Unsupported, _) -> ()
          | () ->
              Check.(check (pair string int)) "sobel" ("the strongest edge has 637.5\n", 0) (run "arrays/sobel" [ path; edges ]);
              let found = Files.read [ 24; 34 ] Dtype.u8 edges in
              Check.(check (list int)) "a row" [ 0; 63; 255; 255; 255; 255; 63; 0 ]
                (Seq.to_list (Seq.subseq (Ndarray.row 7 found) 13 8))))

let digits () =
  Test_files.with_path ".png" (fun path ->
      let text, status = run "arrays/digits" [ path ] in
      if status <> 2 then (
        Check.(check (pair string int)) "digits" ("<0,1,2,3,4,5,6,7,8,9,...,0,1,2,3,4,5,6,7,8,9>\n2000 of 2000 are right\n", 0) (text, status);
        let open Warpfold in
        let picture = Files.read [ 7; 10000 ] Dtype.u8 path in
        Check.(check (list int)) "a column of a 0" [ 151; 181; 41; 153; 202 ] (Seq.to_list (Seq.subseq (Ndarray.column 0 picture) 1 5))))

let linear_algebra () =
  let row i = Printf.sprintf "%d,%d,%d" i (i * i) (7 + (2 * i) - (3 * i * i)) in
  let table = String.concat "\n" ("x,y,z" :: List.init 20 row) ^ "\n" in
  let path = Filename.temp_file "warpfold" ".csv" in
  Test_types.write path table;
  let text, status = run "arrays/regression" [ path ] in
  Sys.remove path;
  Check.(check (pair string int)) "regression" ("7.0000 2.0000 -3.0000 with an error of 0.0000\n", 0) (text, status);
  match numbers "arrays/pca" [ "10000"; "20" ] with
  | [ part; distance ] ->
      near "pca" 0.2 99.8 part;
      near "the distance, of 18 of 20 dimensions" 0.002 (0.05 *. sqrt 0.9) distance
  | _ -> Check.fail "pca"

let gradients () =
  let text, _ = run "gradients/logistic" [ "20000"; "100" ] in
  Scanf.sscanf text "loss %f to %f, weights <%f,%f,%f,%f>, bias %f" (fun first last a b c d bias ->
      near "the loss of no model" 1e-4 (log 2.) first;
      Check.(check bool) "the loss is less" true (last < 0.45);
      List.iter2 (near "a weight" 0.08) [ 1.; -2.; 0.5; 0.; 0.25 ] [ a; b; c; d; bias ]);
  let text, _ = run "gradients/gaussian_process" [ "100"; "80" ] in
  Scanf.sscanf text "length %f, amplitude %f, noise %f; loss %f; the mean is off by %f" (fun _ _ noise loss error ->
      near "noise" 0.03 0.1 noise;
      Check.(check bool) "the loss" true (loss < -0.4);
      near "the mean" 0.25 0. error)

let tests =
  [
    case "gradients" gradients; case "arrays" arrays; case "digits" digits; case "linear algebra" linear_algebra;
    case "match_parens" match_parens; case "mcss" mcss; case "map_reduce" map_reduce; case "mandelbrot" mandelbrot;
    case "random numbers" random_numbers;
  ]
