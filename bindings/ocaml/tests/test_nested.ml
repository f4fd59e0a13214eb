(* Sequences of sequences and groups, next to lists of lists, and by their laws. *)

open Warpfold
open Support

let sizes = [ 0; 1; 2; 100_007 ]
let each test () = List.iter test sizes
let s_of = Seq.of_list Dtype.int
let lists = Check.(list (list int))
let check_lists name expected found = Check.check lists name expected (Nested.to_list found)
let ints name expected s = Check.(check (list int)) name expected (Seq.to_list s)

(* Lengths from 0 to 6, and one that is much greater, that add up to n. *)
let segments n =
  let values = Array.to_list (noise n) in
  let rec cut k = function
    | [] -> []
    | rest ->
        let wanted = if k = 5 then 5000 else k * 7 mod 11 mod 7 in
        let rec take i = function x :: more when i > 0 -> let a, b = take (i - 1) more in (x :: a, b) | rest -> ([], rest) in
        let segment, rest = take wanted rest in
        segment :: cut (k + 1) rest
  in
  cut 0 values @ [ [] ]

let parts n =
  let all = segments n in
  let s = Nested.of_list Dtype.int all in
  check_lists "to_list" all s;
  ints "flatten" (List.concat all) (Nested.flatten s);
  ints "lengths" (List.map List.length all) (Nested.lengths s);
  Check.(check int) "length" (List.length all) (Nested.length s);
  ints "ids" (List.concat (List.mapi (fun k segment -> List.map (fun _ -> k) segment) all)) (Nested.ids s);
  List.iter (fun k -> ints "get" (List.nth all k) (Nested.get s k)) [ 0; List.length all - 1; List.length all / 2 ];
  check_lists "of_lengths" all (Nested.of_lengths (s_of (List.map List.length all)) (Nested.flatten s));
  check_lists "of_offsets" all (Nested.of_offsets (Nested.offsets s) (Nested.flatten s))

let inside n =
  let all = segments n in
  let s = Nested.of_list Dtype.int all in
  let sum = List.fold_left ( + ) 0 in
  check_lists "map" (List.map (List.map (fun x -> 2 * x)) all) (Nested.map Expr.(fun x -> int 2 * x) s);
  check_lists "mapi" (List.mapi (fun k -> List.map (fun x -> k - x)) all) (Nested.mapi Expr.( - ) s);
  check_lists "filter" (List.map (List.filter (fun x -> x land 1 = 1)) all) (Nested.filter Expr.(fun x -> x land int 1 = int 1) s);
  ints "sum" (List.map sum all) (Nested.sum s);
  ints "reduce" (List.map (List.fold_left max min_int) all) (Nested.reduce Expr.max min_int s);
  let before segment = List.rev (snd (List.fold_left (fun (total, prefixes) x -> (total + x, total :: prefixes)) (0, []) segment)) in
  let prefixes, totals = Nested.scan Expr.( + ) 0 s in
  check_lists "scan" (List.map before all) prefixes;
  ints "totals" (List.map sum all) totals;
  check_lists "scan_incl" (List.map (fun l -> List.map2 ( + ) (before l) l) all) (Nested.scan_incl Expr.( + ) 0 s);
  check_lists "sort" (List.map (List.stable_sort compare) all) (Nested.sort s);
  let indexed = Nested.zip s (Nested.mapi (fun k _ -> k) s) in
  let pairs = Nested.reduce (fun (a, i) (b, j) -> Expr.(a + b, max i j)) (0, -1) indexed in
  Check.(check (list (pair int int))) "tuples"
    (List.mapi (fun k l -> (sum l, if l = [] then -1 else k)) all)
    (Seq.to_list pairs)

let plain_split f list =
  List.fold_right
    (fun x pieces -> if f x then [] :: pieces else match pieces with p :: rest -> (x :: p) :: rest | [] -> assert false)
    list [ [] ]

