(* Reductions by name, searches, sequential steps, sets: next to the standard library, and by their laws. *)

open Warpfold
open Support

let lengths = [ 0; 1; 2; 100_007 ]
let each test () = List.iter test lengths
let s_of = Seq.of_array Dtype.int
let ints name expected found = Check.(check int) name expected found
let bool name expected found = Check.(check bool) name expected found

let reductions n =
  let a = noise n in
  let s = s_of a in
  let sum = Array.fold_left ( + ) 0 a in
  ints "sum" sum (Scalar.get (Seq.sum s));
  ints "product" (Array.fold_left ( * ) 1 a) (Scalar.get (Seq.product s));
  ints "dot" (Array.fold_left (fun t x -> t + (x * x)) 0 a) (Scalar.get (Seq.dot s s));
  ints "count_if" (List.length (List.filter (fun x -> x > 3) (Array.to_list a))) (Scalar.get (Seq.count_if Expr.(fun x -> x > int 3) s));
  let mean = Seq.mean (Seq.map Expr.(cast Dtype.f64) s) in
  if n = 0 then bool "mean" true (Float.is_nan (Scalar.get mean))
  else (
    Check.(check (float 1e-9)) "mean" (float sum /. float n) (Scalar.get mean);
    let low = Array.fold_left min max_int a and high = Array.fold_left max min_int a in
    ints "min" low (Scalar.get (Seq.min s));
    ints "max" high (Scalar.get (Seq.max s));
    Check.(check (pair int int)) "minmax" (low, high) (Scalar.get (Seq.minmax s)))

(* Several at once are one kernel. *)
let one_pass () =
  let s = Seq.of_array Dtype.f64 (Array.init 1000 float) in
  let plan = explain [ Scalar (Seq.mean s); Scalar (Seq.minmax s); Scalar (Seq.count_if Expr.(fun x -> x > f64 3.) s) ] in
  bool plan true (contains "1 kernel" plan);
  bool "f32" true (Dtype.name (Scalar.dtype (Seq.mean (Seq.of_list Dtype.f32 [ 1. ]))) = "f32");
  let plan = explain [ Scalar (Seq.map_reduce Expr.(fun x -> x * x) Expr.( + ) 0. s) ] in
  bool plan true (contains "1 kernel" plan)

let after_a_map n =
  let a = noise n in
  let s = s_of a in
  let square x = Expr.(x * x) and add = Expr.( + ) in
  let mapped = Seq.map square s in
  let same name x y = check_ints name (Seq.to_array x) y in
  ints "map_reduce" (Scalar.get (Seq.reduce add 0 mapped)) (Scalar.get (Seq.map_reduce square add 0 s));
  let before, total = Seq.map_scan square add 0 s in
  same "map_scan" (fst (Seq.scan add 0 mapped)) before;
  let including = Seq.map_scan_incl square add 0 s in
  same "map_scan_incl" (Seq.scan_incl add 0 mapped) including;
  ints "the total" (if n = 0 then 0 else Seq.get including (n - 1)) (Scalar.get total);
  let odd x = Expr.(x land int 1 = int 1) in
  same "map_filter" (Seq.filter odd mapped) (Seq.map_filter square odd s);
  let chosen = List.filteri (fun i x -> (i + (i * x)) land 3 = 0) (Array.to_list a) in
  let products = List.concat (List.mapi (fun i x -> if (i + (i * x)) land 3 = 0 then [ i * x ] else []) (Array.to_list a)) in
  ints "as many" (List.length chosen) (List.length products);
  check_ints "map_filteri" (Array.of_list products)
    (Seq.map_filteri Expr.( * ) (fun i x -> Expr.((i + x) land int 3 = int 0)) s);
  let sorted = Seq.sort s in
  same "map_merge" (Seq.merge (Seq.map Expr.(fun x -> x + int 1) sorted) (Seq.map Expr.(fun x -> x + int 1) sorted))
    (Seq.map_merge Expr.(fun x -> x + int 1) Expr.( < ) sorted sorted)

let index_of f a =
  let rec from i = if i = Array.length a then None else if f a.(i) then Some i else from (i + 1) in
  from 0

