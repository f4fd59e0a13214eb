(* The shorter example programs, run as processes: their results next to plain OCaml, and their line of timing. *)

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

let plain_words text =
  let lower = String.lowercase_ascii text in
  let words = String.split_on_char ' ' (String.map (fun c -> if c >= 'a' && c <= 'z' then c else ' ') lower) in
  let words = List.filter (( <> ) "") words in
  let table = Hashtbl.create 100 in
  List.iter (fun w -> Hashtbl.replace table w (1 + Option.value (Hashtbl.find_opt table w) ~default:0)) words;
  let seen = Hashtbl.create 100 in
  let first w = if Hashtbl.mem seen w then false else (Hashtbl.add seen w (); true) in
  let distinct = List.filter first words in
  List.stable_sort (fun v w -> compare (Hashtbl.find table w) (Hashtbl.find table v)) distinct
  |> List.map (fun w -> Printf.sprintf "%d %s" (Hashtbl.find table w) w)

let word_counts () =
  let text = Header.read "../README.md" in
  check "word_counts" [ "../README.md"; "25" ] (List.filteri (fun i _ -> i < 25) (plain_words text));
  with_file "It is what it is, is IT?" (fun path -> check "word_counts" [ path ] [ "3 it"; "3 is"; "1 what" ]);
  with_file "12, 3." (fun path -> check "word_counts" [ path ] []);
  fails "word_counts" [ "/nowhere" ]

let quicksort () = List.iter (fun n -> check "quicksort" [ n ] [ "quicksort: sorted"; "samplesort: sorted" ]) [ "0"; "1"; "100007" ]

let sparse_product () =
  let n = 3000 in
  let rec rows r start total last =
    if r = n then (total, last, start)
    else
      let length = n / (r + 1) in
      let entry i = float ((i mod 10) - 4) *. float (i * 7919 mod n mod 7) in
      let y = List.fold_left (fun y k -> y +. entry (start + k)) 0. (List.init length Fun.id) in
      rows (r + 1) (start + length) (total +. y) y
  in
  let total, last, entries = rows 0 0 0. 0. in
  check "sparse_product" [ string_of_int n ] [ Printf.sprintf "%d rows, %d entries, sum %.0f, last %.0f" n entries total last ]

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
  let digits seed = String.init 4000 (fun i -> Char.chr (48 + ((i * seed) + (i * i mod 97)) mod 10)) in
  let a = digits 7 and b = digits 3 in
  let carry = ref 0 in
  let sum = Array.make 4000 0 in
  for i = 3999 downto 0 do
    let s = Char.code a.[i] + Char.code b.[i] - 96 + !carry in
    sum.(i) <- s mod 10;
    carry := s / 10
  done;
  let expected = (if !carry = 1 then "1" else "") ^ String.concat "" (Array.to_list (Array.map string_of_int sum)) in
  let rec trimmed s = if s.[0] = '0' then trimmed (String.sub s 1 (String.length s - 1)) else s in
  check "big_sum" [ a; b ] [ trimmed expected ];
  fails "big_sum" [ "12"; "x" ]

let bfs () =
  let n = 2000 in
  let edges = List.concat_map (fun v -> List.map (fun k -> (v, ((v * 37) + (k * 991)) mod n)) [ 1; 2; 5 ]) (List.init n Fun.id) in
  let distance = Array.make n (-1) in
  let rec rounds frontier d =
    let fresh = List.sort_uniq compare (List.filter (fun v -> distance.(v) < 0) frontier) in
    List.iter (fun v -> distance.(v) <- d) fresh;
    if fresh = [] then [] else string_of_int (List.length fresh) :: rounds (List.concat_map (fun v -> List.filter_map (fun (a, b) -> if a = v then Some b else None) (List.filteri (fun i _ -> i / 3 = v) edges)) fresh) (d + 1)
  in
  with_file (String.concat "" (List.map (fun (a, b) -> Printf.sprintf "%d %d\n" a b) edges)) (fun path ->
      check "bfs" [ path; "7" ] [ String.concat " " (rounds [ 7 ] 0) ]);
  with_file "0 1\n0 2\n1 3\n2 3\n3 4\n3 0\n5 6\n" (fun path -> check "bfs" [ path ] [ "1 2 1 1" ])

let page_rank () =
  let n = 500 in
  let links p = List.init (p mod 5) (fun k -> p / (k + 2)) in
  let step rank =
    let next = Array.make n 0. in
    let lost = ref 0. in
    Array.iteri (fun p r ->
        match links p with
        | [] -> lost := !lost +. r
        | all -> List.iter (fun q -> next.(q) <- next.(q) +. (r /. float (List.length all))) all) rank;
    Array.map (fun received -> (0.15 /. float n) +. (0.85 *. (received +. (!lost /. float n)))) next
  in
  let rec run k rank = if k = 0 then rank else run (k - 1) (step rank) in
  let ranks = run 30 (Array.make n (1. /. float n)) in
  let best = List.stable_sort (fun (_, a) (_, b) -> compare b a) (List.mapi (fun p r -> (p, r)) (Array.to_list ranks)) in
  let top = List.map (fun (p, r) -> Printf.sprintf "page %d: %.6f" p r) (List.filteri (fun i _ -> i < 3) best) in
  check "page_rank" [ string_of_int n ] ("sum 1.000000" :: top)

let nearest () =
  let n = 400 in
  let place i a m = float (i * a mod m) /. float m in
  let points = Array.init n (fun i -> (place i 7919 10007, place i 104729 9973)) in
  let distance (x, y) (x', y') = sqrt (((x -. x') ** 2.) +. ((y -. y') ** 2.)) in
  let least i = Array.fold_left min infinity (Array.mapi (fun j q -> if i = j then infinity else distance points.(i) q) points) in
  let mean = List.fold_left (fun t i -> t +. least i) 0. (List.init n Fun.id) /. float n in
  let from_centre = List.sort compare (List.init n (fun i -> (distance points.(i) (0.5, 0.5), i))) in
  let top = List.map (fun (d, i) -> Printf.sprintf "point %d, distance %.6f" i d) (List.filteri (fun i _ -> i < 4) from_centre) in
  check "nearest" [ "4"; string_of_int n ] (top @ [ Printf.sprintf "mean distance to the nearest %.6f" mean ]);
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
