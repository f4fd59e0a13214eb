(* Reductions inside traced functions, next to loops of the host. *)

open Warpfold
open Support

let sum_over first last f =
  let sum = ref 0 in
  for k = first to last - 1 do
    sum := !sum + f k
  done;
  !sum

let row s i m = Inner.subseq (Inner.seq s) Expr.(i * int m) (Expr.int m)
let range n = List.init n Stdlib.Fun.id

let tuples () =
  let values = noise 15 in
  let pairs = Seq.map_to Dtype.(pair int f64) Expr.(fun x -> (x, cast Dtype.f64 x / f64 2.)) (Seq.of_array Dtype.int values) in
  let swap = Inner.map_to Dtype.(pair f64 int) (fun (x, k) -> (k, x)) in
  let add (a, b) (c, d) = Expr.(a + c, b + d) in
  let sums = Seq.init_to Dtype.(pair f64 int) 3 (fun i -> Inner.(reduce add (0., 0) (swap (row pairs i 5)))) in
  let whole i = sum_over 0 5 (fun j -> values.((i * 5) + j)) in
  Check.(check (array (pair same_float int))) "sums" (Array.init 3 (fun i -> (float (whole i) /. 2., whole i))) (Seq.to_array sums)

let nested () =
  (* The first n for which the sum of the squares below n is at least x: a reduction in a loop. *)
  let squares n = Inner.(sum (map Expr.(fun k -> k * k) (range (Expr.int 0) n))) in
  let search x = Expr.(loop Dtype.int ~init:(int 0) ~while_:(fun n -> squares n < x) (fun n -> n + int 1)) in
  let rec host_search x n = if sum_over 0 n (fun k -> k * k) < x then host_search x (n + 1) else n in
  check_ints "in a loop" (Array.init 500 (fun x -> host_search x 0)) (Seq.init 500 search);
  (* A loop in a reduction, and a term that both and the rest use. *)
  let halvings x =
    snd Expr.(loop Dtype.(pair int int) ~init:(x, int 0) ~while_:(fun (x, _) -> x > int 0) (fun (x, n) -> (x / int 2, n + int 1)))
  in
  let rec host_halvings x = if x = 0 then 0 else 1 + host_halvings (x / 2) in
  let t = noise 101 in
  let ts = Seq.of_array Dtype.int t in
  let all x =
    let shared = Expr.((x * x) + int 1) in
    Expr.(shared + Inner.(sum (map Expr.(fun y -> (halvings (abs y) * shared) + shared) (seq ts))))
  in
  let total = Array.fold_left (fun sum y -> sum + host_halvings (abs y)) 0 t in
  check_ints "a loop inside" (Array.init 500 (fun x -> ((x * x) + 1) * (102 + total))) (Seq.init 500 all)

(* Results for no elements, and for five. *)
let types () =
  let reductions dtype values expected =
    let s = Seq.of_list dtype values in
    let five i = Inner.take Expr.(i * int 5) (Inner.seq s) in
    let results f = List.map (Format.asprintf "%a" (Dtype.pp_value dtype)) (Seq.to_list (Seq.init 2 (fun i -> f (five i)))) in
    Check.(check (list string)) (Dtype.name dtype) expected (results Inner.sum @ results Inner.min @ results Inner.max)
  in
  reductions Dtype.u8 [ 7; 200; 3; 255; 1 ] [ "0"; "210"; "255"; "1"; "0"; "255" ];
  reductions Dtype.i32 [ -7l; 5l; 3l; -9l; 1l ] [ "0"; "-7"; "2147483647"; "-9"; "-2147483648"; "5" ];
  reductions Dtype.u32 [ 7; 5; 3; 9; 1 ] [ "0"; "25"; "4294967295"; "1"; "0"; "9" ];
  reductions Dtype.i64 [ -7L; 5L; 3L; -9L; 1L ] [ "0"; "-7"; "9223372036854775807"; "-9"; "-9223372036854775808"; "5" ];
  reductions Dtype.u64 (List.map Unsigned.UInt64.of_int [ 7; 5; 3; 9; 1 ]) [ "0"; "25"; "18446744073709551615"; "1"; "0"; "9" ];
  reductions Dtype.f32 [ 0.5; -1.5; 2.; 4.; -8. ] [ "0."; "-3."; "inf"; "-8."; "-inf"; "4." ];
  reductions Dtype.f64 [ 0.5; -1.5; 2.; 4.; -8. ] [ "0."; "-3."; "inf"; "-8."; "-inf"; "4." ];
  let bools f = Seq.to_list (Seq.init 3 (fun i -> f Inner.(map Expr.(fun k -> k = int 1) (range (Expr.int 0) i)))) in
  Check.(check (list bool)) "bools" [ true; false; false; false; false; true ] (bools Inner.min @ bools Inner.max)