let splits n =
  let values = Array.to_list (noise n) in
  let s = s_of values in
  let f x = ((x mod 5) + 5) mod 5 = 0 and traced x = Expr.(((x mod int 5) + int 5) mod int 5 = int 0) in
  let pieces = plain_split f values in
  check_lists "split" pieces (Nested.split traced s);
  let rec begun = function [] -> [] | x :: rest -> ( match begun rest with (y :: _ as p) :: more when not (f y) -> (x :: p) :: more | pieces -> [ x ] :: pieces) in
  if n <= 1000 then check_lists "split_before" (begun values) (Nested.split_before traced s);
  ints "flatten of split_before" values (Nested.flatten (Nested.split_before traced s));
  check_lists "tokens" (List.filter (( <> ) []) pieces) (Nested.tokens traced s);
  check_lists "a chunk longer than the sequence" (if n = 0 then [] else [ values ]) (Nested.chunks max_int s);
  check_lists "a window longer than the sequence" [] (Nested.windows max_int s);
  ints "flatten of split" (List.filter (fun x -> not (f x)) values) (Nested.flatten (Nested.split traced s));
  List.iter
    (fun k ->
      let chunks = List.init ((n + k - 1) / k) (fun i -> List.filteri (fun j _ -> j / k = i) (if n > 1000 then [] else values)) in
      if n <= 1000 then check_lists "chunks" chunks (Nested.chunks k s);
      ints "flatten of chunks" values (Nested.flatten (Nested.chunks k s));
      let sums = Nested.sum (Nested.windows k s) in
      let prefix = Array.make (n + 1) 0 in
      List.iteri (fun i x -> prefix.(i + 1) <- prefix.(i) + x) values;
      ints "sums of windows" (List.init (max 0 (n - k + 1)) (fun i -> prefix.(i + k) - prefix.(i))) sums)
    [ 1; 3; 1000 ]

let plain_groups pairs =
  let keys = List.sort_uniq compare (List.map fst pairs) in
  let table = Hashtbl.create 100 in
  List.iter (fun (k, v) -> Hashtbl.replace table k (v :: Option.value (Hashtbl.find_opt table k) ~default:[])) pairs;
  (keys, List.map (fun k -> List.rev (Hashtbl.find table k)) keys)

let groups n =
  let pairs = List.mapi (fun i x -> (((x mod 97) + 97) mod 97, i)) (Array.to_list (noise n)) in
  let keys, values = plain_groups pairs in
  let s = Seq.of_list Dtype.(pair int int) pairs in
  let found, collected = Nested.collect s in
  ints "keys" keys found;
  check_lists "groups keep the order" values collected;
  let found, collected = Nested.collect_by Expr.( > ) s in
  ints "keys in the order of a function" (List.rev keys) found;
  check_lists "groups by a function keep the order" (List.rev values) collected;
  let by_tens = List.map (fun (k, v) -> (k / 10, (k, v))) pairs in
  let _, members = plain_groups by_tens in
  let found, collected = Nested.collect_by Expr.(fun x y -> x / int 10 < y / int 10) s in
  ints "the first key of a group" (List.map (fun group -> fst (List.hd group)) members) found;
  check_lists "groups of keys of which neither comes first" (List.map (List.map snd) members) collected;
  let found, grouped = Nested.group_by fst s in
  ints "group_by" keys found;
  check_lists "its groups" values (Nested.map snd grouped);
  let sums = List.map2 (fun k v -> (k, List.fold_left ( + ) 0 v)) keys values in
  let pairs_of name expected found = Check.(check (list (pair int int))) name expected (Seq.to_list found) in
  pairs_of "reduce_by_key" sums (Seq.reduce_by_key Expr.( + ) 0 s);
  pairs_of "count_by_key" (List.map2 (fun k v -> (k, List.length v)) keys values) (Seq.count_by_key (Seq.map fst s))

let rec plain_runs = function
  | [] -> []
  | x :: rest -> ( match plain_runs rest with (y, n) :: more when x = y -> (y, n + 1) :: more | runs -> (x, 1) :: runs)

