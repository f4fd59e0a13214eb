(* The primitives: tuples, elements of all types, scalars, plans, texts, errors. Test_values has their values. *)

open Warpfold
open Support

let numbers = noise 5000
let s () = Seq.of_array Dtype.int numbers

let issue_example () =
  let f = Seq.map Expr.(fun x -> (x * x) + f32 1.) (Seq.of_list Dtype.f32 [ 1.; 2.; 0.5 ]) in
  check_floats "x * x + 1" [| 2.; 5.; 1.25 |] f

let init () =
  check_ints "none" [||] (Seq.init 0 Fun.id);
  raises_invalid "a negative length" (fun () -> Seq.init (-1) Fun.id)

let reduce () =
  Check.(check int) "known identity" (Array.fold_left ( + ) 0 numbers) (Scalar.get (Seq.reduce_op Expr.add (s ())));
  Check.(check bool) "of bools" true (Scalar.get (Seq.reduce Expr.( || ) false (Seq.map Expr.(fun x -> x = int numbers.(7)) (s ()))));
  raises_code "no known identity" Argument (fun () -> Seq.reduce_op Expr.(fun x y -> x + (y * int 2)) (s ()))

let filter () =
  let kept = List.length (List.filter (fun x -> x land 1 = 0) (Array.to_list numbers)) in
  let t = Seq.filter Expr.(fun x -> x land int 1 = int 0) (s ()) in
  Check.(check (option int)) "unknown length" None (Seq.known_length t);
  Check.(check int) "count" kept (Scalar.get (Seq.count t));
  Check.(check (option int)) "a count stores nothing" None (Seq.known_length t);
  Check.(check int) "length" kept (Seq.length t)

let elements_alone () =
  Check.(check int) "nth" numbers.(4) (Scalar.get (Seq.nth (s ()) 4));
  Check.(check int) "get" numbers.(9) (Seq.get (s ()) 9)

(* Mismatched lengths and indices out of range raise Invalid_argument, as in the standard library. *)
let invalid () =
  let s = Seq.init 10 Fun.id and t = Seq.init 9 Fun.id in
  raises_invalid "get" (fun () -> Seq.get s 10);
  raises_invalid "get" (fun () -> Seq.get s (-1));
  raises_invalid "subseq" (fun () -> Seq.subseq s 5 6);
  raises_invalid "take" (fun () -> Seq.take 11 s);
  raises_invalid "drop" (fun () -> Seq.drop (-1) s);
  raises_invalid "zip" (fun () -> Seq.zip s t);
  raises_invalid "map2" (fun () -> Seq.map2 Expr.( + ) s t);
  raises_invalid "concat" (fun () -> Seq.concat ([] : (int, Expr.int) Seq.t list));
  raises_invalid "of_array" (fun () -> Seq.of_array Dtype.u8 [| 256 |])

let tuples () =
  let a = Seq.of_array Dtype.int numbers in
  let b = Seq.map Expr.(fun x -> cast Dtype.f64 x / f64 4.) a in
  let pairs = Seq.zip a b in
  let first, second = Seq.unzip pairs in
  check_ints "first" numbers first;
  check_floats "second" (Array.map (fun x -> float x /. 4.) numbers) second;
  let sums = Seq.map Expr.(fun (x, y) -> cast Dtype.f64 x + y) pairs in
  check_floats "of pairs" (Array.map (fun x -> float x +. (float x /. 4.)) numbers) sums;
  let swapped = Seq.map_to Dtype.(pair f64 int) (fun (x, y) -> (y, x)) pairs in
  Check.(check (pair same_float int)) "swapped" (float numbers.(7) /. 4., numbers.(7)) (Seq.get swapped 7);
  let kept = Seq.filter Expr.(fun (x, y) -> x > int 100 && y < f64 100.) pairs in
  let plain = List.filter (fun (x, y) -> x > 100 && y < 100.) (List.map (fun x -> (x, float x /. 4.)) (Array.to_list numbers)) in
  Check.(check (list (pair int same_float))) "filtered" plain (Seq.to_list kept)

(* The greatest element and its first index. *)
let reduce_pairs () =
  let better (x, i) (y, j) = Expr.(choose Dtype.(pair int int) (x > y || (x = y && i <= j)) (x, i) (y, j)) in
  let indexed = Seq.zip (s ()) (Seq.init (Array.length numbers) Fun.id) in
  let largest, index = Scalar.get (Seq.reduce better (min_int, max_int) indexed) in
  let expected = Array.fold_left max min_int numbers in
  Check.(check int) "largest" expected largest;
  let rec first i = if numbers.(i) = expected then i else first (i + 1) in
  Check.(check int) "index" (first 0) index