let indices () =
  let s = Seq.of_list Dtype.int [ 1; 2; 3; 4; 5; 6 ] in
  let two i = Inner.subseq (Inner.seq s) i (Expr.int 2) in
  let fails name f = raises_invalid name (fun () -> Seq.to_array (Seq.init 2 f)) in
  raises_invalid "outside" (fun () -> Seq.to_array (Seq.init 3 (fun i -> Inner.sum (row s i 3))));
  (* A part of a part stays inside it, although the sequence goes on. *)
  fails "take" (fun i -> Inner.(sum (take (Expr.int 3) (two i))));
  (* s[x], used twice in a reduction of 6 - x elements; and an element that is not chosen *)
  let twice x = Inner.(sum (init Expr.(int 6 - x) (fun _ -> let e = Expr.at s x in Expr.(e * e)))) in
  check_ints "no elements" [| 6; 20; 36; 48; 50; 36; 0; 0 |] (Seq.init 8 twice);
  (* The same, in branches that no step chooses *)
  let branch x = Inner.(sum (init (Expr.int 2) (fun j -> let e = Expr.at s x in Expr.(where (x < int 6) (e * e + j) (int 0))))) in
  let outside x = let e = Expr.at s x in Inner.(sum (init (Expr.int 2) (fun j -> Expr.(where (x < int 6) (e * e + j) (int 0))))) in
  check_ints "in no branch" [| 3; 9; 19; 33; 51; 73; 0; 0 |] (Seq.init 8 branch);
  check_ints "in no branch" [| 3; 9; 19; 33; 51; 73; 0; 0 |] (Seq.init 8 outside);
  let guarded x = Expr.(where (x < int 6) (Inner.get (Inner.seq s) x) (int 0)) in
  check_ints "not chosen" [| 1; 2; 3; 4; 5; 6; 0; 0 |] (Seq.init 8 guarded)

let errors () =
  let s = Seq.of_list Dtype.int [ 1; 2; 3; 4 ] in
  let fails text f = says text (fun () -> Seq.init 2 f) in
  let kept = ref (Inner.seq s) in
  ignore (Seq.init 2 (fun i -> kept := row s i 2; Inner.sum !kept));
  fails "outside of the function or loop" (fun _ -> Inner.sum !kept);
  fails "Inner has the functions of Seq" (fun i -> ignore (Seq.map Expr.(fun x -> x + i) s); i);
  let more = "Inner.reduce: the function that combines depends on more than its two arguments" in
  fails more (fun i -> Inner.reduce Expr.(fun x y -> x + y + i) 0 (row s i 2));
  fails more (fun i -> Inner.reduce Expr.(fun x y -> x + s.%(y)) 0 (row s i 2));
  let large i = Inner.filter Expr.(fun x -> x > int 1) (row s i 2) in
  let positions name = "Inner." ^ name ^ ": the positions of a filter's elements" in
  fails (positions "take") (fun i -> Inner.(sum (take (Expr.int 1) (large i))));
  fails (positions "get") (fun i -> Inner.get (large i) (Expr.int 0));
  fails (positions "dot") (fun i -> Inner.dot (row s i 2) (large i));
  fails (positions "zip") (fun i -> fst Inner.(reduce (fun x _ -> x) (0, 0) (zip (large i) (row s i 2))))