let runs n =
  let values = List.map (fun x -> if x > 300 then 1 else if x < -800 then 2 else 3) (Array.to_list (noise n)) in
  let s = s_of values and expected = plain_runs values in
  Check.(check (list (pair int int))) "run_lengths" expected (Seq.to_list (Seq.run_lengths s));
  check_lists "runs" (List.map (fun (x, n) -> List.init n (fun _ -> x)) expected) (Nested.runs s);
  ints "dedup" (List.map fst expected) (Seq.dedup s);
  ints "dedup_by" (List.map fst expected) (Seq.dedup_by Expr.( = ) s);
  let halves = List.map (fun x -> x / 2) values in
  ints "runs by a function" (List.map snd (plain_runs halves)) (Nested.lengths (Nested.runs ~by:Expr.(fun x y -> x / int 2 = y / int 2) s))

(* A program that reads a row of a triangle, stored row after row. *)
let one_kernel () =
  let n = 1000 in
  let s = Nested.of_lengths (Seq.iota n) (Seq.init (n * (n - 1) / 2) Expr.(fun i -> cast Dtype.f64 i)) in
  let squares = Nested.sum (Nested.map Expr.(fun x -> x * x) s) in
  Seq.force (Nested.offsets s);
  let plan = explain [ Seq squares ] in
  Check.(check bool) plan true (contains "1 kernel" plan);
  Check.(check (float 0.)) "row 2" 5. (Seq.get squares 2)

let printing () =
  let s = Nested.of_list Dtype.int [ [ 1; 2 ]; []; [ 3 ] ] in
  Check.(check string) "to_string" "<<1,2>,<>,<3>>" (Nested.to_string s);
  Check.(check string) "pp" "<3 segments of i64>" (Format.asprintf "%a" Nested.pp s);
  Check.(check string) "none" "<>" (Nested.to_string (Nested.of_list Dtype.f32 []))

let errors () =
  let s = Nested.of_list Dtype.int [ [ 1; 2 ]; [ 3 ] ] and released = Seq.iota 1 in
  Seq.release released;
  names_itself "Nested.get" (fun () -> Nested.get s 2);
  names_itself "Nested.get" (fun () -> Nested.get s (-1));
  names_itself "Nested.chunks" (fun () -> Nested.chunks 0 released);
  names_itself "Nested.windows" (fun () -> Nested.windows 0 (Seq.iota 3));
  names_itself "Nested.split" (fun () -> Nested.split Expr.(fun x -> x > int 0) released);
  names_itself "Nested.runs" (fun () -> Nested.runs released);
  names_itself "Nested.of_lengths" (fun () -> Nested.of_lengths released (Seq.iota 3));
  names_itself "Nested.zip" (fun () -> Nested.zip s (Nested.of_list Dtype.int [ [] ]));
  names_itself "Seq.run_lengths" (fun () -> Seq.run_lengths released);
  let unread lengths n = Nested.of_lengths (s_of lengths) (Seq.iota n) in
  List.iter
    (fun s ->
      names_itself "Nested.to_list" (fun () -> ignore (Nested.to_list s));
      names_itself "Nested.to_string" (fun () -> ignore (Nested.to_string s)))
    [
      unread [ 1; 1 ] 3; unread [ 2; 2 ] 3; unread [ 2; -1 ] 1; unread [] 1; Nested.of_offsets (s_of [ 0; 2; 1; 3 ]) (Seq.iota 3);
      Nested.of_offsets (s_of [ 1; 3 ]) (Seq.iota 3); Nested.of_offsets (s_of []) (Seq.iota 0);
    ];
  let none = Nested.of_offsets (s_of []) (Seq.iota 0) in
  let no_offsets name = "Warpfold.Nested." ^ name ^ ": there are no offsets, expected one more than segments" in
  List.iter
    (fun (name, call) -> Check.check_raises name (Invalid_argument (no_offsets name)) call)
    [
      ("length", fun () -> ignore (Nested.length none)); ("lengths", fun () -> ignore (Nested.lengths none));
      ("get", fun () -> ignore (Nested.get none 0)); ("to_list", fun () -> ignore (Nested.to_list none));
    ];
  Check.check_raises "the end of no segments" (Invalid_argument "Warpfold.Nested.to_list: offset 0 of 1 is 0, expected 1, the number of values")
    (fun () -> ignore (Nested.to_list (unread [] 1)));
  List.iter
    (fun (offsets, expected) -> says expected (fun () -> Seq.force (Nested.sum (Nested.of_offsets (s_of offsets) (Seq.iota 3)))))
    [
      ([ 0; 2; 1; 3 ], "offset 2 of segments is 1, below offset 1, which is 2"); ([ 1; 3 ], "offset 0 of segments is 1; expected 0");
      ([ 0; 2 ], "offset 1 of segments, the last one, is 2; expected 3, the number of values");
    ];
  raises_invalid "wrong offsets" (fun () -> Seq.force (Nested.sum (Nested.of_lengths (s_of [ 2; 2 ]) (Seq.iota 3))));
  raises_invalid "a negative length" (fun () -> Seq.force (Nested.sum (Nested.of_lengths (s_of [ 2; -1 ]) (Seq.iota 1))))

