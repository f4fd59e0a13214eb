(* Sequences of sequences: segments as elements, plans, texts, errors. Test_values has the values of functions of segments. *)

open Warpfold
open Support

let s_of = Seq.of_list Dtype.int

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
    case "one kernel" one_kernel; case "printing" printing;
    case "errors" errors;
  ]