let searches n =
  let a = noise n in
  let s = s_of a in
  List.iter
    (fun k -> Check.(check (option int)) "find_index" (index_of (fun x -> x > k) a) (Seq.find_index Expr.(fun x -> x > int k) s))
    [ -2000; 990; 1000; 5000 ];
  let indices f = Array.of_list (List.filter (fun i -> f i a.(i)) (List.init n Fun.id)) in
  check_ints "pack_index" (indices (fun _ x -> x mod 3 = 0)) (Seq.pack_index Expr.(fun x -> x mod int 3 = int 0) s);
  check_ints "filteri" (Array.map (fun i -> a.(i)) (indices (fun i x -> i * x mod 3 = 0))) (Seq.filteri Expr.(fun i x -> i * x mod int 3 = int 0) s);
  let yes, no = Seq.partition Expr.(fun x -> x > int 0) s in
  let plain_yes, plain_no = List.partition (fun x -> x > 0) (Array.to_list a) in
  check_ints "partition" (Array.of_list plain_yes) yes;
  check_ints "the others" (Array.of_list plain_no) no;
  if n > 0 then (
    let first value = Option.get (index_of (fun x -> x = value) a) in
    let greatest = first (Array.fold_left max min_int a) and least = first (Array.fold_left min max_int a) in
    ints "argmax" greatest (Scalar.get (Seq.argmax s));
    ints "argmin" least (Scalar.get (Seq.argmin s));
    ints "argmax_by" least (Scalar.get (Seq.argmax_by Expr.( > ) s));
    ints "of pairs" greatest (Scalar.get (Seq.argmax_by (fun (_, x) (_, y) -> Expr.(x < y)) (Seq.enumerate s))))

let special_extremes () =
  let s = Seq.of_list Dtype.f64 in
  ints "NaN is less" 3 (Scalar.get (Seq.argmax (s [ nan; -1.; nan; 2.; nan; 2. ])));
  ints "NaN is greater" 1 (Scalar.get (Seq.argmin (s [ nan; -1.; nan; 2.; nan; -1. ])));
  ints "nothing but NaN" 0 (Scalar.get (Seq.argmax (s [ nan; nan ])));
  ints "infinities" 0 (Scalar.get (Seq.argmax (s [ neg_infinity; neg_infinity ])));
  ints "bools" 1 (Scalar.get (Seq.argmax (Seq.of_list Dtype.bool [ false; true; true ])))

(* The identities are values of the OCaml types; inner reductions have the same. *)
let extremes_of_none () =
  let extremes dtype =
    let none = Seq.empty dtype in
    (Scalar.get (Seq.min none), Scalar.get (Seq.max none))
  in
  let inner dtype =
    let none = Inner.seq (Seq.empty dtype) in
    (Seq.get (Seq.init 1 (fun _ -> Inner.min none)) 0, Seq.get (Seq.init 1 (fun _ -> Inner.max none)) 0)
  in
  bool "int" true (extremes Dtype.int = (max_int, min_int) && inner Dtype.int = (max_int, min_int));
  bool "i64" true (extremes Dtype.i64 = Int64.(max_int, min_int) && inner Dtype.i64 = Int64.(max_int, min_int));
  bool "u8" true (extremes Dtype.u8 = (255, 0) && inner Dtype.u8 = (255, 0));
  bool "f32" true (extremes Dtype.f32 = (infinity, neg_infinity) && inner Dtype.f32 = (infinity, neg_infinity));
  bool "bool" true (extremes Dtype.bool = (true, false) && inner Dtype.bool = (true, false));
  bool "minmax" true (Scalar.get (Seq.minmax (Seq.iota 0)) = (max_int, min_int));
  bool "a filter without results" true (Scalar.get (Seq.min (Seq.filter Expr.(fun x -> x < int 0) (Seq.iota 100_007))) = max_int)

let equalities n =
  let a = noise n in
  let s = s_of a in
  bool "equal" true (Seq.equal Expr.( = ) s (s_of a));
  bool "other lengths" false (Seq.equal Expr.( = ) s (Seq.append s (Seq.iota 1)));
  bool "another type" true (Seq.equal Expr.(fun x y -> cast Dtype.f64 x = y) s (Seq.map Expr.(fun x -> cast Dtype.f64 x) s));
  ints "compare" 0 (Seq.compare s s);
  ints "a prefix is less" (-1) (Seq.compare s (Seq.append s (Seq.iota 1)));
  ints "and greater" 1 (Seq.compare_by Expr.( < ) (Seq.append s (Seq.iota 1)) s);
  if n > 0 then (
    let last = Seq.update s (n - 1) 5000 in
    bool "the last differs" false (Seq.equal Expr.( = ) s last);
    ints "less at the last" (-1) (Seq.compare s last);
    ints "by the opposite" 1 (Seq.compare_by Expr.( > ) s last);
    ints "the first decides" 1 (Seq.compare (Seq.update s 0 6000) last))

(* Lexicographic, as compare of lists. *)
let lexicographic () =
  let lists = [ []; [ (0, 1.) ]; [ (0, 1.); (2, 3.) ]; [ (0, 2.) ]; [ (1, -1.); (0, 0.) ]; [ (1, -1.) ] ] in
  let s = Seq.of_list Dtype.(pair int f64) in
  List.iter (fun x -> List.iter (fun y -> ints "compare" (compare x y) (Seq.compare (s x) (s y))) lists) lists