(* Words of few letters, so that many are equal or prefixes of others. *)
let words seed n = List.init n (fun k -> List.init ((k * 7919 * seed) mod 5) (fun j -> ((k * 31 * seed) + (j * j)) mod 3))
let nested lists = Nested.of_list Dtype.int lists

let by_content () =
  let open Nested.By_content in
  let same name expected s = Check.(check (list (list int))) name expected (Nested.to_list s) in
  List.iter
    (fun (n, m) ->
      let xs = words 1 n and ys = words 3 m in
      let sorted = List.sort Stdlib.compare in
      (* Shorter words come first if they are prefixes, as in Stdlib.compare of lists. *)
      same "sort" (sorted xs) (sort (nested xs));
      same "sort_uniq" (List.sort_uniq Stdlib.compare xs) (sort_uniq (nested xs));
      same "dedup" (List.rev (List.fold_left (fun kept x -> if List.mem x (List.filteri (fun i _ -> i = 0) kept) then kept else x :: kept) [] xs)) (dedup (nested xs));
      same "merge" (List.merge Stdlib.compare (sorted xs) (sorted ys)) (merge (nested (sorted xs)) (nested (sorted ys)));
      Check.(check int) "compare" (Stdlib.compare xs ys) (compare (nested xs) (nested ys));
      Check.(check int) "compare with itself" 0 (compare (nested xs) (nested xs));
      let below after y = List.length (List.filter (fun x -> Stdlib.compare x y < 0 || (after && x = y)) xs) in
      List.iter
        (fun after ->
          check_ints "binary_search" (Array.of_list (List.map (below after) ys)) (binary_search ~after (nested (sorted xs)) (nested ys)))
        [ false; true ];
      (match sorted xs with
      | [] -> raises_invalid "argmax of none" (fun () -> Scalar.get (argmax (nested xs)))
      | some ->
          let greatest = List.nth some (List.length some - 1) in
          let rec first k = function x :: rest -> if x = greatest then k else first (k + 1) rest | [] -> assert false in
          Check.(check int) "argmax" (first 0 xs) (Scalar.get (argmax (nested xs))));
      same "append" (xs @ ys) (Nested.append (nested xs) (nested ys));
      List.iter
        (fun k ->
          if 0 <= k && k < n then
            List.iter
              (fun x -> same "update" (List.mapi (fun i y -> if i = k then x else y) xs) (Nested.update (nested xs) k (s_of x)))
              [ []; [ 9; 8; 7; 6; 5; 4 ] ])
        [ 0; 1; n - 1 ];
      let lengths = List.map List.length xs in
      same "init" (List.mapi (fun i n -> List.init n (fun j -> (100 * i) + j)) lengths) (Nested.init (s_of lengths) Expr.(fun i j -> (int 100 * i) + j)))
    [ (0, 0); (0, 2); (1, 0); (1, 1); (33, 2); (300, 1025) ];
  let text = Nested.tokens Expr.(fun c -> c = u8 32) (Seq.of_string "to be or not to be") in
  Check.(check string) "words" "<<98,101>,<110,111,116>,<111,114>,<116,111>>" (Nested.to_string (sort_uniq text));
  raises_invalid "update out of range" (fun () -> Nested.update text 6 (Seq.of_string "x"))

let tests =
  [
    case "segments as elements" by_content;
    case "parts" (each parts); case "inside segments" (each inside); case "split, chunks, windows" (each splits);
    case "collect and group_by" (each groups); case "runs" (each runs); case "one kernel" one_kernel; case "printing" printing;
    case "errors" errors;
  ]
