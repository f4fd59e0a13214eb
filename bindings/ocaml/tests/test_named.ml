(* Functions by name: special values, types, plans and errors. Test_values has their values. *)

open Warpfold
open Support

let ints name expected found = Check.(check int) name expected found
let bool name expected found = Check.(check bool) name expected found

(* Several at once are one kernel. *)
let one_pass () =
  let s = Seq.of_array Dtype.f64 (Array.init 1000 float) in
  let plan = explain [ Scalar (Seq.mean s); Scalar (Seq.minmax s); Scalar (Seq.count_if Expr.(fun x -> x > f64 3.) s) ] in
  bool plan true (contains "1 kernel" plan);
  bool "f32" true (Dtype.name (Scalar.dtype (Seq.mean (Seq.of_list Dtype.f32 [ 1. ]))) = "f32");
  let plan = explain [ Scalar (Seq.map_reduce Expr.(fun x -> x * x) Expr.( + ) 0. s) ] in
  bool plan true (contains "1 kernel" plan)

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

(* Lexicographic, as compare of lists. *)
let lexicographic () =
  let lists = [ []; [ (0, 1.) ]; [ (0, 1.); (2, 3.) ]; [ (0, 2.) ]; [ (1, -1.); (0, 0.) ]; [ (1, -1.) ] ] in
  let s = Seq.of_list Dtype.(pair int f64) in
  List.iter (fun x -> List.iter (fun y -> ints "compare" (compare x y) (Seq.compare (s x) (s y))) lists) lists

let steps_of_tuples () =
  let s = Seq.init 1000 Expr.(fun i -> cast Dtype.f64 i) in
  let f (k, m) x = Expr.(k + int 1, max (m * f64 0.5) x) in
  Check.(check (pair int (float 0.))) "states that are pairs" (1000, 999.) (Scalar.get (Seq.iterate Dtype.(pair int f64) f (0, 0.) s));
  let _, last = Seq.iterate_prefixes Dtype.(pair int f64) f (0, 0.) s in
  Check.(check (pair int (float 0.))) "prefixes" (1000, 999.) (Scalar.get last)

let sorted_special_values () =
  let s = Seq.of_list Dtype.f32 [ nan; 1.5; -0.; infinity; 0.; -2.; -0.; neg_infinity; 0. ] in
  check_floats "ascending" [| neg_infinity; -2.; -0.; -0.; 0.; 0.; 1.5; infinity; nan |] (Seq.sort s);
  check_floats "descending" [| nan; infinity; 1.5; 0.; 0.; -0.; -0.; -2.; neg_infinity |] (Seq.sort ~descending:true s);
  let signs s = Array.map Float.sign_bit (Seq.to_array s) in
  Check.(check (array bool)) "-0 before 0" [| true; true; true; true; false; false |] (Array.sub (signs (Seq.sort s)) 0 6);
  Check.(check (list bool)) "bools" [ false; true; true ] (Seq.to_list (Seq.sort (Seq.of_list Dtype.bool [ true; false; true ])))

let results () =
  let s = Seq.sort ~descending:true (Seq.filter Expr.(fun x -> x mod int 2 = int 0) (Seq.init 100_000 Fun.id)) in
  Check.(check int) "length" 50_000 (Seq.length s);
  Check.(check int) "sum" (99998 + 99996 + 99994) (Scalar.get (Seq.reduce Expr.( + ) 0 (Seq.take 3 s)));
  let fails name f = names_itself ("Seq." ^ name) f in
  let released = Seq.init 3 Fun.id in
  Seq.release released;
  fails "sort_by" (fun () -> Seq.sort_by Expr.(fun x y -> x < y + s.%(x)) s);
  fails "sort" (fun () -> Seq.sort released);
  fails "sort_on" (fun () -> Seq.sort_on Fun.id released);
  fails "merge" (fun () -> Seq.merge s released);
  fails "merge" (fun () -> Seq.merge s (Seq.init ~context:(Context.cpu ()) 3 Fun.id));
  fails "merge_by" (fun () -> Seq.merge_by Expr.( < ) released s);
  Check.check_raises "negative" (Invalid_argument "Warpfold.Seq.top_k: k is -1, expected 0 or more") (fun () -> ignore (Seq.top_k (-1) s))

let errors () =
  let s = Seq.iota 3 and released = Seq.iota 1 in
  Seq.release released;
  let fails name f = names_itself ("Seq." ^ name) f in
  let from_one = Seq.map Expr.(fun x -> x + int 1) s in
  raises_invalid "an index out of range" (fun () -> Seq.force (Seq.scatter s from_one s));
  raises_invalid "a bin out of range" (fun () -> Seq.force (Seq.histogram ~bins:2 s));
  raises_invalid "lengths" (fun () -> Seq.scatter s s (Seq.iota 2));
  raises_code "an operation" Argument (fun () -> Seq.scatter ~by:Expr.( - ) s s s);
  fails "scatter" (fun () -> Seq.scatter ~by:Expr.( - ) s s s);
  fails "scatter" (fun () -> Seq.scatter s released s);
  fails "inject" (fun () -> Seq.inject released (Seq.zip s s));
  fails "histogram" (fun () -> Seq.histogram ~bins:(-1) s);
  fails "update" (fun () -> Seq.update s 3 0);
  fails "update" (fun () -> Seq.update s (-1) 0);
  fails "rotate" (fun () -> Seq.rotate 1 released);
  fails "interleave" (fun () -> Seq.interleave s (Seq.iota 2));
  fails "interleave" (fun () -> Seq.interleave s released)

(* Lengths near the limits of int. Only the elements that are read are computed. *)
let large () =
  let n = (max_int / 2) + 10 in
  let s = Seq.init_to Dtype.u8 n (fun i -> Expr.(cast Dtype.u8 (i land int 127))) in
  check_ints "rotate" [| 127 land (n - 2); 127 land (n - 1); 0 |] (Seq.take 3 (Seq.rotate (n - 2) s));
  check_ints "rotate back" [| 127 land (n - 1); 0 |] (Seq.take 2 (Seq.rotate (-n - 1) s));
  raises_invalid "interleave" (fun () -> Seq.interleave s s);
  raises_invalid "windows" (fun () -> Nested.windows (1 lsl 30) (Seq.take (1 lsl 33) s));
  let three = Seq.iota 3 in
  let lists = Check.(check (list (list int))) in
  lists "chunks" [ [ 0; 1; 2 ] ] (Nested.to_list (Nested.chunks max_int three));
  lists "windows" [] (Nested.to_list (Nested.windows max_int three))

let tests =
  [
    case "one pass" one_pass; case "argmax and NaN" special_extremes; case "extremes of no elements" extremes_of_none;
    case "lexicographic order" lexicographic; case "states of two fields" steps_of_tuples;
    case "sorted NaN, zeros, infinities, bools" sorted_special_values; case "sorted results and errors" results;
    case "errors of computed indices" errors; case "lengths near the limits" large;
  ]