(* A linear congruential generator with feedback: not associative. *)
let steps n =
  let a = noise n in
  let s = s_of a in
  let step x y = ((x * 5) + y) mod 1009 in
  let traced x y = Expr.(((x * int 5) + y) mod int 1009) in
  let state = ref 7 in
  let before = Array.map (fun y -> let x = !state in state := step x y; x) a in
  ints "iterate" !state (Scalar.get (Seq.iterate Dtype.int traced 7 s));
  let found, last = Seq.iterate_prefixes Dtype.int traced 7 s in
  check_ints "iterate_prefixes" before found;
  ints "the last" !state (Scalar.get last);
  check_ints "iterate_prefixes_incl" (Array.mapi (fun i x -> step x a.(i)) before) (Seq.iterate_prefixes_incl Dtype.int traced 7 s)

let steps_of_tuples () =
  let s = Seq.init 1000 Expr.(fun i -> cast Dtype.f64 i) in
  let f (k, m) x = Expr.(k + int 1, max (m * f64 0.5) x) in
  Check.(check (pair int (float 0.))) "states that are pairs" (1000, 999.) (Scalar.get (Seq.iterate Dtype.(pair int f64) f (0, 0.) s));
  let _, last = Seq.iterate_prefixes Dtype.(pair int f64) f (0, 0.) s in
  Check.(check (pair int (float 0.))) "prefixes" (1000, 999.) (Scalar.get last)

let sets n =
  let a = Array.to_list (Array.map (fun x -> x / 2) (noise n)) and b = Array.to_list (noise ((n / 3) + 5)) in
  let module Ints = Set.Make (Int) in
  let list set = Array.of_list (Ints.elements set) and p = Ints.of_list a and q = Ints.of_list b in
  let s = Seq.sort_uniq (Seq.of_list Dtype.int a) and t = Seq.sort_uniq (Seq.of_list Dtype.int b) in
  check_ints "sort_uniq" (list p) s;
  check_ints "union" (list (Ints.union p q)) (Seq.union s t);
  check_ints "inter" (list (Ints.inter p q)) (Seq.inter s t);
  check_ints "diff" (list (Ints.diff p q)) (Seq.diff s t);
  bool "is_sorted" true (Seq.is_sorted s);
  bool "descending" (n < 2) (Seq.is_sorted ~descending:true (Seq.sort (Seq.iota n)));
  let position x = List.length (List.filter (fun y -> y < x) (Ints.elements p)) in
  let needles = List.filteri (fun i _ -> i < 300) b in
  check_ints "binary_search" (Array.of_list (List.map position needles)) (Seq.binary_search s (Seq.of_list Dtype.int needles));
  let k = min n 10 in
  let greatest = List.filteri (fun i _ -> i < k) (List.sort (fun x y -> compare y x) a) in
  check_ints "top_k" (Array.of_list greatest) (Seq.top_k k (Seq.of_list Dtype.int a));
  check_ints "all" (Array.of_list (List.sort (fun x y -> compare y x) a)) (Seq.top_k (n + 1) (Seq.of_list Dtype.int a));
  Check.check_raises "negative" (Invalid_argument "Warpfold.Seq.top_k: k is -1, expected 0 or more") (fun () ->
      ignore (Seq.top_k (-1) (Seq.of_list Dtype.int a)))

let sets_of_tuples () =
  let pairs = [ (1, 0.5); (1, -0.5); (0, 2.); (1, 0.5); (0, nan); (0, 2.); (0, nan); (1, -0.); (1, 0.) ] in
  let s = Seq.of_list Dtype.(pair int f64) pairs in
  Check.(check string) "in the order of sort" "<(0,2.),(0,nan),(1,-0.5),(1,-0.),(1,0.),(1,0.5)>" (Seq.to_string (Seq.sort_uniq s));
  let t = Seq.sort_uniq (Seq.of_list Dtype.(pair int f64) [ (0, nan); (1, 0.); (7, 1.) ]) in
  Check.(check string) "inter" "<(0,nan),(1,0.)>" (Seq.to_string (Seq.inter (Seq.sort_uniq s) t));
  ints "places" 5 (Seq.get (Seq.binary_search (Seq.sort_uniq s) (Seq.singleton Dtype.(pair int f64) (1, 0.25))) 0);
  Check.(check string) "dedup keeps the order" "<3,1,3,2>" (Seq.to_string (Seq.dedup (Seq.of_list Dtype.u8 [ 3; 3; 1; 3; 2; 2; 2 ])))

let rec sum_by_halves s =
  match Seq.split_mid s with Empty -> 0 | One x -> x | Pair (left, right) -> sum_by_halves left + sum_by_halves right