(* Each name prints its form: on the rows 3 1 4 1 5 and 9 2 6 5 3, for i = 0 and 1. The library's own tests have other lengths. *)
let names () =
  let s = Seq.of_list Dtype.int [ 3; 1; 4; 1; 5; 9; 2; 6; 5; 3 ] in
  let check name expected f = check_ints name expected (Seq.init 2 f) in
  let truths name expected f = check name expected (fun i -> Expr.cast Dtype.int (f i)) in
  let row i = row s i 5 in
  let large i = Inner.filter Expr.(fun x -> x > int 2) (row i) in
  let views name expected f =
    check name expected (fun i -> Inner.iterate Dtype.int Expr.(fun state x -> (state * int 10) + x) 0 (f i))
  in
  let two = Expr.int 2 and five = Expr.int 5 in
  views "subseq" [| 31415; 92653 |] row;
  views "init" [| 2; 234 |] Expr.(fun i -> Inner.init (int 1 + (i * two)) (fun j -> j + two));
  views "tabulate" [| 2; 234 |] Expr.(fun i -> Inner.tabulate (fun j -> j + two) (int 1 + (i * two)));
  views "range" [| 2345; 345 |] Expr.(fun i -> Inner.range (i + two) (int 6));
  views "iota" [| 0; 12 |] Expr.(fun i -> Inner.iota (i * int 3));
  views "map" [| 20304; 81542 |] (fun i -> Inner.map Expr.(fun x -> x - int 1) (row i));
  views "map_to" [| 11011; 1100 |] (fun i -> Inner.(map snd (map_to Dtype.(pair int int) Expr.(fun x -> (x, (x + i) mod two)) (row i))));
  views "map2" [| 31527; 92765 |] (fun i -> Inner.map2 Expr.(fun x j -> x + (j / two)) (row i) (Inner.iota five));
  views "map2_shortest" [| 32; 93 |] (fun i -> Inner.map2_shortest Expr.( + ) (row i) (Inner.iota two));
  views "zip" [| 32649; 93887 |] (fun i -> Inner.(map Expr.(fun (x, j) -> x + j) (zip (row i) (iota five))));
  views "zip_shortest" [| 32; 93 |] (fun i -> Inner.(map Expr.(fun (j, x) -> x + j) (zip_shortest (iota two) (row i))));
  views "mapi" [| 30621; 93467 |] (fun i -> Inner.mapi Expr.( lxor ) (row i));
  views "enumerate" [| 30621; 93467 |] (fun i -> Inner.(map Expr.(fun (j, x) -> j lxor x) (enumerate (row i))));
  views "filter" [| 345; 9653 |] large;
  views "filteri" [| 345; 9265 |] (fun i -> Inner.filteri Expr.(fun j x -> x > j) (row i));
  views "pack_index" [| 24; 234 |] (fun i -> Inner.pack_index Expr.(fun x -> x > two) (row i));
  views "partition" [| 345; 9653 |] (fun i -> fst (Inner.partition Expr.(fun x -> x > two) (row i)));
  views "partition, the others" [| 11; 2 |] (fun i -> snd (Inner.partition Expr.(fun x -> x > two) (row i)));
  views "take" [| 31; 92 |] (fun i -> Inner.take two (row i));
  views "drop" [| 415; 653 |] (fun i -> Inner.drop two (row i));
  views "rev" [| 51413; 35629 |] (fun i -> Inner.rev (row i));
  views "append" [| 31345; 929653 |] (fun i -> Inner.(append (take two (row i)) (large i)));
  views "concat" [| 3331; 9992 |] (fun i -> Inner.(concat [ take (Expr.int 1) (row i); take (Expr.int 1) (row i); take two (row i) ]));
  views "rotate" [| 53141; 92653 |] (fun i -> Inner.rotate Expr.(i - int 1) (row i));
  views "interleave" [| 3115; 9523 |] (fun i -> Inner.(interleave (take two (row i)) (drop (Expr.int 3) (row i))));
  views "update" [| 71415; 97653 |] (fun i -> Inner.update (row i) i (Expr.int 7));
  check "length" [| 3; 4 |] (fun i -> Inner.length (large i));
  check "get" [| 3; 2 |] (fun i -> Inner.get (row i) i);
  check "reduce" [| 7; 15 |] (fun i -> Inner.reduce Expr.( lor ) 0 (Inner.map Expr.(fun x -> x lor i) (large i)));
  check "map_reduce" [| 10; 18 |] (fun i -> Inner.map_reduce Expr.(fun x -> x * two) Expr.max 0 (row i));
  check "sum" [| 12; 23 |] (fun i -> Inner.sum (large i));
  check "product" [| 60; 1620 |] (fun i -> Inner.product (row i));
  check "dot" [| 32; 41 |] (fun i -> Inner.dot (row i) (Inner.iota five));
  check "minmax" [| 15; 29 |] (fun i -> let low, high = Inner.minmax (row i) in Expr.((low * int 10) + high));
  check "mean" [| 4; 5 |] (fun i -> Expr.cast Dtype.int (Inner.mean (large i)));
  check "count" [| 3; 4 |] (fun i -> Inner.count Expr.(fun x -> x > two) (row i));
  truths "for_all" [| 0; 1 |] (fun i -> Inner.for_all Expr.(fun x -> x > int 1) (row i));
  truths "exists" [| 0; 1 |] (fun i -> Inner.exists Expr.(fun x -> x > int 5) (row i));
  check "find_index" [| 1; 1 |] (fun i -> Inner.find_index Expr.(fun x -> x > int 3 && x < int 9) (large i));
  check "argmax" [| 2; 0 |] (fun i -> Inner.argmax (large i));
  check "argmin" [| 1; 1 |] (fun i -> Inner.argmin (row i));
  check "argmax_by" [| 0; 3 |] (fun i -> Inner.argmax_by Expr.(fun x y -> x land int 3 < (y land int 3)) (large i));
  truths "is_sorted" [| 1; 0 |] (fun i -> Inner.is_sorted (large i));
  truths "is_sorted, descending" [| 0; 1 |] (fun i -> Inner.(is_sorted ~descending:true (drop two (row i))));
  truths "equal" [| 0; 1 |] (fun i -> Inner.equal Expr.(fun x y -> x = y + i) (row i) (Inner.map Expr.(fun x -> x - int 1) (row i)));
  check "compare" [| -1; 1 |] (fun i -> Inner.compare (row i) (Inner.map Expr.(fun j -> j + int 4) (Inner.iota Expr.(int 1 + i))));
  check "compare_by" [| 1; -1 |]
    (fun i -> Inner.compare_by Expr.( > ) (row i) (Inner.map Expr.(fun j -> j + int 4) (Inner.iota Expr.(int 1 + i))))

let tests =
  [
    case "names" names; case "tuples" tuples; case "reductions, loops and reductions inside" nested; case "types and identities" types;
    case "indices out of range" indices; case "errors" errors;
  ]