let nested_tuples () =
  let dtype = Dtype.(quadruple int (pair bool f32) (triple u8 i32 u32) i64) in
  let values = [| (1, (true, 0.5), (7, -3l, 0xffff_ffff), 5L); (2, (false, -1.5), (255, 4l, 0), Int64.min_int) |] in
  let s = Seq.of_array dtype values in
  Check.(check bool) "there and back" true (Seq.to_array s = values);
  let inner = Seq.map_to Dtype.(triple u32 bool i64) (fun (_, (b, _), (_, _, u), i) -> (u, b, i)) s in
  Check.(check bool) "parts" true (Seq.to_list inner = [ (0xffff_ffff, true, 5L); (0, false, Int64.min_int) ]);
  let a, b, c = Seq.unzip3 inner in
  Check.(check bool) "unzip3 and zip3" true (Seq.to_list (Seq.zip3 a b c) = Seq.to_list inner);
  Check.(check bool) "a scalar" true (Scalar.get (Scalar.const dtype values.(0)) = values.(0));
  let text = "<(1,(true,0.5),(7,-3,4294967295),5),(2,(false,-1.5),(255,4,0),-9223372036854775808)>" in
  Check.(check string) "printed" text (Seq.to_string s)

let elements () =
  let there_and_back dtype same values =
    Check.(check (array same)) (Dtype.name dtype) values (Seq.to_array (Seq.of_array dtype values))
  in
  there_and_back Dtype.bool Check.bool [| true; false; true |];
  there_and_back Dtype.u8 Check.int [| 0; 128; 255 |];
  there_and_back Dtype.i32 Check.int32 [| Int32.min_int; 5l |];
  there_and_back Dtype.u32 Check.int [| 0; 0xffff_ffff |];
  there_and_back Dtype.int Check.int [| min_int; max_int; 0 |];
  there_and_back Dtype.i64 Check.int64 [| Int64.min_int; Int64.max_int |];
  there_and_back Dtype.f32 same_float [| 0.5; -0.; infinity; nan |];
  there_and_back Dtype.f64 same_float [| 0.1; -0.; infinity; nan |];
  let u64 = Unsigned.UInt64.[| zero; max_int; of_int 3 |] in
  Check.(check bool) "u64" true (Seq.to_array (Seq.of_array Dtype.u64 u64) = u64);
  check_ints "a string's bytes" [| 40; 255; 0 |] (Seq.of_string "(\255\000")

let scalars () =
  let sum = Seq.reduce Expr.( + ) 0. (Seq.of_array Dtype.f64 [| 1.; 2.; 3. |]) in
  let count = Seq.count (Seq.init 3 Fun.id) in
  let mean = Scalar.map2 Expr.(fun x n -> x / cast Dtype.f64 n) sum count in
  Check.(check bool) "lazy" false (Scalar.is_manifest mean);
  Check.(check same_float) "mean" 2. (Scalar.get mean);
  let both = Scalar.zip mean count in
  Check.(check (pair same_float int)) "zip" (2., 3) (Scalar.get both);
  let a, b = Scalar.unzip (Scalar.map_to Dtype.(pair int f64) (fun (x, n) -> (n, x)) both) in
  Check.(check int) "unzip" 3 (Scalar.get a);
  Check.(check same_float) "unzip" 2. (Scalar.get b);
  Check.(check same_float) "const" 2.5 (Scalar.get (Scalar.const Dtype.f32 2.5))

(* The parentheses of the README: one kernel, one pass. *)
let together () =
  let s = Seq.of_array Dtype.i32 [| 1l; 1l; -1l; 1l; -1l; -1l |] in
  let depth, last = Seq.scan_incl_total Expr.( + ) 0l s in
  let lowest = Seq.reduce Expr.min 0l depth in
  let plan = explain [ Scalar last; Scalar lowest ] in
  Check.(check bool) ("one kernel: " ^ plan) true (contains "1 kernel" plan && not (contains "2 kernels" plan));
  Check.(check bool) "explaining runs nothing" false (Scalar.is_manifest last);
  force [ Scalar last; Scalar lowest ];
  Check.(check bool) "both are computed" true (Scalar.is_manifest last && Scalar.is_manifest lowest);
  Check.(check bool) "the depths are not" false (Seq.is_manifest depth);
  Check.(check (pair int32 int32)) "they match" (0l, 0l) (Scalar.get last, Scalar.get lowest);
  Check.(check bool) "as a graph" true (contains "digraph" (explain ~format:Dot [ Seq depth ]));
  force []