let rec by_heads s = match Seq.split_head s with Nil -> [] | Cons (x, rest) -> x :: by_heads rest

let views () =
  ints "split_mid" 45 (sum_by_halves (Seq.iota 10));
  Check.(check (list int)) "split_head" [ 0; 1; 2 ] (by_heads (Seq.iota 3));
  (match Seq.split_mid (Seq.iota 7) with
  | Pair (left, right) -> Check.(check (pair int int)) "halves" (3, 4) (Seq.length left, Seq.length right)
  | _ -> Check.fail "expected a pair");
  check_ints "empty" [||] (Seq.empty Dtype.int);
  check_ints "singleton" [| 5 |] (Seq.singleton Dtype.int 5);
  Check.(check (list (pair int bool))) "enumerate" [ (0, true); (1, false) ] (Seq.to_list (Seq.enumerate (Seq.of_list Dtype.bool [ true; false ])));
  Check.(check (list (pair int int))) "zip_shortest" [ (0, 5) ] (Seq.to_list (Seq.zip_shortest (Seq.iota 3) (Seq.singleton Dtype.int 5)));
  check_ints "map2_shortest" [| 5 |] (Seq.map2_shortest Expr.( + ) (Seq.singleton Dtype.int 5) (Seq.iota 9));
  let shortened limit = Seq.to_string ~element:(Printf.sprintf "x%d") ~limit (Seq.iota 4) in
  Check.(check (list string)) "to_string" [ "<...>"; "<x0,...>"; "<x0,...,x3>"; "<x0,x1,...,x3>"; "<x0,x1,x2,x3>" ] (List.init 5 shortened);
  Check.(check string) "all of it" (Printf.sprintf "<%s>" (String.concat "," (List.init 30 string_of_int))) (Seq.to_string ~limit:max_int (Seq.iota 30));
  Check.check_raises "a negative limit" (Invalid_argument "Warpfold.Seq.to_string: limit is -1, expected 0 or more") (fun () ->
      ignore (Seq.to_string ~limit:(-1) (Seq.iota 30)))

let errors () =
  let none = Seq.iota 0 and released = Seq.iota 1 in
  Seq.release released;
  let fails name f = names_itself ("Seq." ^ name) f in
  fails "argmax" (fun () -> Seq.argmax none);
  fails "argmin" (fun () -> Seq.argmin none);
  fails "argmax_by" (fun () -> Seq.argmax_by Expr.( < ) none);
  fails "iota" (fun () -> Seq.iota (-1));
  fails "sum" (fun () -> Seq.sum released);
  fails "mean" (fun () ->
      let floats = Seq.of_list Dtype.f64 [ 1. ] in
      Seq.release floats;
      Seq.mean floats);
  fails "minmax" (fun () -> Seq.minmax released);
  fails "map_reduce" (fun () -> Seq.map_reduce Fun.id Expr.( + ) 0 released);
  fails "map_filteri" (fun () -> Seq.map_filteri Expr.( + ) Expr.( < ) released);
  fails "partition" (fun () -> Seq.partition Expr.(fun x -> x > int 0) released);
  fails "find_index" (fun () -> Seq.find_index Expr.(fun x -> x > int 0) released);
  fails "equal" (fun () -> Seq.equal Expr.( = ) none released);
  fails "compare" (fun () -> Seq.compare released none);
  fails "iterate" (fun () -> Seq.iterate Dtype.int Expr.( + ) 0 released);
  fails "iterate_prefixes" (fun () -> Seq.iterate_prefixes Dtype.int Expr.( + ) 0 released);
  fails "sort_uniq" (fun () -> Seq.sort_uniq released);
  fails "union" (fun () -> Seq.union none released);
  fails "inter" (fun () -> Seq.inter none released);
  fails "binary_search" (fun () -> Seq.binary_search released none);
  fails "is_sorted" (fun () -> Seq.is_sorted released);
  fails "top_k" (fun () -> Seq.top_k (-1) none);
  fails "dot" (fun () -> Seq.dot (Seq.iota 3) (Seq.iota 1));
  fails "split_mid" (fun () -> Seq.split_mid released);
  fails "enumerate" (fun () -> Seq.enumerate released)

let tests =
  [
    case "reductions" (each reductions); case "one pass" one_pass; case "after a map" (each after_a_map);
    case "searches" (each searches); case "extremes of special values" special_extremes;
    case "extremes of no elements" extremes_of_none; case "equal and compare" (each equalities);
    case "lexicographic" lexicographic; case "steps" (each steps); case "steps of tuples" steps_of_tuples; case "sets" (each sets);
    case "sets of tuples" sets_of_tuples; case "views" views; case "errors" errors;
  ]
