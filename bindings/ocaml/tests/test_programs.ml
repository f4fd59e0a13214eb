(* The shorter example programs, run as processes: their results, of which the greater ones were computed by plain OCaml, and their line of timing. *)

open Support

let run name arguments = Test_examples.run name arguments
let with_file = Test_examples.with_file
let lines text = List.filter (( <> ) "") (String.split_on_char '\n' text)
let strings = Check.(list string)

(* The lines that a program prints. *)
let output name arguments =
  let text, status = run name arguments in
  Check.(check int) (name ^ "'s status") 0 status;
  lines text

let check name arguments expected = Check.check strings name expected (output name arguments)
let fails name arguments = Check.(check int) name 2 (snd (run name arguments))

let primes () =
  check "primes" [ "2" ] [ "0 primes below 2, the last ones <>" ];
  check "primes" [ "3" ] [ "1 primes below 3, the last ones <2>" ];
  check "primes" [ "122" ] [ "30 primes below 122, the last ones <107,109,113>" ];
  check "primes" [ "1000003" ] [ "78498 primes below 1000003, the last ones <999961,999979,999983>" ]

let word_counts () =
  with_file (String.concat " , " (List.init 5000 (fun i -> String.make (1 + (i * i mod 7)) 'a'))) (fun path ->
      check "word_counts" [ path ] [ "1429 aa"; "1428 aaaaa"; "1428 aaa"; "715 a" ]);
  with_file "It is what it is, is IT?" (fun path -> check "word_counts" [ path ] [ "3 it"; "3 is"; "1 what" ]);
  with_file "12, 3." (fun path -> check "word_counts" [ path ] []);
  fails "word_counts" [ "/nowhere" ]

let quicksort () = List.iter (fun n -> check "quicksort" [ n ] [ "quicksort: sorted"; "samplesort: sorted" ]) [ "0"; "1"; "100007" ]

let sparse_product () = check "sparse_product" [ "3000" ] [ "3000 rows, 24496 entries, sum 36832, last 1" ]

let n_body () =
  match output "n_body" [ "300"; "20" ] with
  | [ line ] -> Scanf.sscanf line "energy %f, after %d steps %f" (fun before _ after ->
      Check.(check (float 1e-3)) line before after;
      Check.(check bool) line true (before < 0.))
  | other -> Check.failf "%d lines" (List.length other)

let run_length () =
  let text = String.init 5000 (fun i -> if i * i mod 1013 < 700 then 'a' else 'b') in
  let rec code i = if i = 5000 then "" else
    let rec stop j = if j < 5000 && text.[j] = text.[i] then stop (j + 1) else j in
    Printf.sprintf "%d%c%s" (stop i - i) text.[i] (code (stop i)) in
  check "run_length" [ text ] [ code 0; text ];
  check "run_length" [ "" ] []

let moving_average () =
  check "moving_average" [ "2"; "1"; "2"; "4"; "-4" ] [ "<1.5,3,0>"; "<1.5,3,0>" ];
  check "moving_average" [ "4"; "1"; "2"; "4"; "-3" ] [ "<1>"; "<1>" ];
  check "moving_average" [ "3"; "1"; "2" ] [ "<>"; "<>" ];
  fails "moving_average" [ "x" ]

let big_sum () =
  check "big_sum" [ String.make 5000 '9'; "1" ] [ "1" ^ String.make 5000 '0' ];
  check "big_sum" [ "0"; "000" ] [ "0" ];
  check "big_sum" [ "123456789"; "987654321" ] [ "1111111110" ];
  let nines n = String.make n '9' in
  check "big_sum" [ nines 4000; nines 4000 ] [ "1" ^ nines 3999 ^ "8" ];
  fails "big_sum" [ "12"; "x" ]

let bfs () =
  let n = 100_000 in
  let chain = String.concat "" (List.init n (fun v -> Printf.sprintf "%d %d\n" v ((v + 25_000) mod n))) in
  with_file chain (fun path -> check "bfs" [ path; "7" ] [ "1 1 1 1" ]);
  with_file "0 1\n0 2\n1 3\n2 3\n3 4\n3 0\n5 6\n" (fun path -> check "bfs" [ path ] [ "1 2 1 1" ])

let page_rank () = check "page_rank" [ "500" ] [ "sum 1.000000"; "page 0: 0.056578"; "page 1: 0.039020"; "page 3: 0.027827" ]

let nearest () =
  check "nearest" [ "4"; "400" ]
    [
      "point 7, distance 0.040387"; "point 386, distance 0.043545"; "point 31, distance 0.050163"; "point 17, distance 0.051711";
      "mean distance to the nearest 0.030827";
    ];
  fails "nearest" [ "5"; "4" ]

(* The line of timing, on stderr. *)
let timing () =
  with_file "" (fun path ->
      let status = Sys.command (Filename.quote_command "../examples/primes.exe" ~stderr:path ~stdout:"/dev/null" [ "1000" ]) in
      Check.(check int) "status" 0 status;
      let text = Header.read path in
      Check.(check bool) text true (Str.string_match (Str.regexp "[0-9.e+-]+ s, [0-9.e+-]+ numbers/s\n") text 0))

let tests =
  [
    case "primes" primes; case "word_counts" word_counts; case "quicksort" quicksort; case "sparse_product" sparse_product;
    case "n_body" n_body; case "run_length" run_length; case "moving_average" moving_average; case "big_sum" big_sum; case "bfs" bfs;
    case "page_rank" page_rank; case "nearest" nearest; case "the line of timing" timing;
  ]