let printing () =
  let s = Seq.init 100 Fun.id in
  let shown s = Format.asprintf "%a" Seq.pp s in
  Check.(check string) "not computed" "<i64, length 100, not computed yet>" (shown s);
  Check.(check bool) "printing computes nothing" false (Seq.is_manifest s);
  Check.(check string) "explicitly" "<0,1,2,3,4,5,6,7,8,9,...,90,91,92,93,94,95,96,97,98,99>" (Seq.to_string s);
  Check.(check string) "computed" "<0,1,2>" (let t = Seq.take 3 s in Seq.force t; shown t);
  let kept = Seq.filter Expr.(fun x -> x > int 3) s in
  Check.(check string) "a filter" "<i64, not computed yet>" (shown kept);
  let floats = Seq.of_list Dtype.f32 [ 1.; 0.1; -0.; infinity; 1e30 ] in
  Check.(check string) "floats" "<1.,0.1,-0.,inf,1e+30>" (Seq.to_string floats);
  let sum = Seq.reduce Expr.( + ) 0 s in
  Check.(check string) "a scalar" "<i64, not computed yet>" (Format.asprintf "%a" Scalar.pp sum);
  ignore (Scalar.get sum);
  Check.(check string) "a scalar" "4950" (Format.asprintf "%a" Scalar.pp sum)

let foreign () =
  let context = Context.cpu () in
  let j0 = Foreign.by_name "j0" Dtype.f64 Dtype.f64 in
  let s = Seq.map Expr.(fun x -> x / f64 2.) (Seq.of_array ~context Dtype.f64 [| 0.; 2.; 4. |]) in
  check_floats "j0" [| 1.; 0.7651976865579666; 0.22389077914123567 |] (Foreign.map j0 s);
  let hypot = Foreign.by_name "hypotf" Dtype.(pair f32 f32) Dtype.f32 in
  check_floats "hypotf" [| 5. |] (Foreign.map hypot (Seq.of_list ~context Dtype.(pair f32 f32) [ (3., 4.) ]));
  raises_invalid "no such function" (fun () -> Foreign.by_name "no_such_function" Dtype.f64 Dtype.f64)

let blocks () =
  let s = Seq.init ~context:(Context.cpu ()) 100_000 Fun.id in
  let f = Foreign.block ~name:"quotients" ~user:(Blocks.divisor ()) (Blocks.quotients ()) Dtype.int Dtype.(pair int f64) in
  let whole, exact = Seq.unzip (Foreign.map f s) in
  check_ints "quotients by 7" (Array.init 100_000 (fun i -> i / 7)) whole;
  check_floats "not rounded" (Array.init 100_000 (fun i -> float i /. 7.)) exact;
  Check.(check bool) "its name" true (contains "quotients" (explain [ Seq (Foreign.map f s) ]))

let cuda_source () =
  let text = "double twice(double x) { return 2 * x; }" in
  let s = Seq.of_list Dtype.f64 [ 0.; 1. ] in
  let host = Foreign.by_name "cosh" Dtype.f64 Dtype.f64 in
  let f = Foreign.source ~host "twice" text Dtype.f64 Dtype.f64 in
  let on_cpu = Context.name (Seq.context s) = "cpu" in
  check_floats "the host's, or the source" (if on_cpu then [| 1.; cosh 1. |] else [| 0.; 2. |]) (Foreign.map f s);
  if on_cpu then
    let alone = Foreign.map (Foreign.source "twice" text Dtype.f64 Dtype.f64) s in
    raises_code "no host function" Unsupported (fun () -> Seq.force alone)

let files () =
  let path = Filename.temp_file "warpfold" ".bytes" in
  let channel = open_out_bin path in
  output_string channel "abc\255";
  close_out channel;
  check_ints "bytes" [| 97; 98; 99; 255 |] (Seq.of_file Dtype.u8 path);
  Check.(check (array int)) "words" [| 0xff636261 |] (Seq.to_array (Seq.of_file Dtype.u32 path));
  raises_invalid "no multiple of the size" (fun () -> Seq.of_file Dtype.f64 path);
  Sys.remove path;
  raises_code "no file" Io (fun () -> Seq.of_file Dtype.u8 path)

let errors () =
  raises_code "unknown context" Argument (fun () -> Context.create "abacus");
  let context = Context.cpu () in
  Check.(check string) "name" "cpu" (Context.name context);
  let s = Seq.init ~context 5 Fun.id in
  raises_code "two contexts" Argument (fun () -> Seq.zip s (Seq.init 5 Fun.id));
  Context.close context;
  raises_code "closed" Argument (fun () -> Seq.force s);
  Check.(check string) "printer" "Warpfold.Error (Io, \"why\")" (Printexc.to_string (Error (Io, "why")))

let tests =
  [
    case "the example of the issue" issue_example; case "init" init; case "reduce" reduce; case "lengths of filters" filter;
    case "elements alone" elements_alone;
    case "what does not fit" invalid; case "tuples" tuples; case "reduce pairs" reduce_pairs;
    case "nested tuples" nested_tuples; case "elements of all types" elements; case "scalars" scalars;
    case "several at once" together; case "printing" printing; case "foreign functions" foreign; case "block functions" blocks;
    case "functions as CUDA C++" cuda_source;
    case "files" files;
    case "errors" errors;
  ]
