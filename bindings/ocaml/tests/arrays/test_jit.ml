(* Functions that are traced once: their results next to those of the untraced function, and the number of traces. *)

open Warpfold
open Support

let sizes = [ 0; 1; 1000; 70001 ]

(* Values that differ by position, others for each k. *)
let values k n = Array.init n (fun i -> ((i * 7919) + (k * 31)) mod 100003)
let sequence k n = Seq.of_array Dtype.int (values k n)

(* f, and the number of its calls so far. *)
let counted f =
  let calls = ref 0 in
  ((fun x -> incr calls; f x), fun () -> !calls)

let check_calls name expected calls = Check.(check int) (name ^ ": calls") expected (calls ())
let int = Check.int
let text name n = Printf.sprintf "%s of %d elements" name n

(* Checks f of one sequence against the untraced f, for all sizes, each with several values, computed or not. *)
let agrees name f =
  let g, calls = counted f in
  let traced = Jit.jit g in
  List.iteri
    (fun k n ->
      List.iter
        (fun seed ->
          check_ints (text name n) (Seq.to_array (f (sequence seed n))) (traced (sequence seed n));
          let delayed () = Seq.map Expr.(fun x -> x * int 3) (Seq.rev (sequence seed n)) in
          check_ints (text (name ^ ", delayed,") n) (Seq.to_array (f (delayed ()))) (traced (delayed ())))
        [ 0; 1; 2 ];
      check_calls (text name n) (k + 1) calls)
    sizes;
  List.iter (fun n -> check_ints (text (name ^ ", again,") n) (Seq.to_array (f (sequence 5 n))) (traced (sequence 5 n))) sizes;
  check_calls name (List.length sizes) calls

let shapes () =
  agrees "map" (Seq.map Expr.(fun x -> (x * x) + int 1));
  agrees "filter, then more" (fun x ->
      let kept = Seq.filter Expr.(fun x -> x mod int 2 = int 0) x in
      Seq.map2 Expr.( - ) (Seq.scan_incl Expr.( + ) 0 kept) kept);
  agrees "neighbours" (fun x ->
      let n = Seq.length x in
      Seq.init n (fun i -> Expr.(x.%((i + int 1) mod int (Stdlib.max 1 n)) - x.%(i))))

(* The length of a filter's result is an extent of the argument. *)
let filtered () =
  let f, calls = counted Seq.rev in
  let traced = Jit.jit f in
  let below k = Seq.filter Expr.(fun x -> x < int k) (Seq.iota 5000) in
  let check k = check_ints "reversed" (Array.init k (fun i -> k - 1 - i)) (traced (below k)) in
  List.iter check [ 0; 10; 4999; 10; 0 ];
  check_calls "three lengths" 3 calls

let numbers () =
  let f x (a, b) =
    let shifted = Seq.map (fun x -> Expr.((x * value a) + cast Dtype.int (value b))) x in
    (shifted, Seq.sum shifted)
  in
  let calls = ref 0 in
  let traced =
    Jit.(fn (seq @-> pair (number Dtype.int) (number Dtype.f64) @-> returning (pair seq scalar))) (fun x ab -> incr calls; f x ab)
  in
  List.iter
    (fun k ->
      let x = sequence k 1000 and b = float (2 * k) in
      let expected, sum = f x (Scalar.const Dtype.int k, Scalar.const Dtype.f64 b) and found, found_sum = traced x (k, b) in
      check_ints "elements" (Seq.to_array expected) found;
      Check.check int "sum" (Scalar.get sum) (Scalar.get found_sum))
    [ 1; 2; 3; -4; 0 ];
  Check.check int "calls" 1 !calls;
  let twice = Jit.(fn (number Dtype.(pair f32 int) @-> returning scalar)) (Scalar.map_to Dtype.(pair f32 int) (fun (x, i) -> Expr.(x + x, i * i))) in
  Check.(check (pair same_float int)) "no sequence" (3., 49) (Scalar.get (twice (1.5, 7)))

let several () =
  let f, calls =
    counted (fun x ->
        let kept = Seq.filter Expr.(fun x -> x > int 50000) x in
        let sum = Seq.sum x in
        (kept, (x, sum, kept), Scalar.map Expr.(fun x -> -x) sum, [ Seq.map Expr.(fun x -> x + int 1) x; Seq.take (Seq.length x / 2) x ]))
  in
  let traced = Jit.(fn (seq @-> returning (quadruple seq (triple seq scalar seq) scalar (list seq)))) f in
  List.iter
    (fun n ->
      for k = 0 to 2 do
        let a, (b, sum, c), negative, ds = traced (sequence k n) in
        let x = values k n in
        let kept = Array.of_list (List.filter (fun x -> x > 50000) (Array.to_list x)) in
        check_ints "kept" kept a;
        check_ints "the argument" x b;
        Check.check int "sum" (Array.fold_left ( + ) 0 x) (Scalar.get sum);
        check_ints "kept, again" kept c;
        Check.check int "negative" (-Scalar.get sum) (Scalar.get negative);
        List.iter2 (check_ints "list") [ Array.map succ x; Array.sub x 0 (n / 2) ] ds
      done)
    sizes;
  check_calls "several" (List.length sizes) calls

let lists () =
  let f (xs, ys) =
    let sum = function [] -> Scalar.const Dtype.int 0 | x :: rest -> Seq.sum (List.fold_left (Seq.map2 Expr.( + )) x rest) in
    (Scalar.map2 Expr.(fun a b -> a - (int 2 * b)) (sum xs) (sum ys), List.map Seq.rev ys)
  in
  let g, calls = counted f in
  let traced = Jit.(fn (pair (list seq) (list seq) @-> returning (pair scalar (list seq)))) g in
  let a = sequence 1 1000 and b = sequence 2 1000 and c = sequence 3 1000 in
  let check lists =
    let expected, reversed = f lists and found, found_reversed = traced lists in
    Check.check int "sum" (Scalar.get expected) (Scalar.get found);
    Check.check int "length" (List.length reversed) (List.length found_reversed);
    List.iter2 (fun r s -> check_ints "reversed" (Seq.to_array r) s) reversed found_reversed
  in
  let all = [ ([ a ], [ b; c ]); ([ a; b ], [ c ]); ([ a; b; c ], []); ([], [ a; b; c ]) ] in
  List.iter check all;
  List.iter check all;
  check_calls "partitions" 4 calls

type model = { weights : (Axes.rank2, float, Expr.f64) Ndarray.t; bias : (float, Expr.f64) Seq.t }

let arrays () =
  let model = Jit.(conv (fun m -> (m.weights, m.bias)) (fun (weights, bias) -> { weights; bias }) (pair ndarray seq)) in
  let f m x rate =
    let y = Ndarray.(Linalg.(x *@ m.weights) + expand 0 m.bias) in
    let step a = Ndarray.map (fun v -> Expr.(v * (f64 1. - value rate))) a in
    (y, { weights = step m.weights; bias = step m.bias })
  in
  let calls = ref 0 in
  let traced = Jit.(fn (model @-> ndarray @-> number Dtype.f64 @-> returning (pair ndarray model))) (fun m -> incr calls; f m) in
  let matrix k rows columns = Ndarray.init [ rows; columns ] (fun [ i; j ] -> Expr.(cast Dtype.f64 ((i * int 7) - (j * int k)))) in
  let check_arrays name a b = Check.(check (array same_float)) name (Seq.to_array (Ndarray.flatten a)) (Seq.to_array (Ndarray.flatten b)) in
  let check k rows rate =
    let m = { weights = matrix k 3 2; bias = Seq.of_list Dtype.f64 [ 0.5; float k ] } and x = matrix (k + 1) rows 3 in
    let y, next = f m x (Scalar.const Dtype.f64 rate) and y', next' = traced m x rate in
    check_arrays "y" y y';
    check_arrays "weights" next.weights next'.weights;
    check_arrays "bias" next.bias next'.bias
  in
  List.iter (fun (k, rows, rate) -> check k rows rate) [ (1, 4, 0.5); (2, 4, 0.25); (3, 5, 0.5); (4, 4, 0.125) ];
  Check.check int "calls" 2 !calls;
  (* 12 elements of several shapes *)
  let g, calls = counted (fun a -> Ndarray.sum (Axis 0) a) in
  let sums = Jit.jit g in
  List.iter
    (fun (rows, columns) -> check_arrays "sums" (Ndarray.sum (Axis 0) (matrix 5 rows columns)) (sums (matrix 5 rows columns)))
    [ (3, 4); (4, 3); (12, 1); (1, 12); (3, 4) ];
  check_calls "shapes" 4 calls;
  let pairs = Seq.map_to Dtype.(pair int f64) (fun (i, x) -> Expr.(i + int 1, x * f64 2.)) in
  let made n = Seq.zip (Seq.iota n) (Seq.map (fun i -> Expr.cast Dtype.f64 i) (Seq.iota n)) in
  Check.(check (array (pair int same_float))) "pairs" (Array.init 100 (fun i -> (i + 1, 2. *. float i))) (Seq.to_array (Jit.jit pairs (made 100)))

let keys () =
  let f key = Random.uniform Dtype.f64 (Random.split key 3) 1000 in
  let g, calls = counted f in
  let traced = Jit.(fn (key @-> returning seq)) g in
  List.iter (fun seed -> check_floats "draws" (Seq.to_array (f (Random.key seed))) (traced (Random.key seed))) [ 1; 2; 99 ];
  check_calls "keys" 1 calls

let captured () =
  let table = sequence 4 1000 and delayed = Seq.map Expr.(fun x -> x + int 5) (sequence 6 1000) in
  Seq.force table;
  let scale = ref 2 in
  let f x = Seq.mapi (fun i x -> Expr.((x * int !scale) + table.%((i * int 7) mod int 1000) - delayed.%(int 999 - i))) x in
  let g, calls = counted f in
  let traced = Jit.jit g in
  let expected = List.init 3 (fun k -> Seq.to_array (f (sequence k 1000))) in
  List.iteri (fun k e -> check_ints "captured" e (traced (sequence k 1000))) expected;
  scale := 3;
  List.iteri (fun k e -> check_ints "constants stay" e (traced (sequence k 1000))) expected;
  check_calls "captured" 1 calls;
  let constant = Jit.jit (fun _ -> Seq.map Expr.(fun x -> x + int 1) table) in
  check_ints "no parameter" (Array.map succ (values 4 1000)) (constant (sequence 0 3))

exception Refused

let errors () =
  let fails = ref true in
  let forces =
    Jit.jit (fun x -> if !fails && Scalar.get (Seq.sum x) > 0 then x else Seq.map Expr.(fun x -> x + int 1) x)
  in
  List.iter
    (fun part -> says part (fun () -> forces (sequence 1 1000)))
    [ "Warpfold.Scalar.get: "; "a parameter of a program that is being traced"; "; expected a traced function without forces" ];
  fails := false;
  check_ints "after a force" (Array.map succ (values 1 1000)) (forces (sequence 1 1000));
  let calls = ref 0 in
  let raises = Jit.jit (fun x -> incr calls; if !calls = 1 then raise Refused else Seq.rev x) in
  (match raises (sequence 1 10) with exception Refused -> () | _ -> Check.fail "f's exception was lost");
  (* Not taken for a call within another trace. *)
  Check.(check bool) "after an exception" true (Seq.is_manifest (raises (sequence 1 10)));
  ignore (raises (sequence 2 10));
  Check.check int "calls" 2 !calls;
  let released = sequence 1 10 in
  Seq.release released;
  raises_invalid "a released argument" (fun () -> raises released)

(* An index that is out of range in one run. *)
let ranges () =
  let table = sequence 1 1000 in
  let f, calls = counted (Seq.map (fun i -> Expr.(table.%(i)))) in
  let traced = Jit.jit f in
  let good = Array.init 70001 (fun i -> i mod 1000) in
  let bad = Array.mapi (fun i x -> if i = 69999 then 1000 else x) good in
  let check () = check_ints "in range" (Array.map (fun i -> (values 1 1000).(i)) good) (traced (Seq.of_array Dtype.int good)) in
  check ();
  names_itself "Jit.jit" (fun () -> traced (Seq.of_array Dtype.int bad));
  check ();
  check_calls "ranges" 1 calls

let nested () =
  let f, inner_calls = counted (Seq.map Expr.(fun x -> (x * int 2) + int 1)) in
  let inner = Jit.jit f in
  let scaled = Jit.(fn (seq @-> number Dtype.int @-> returning seq)) (fun x k -> Seq.map (fun x -> Expr.(x * value k)) x) in
  let g, outer_calls = counted (fun x -> scaled (inner (Seq.rev (inner x))) 3) in
  let outer = Jit.jit g in
  let expected k = Array.init 1000 (fun i -> 3 * ((4 * (values k 1000).(999 - i)) + 3)) in
  for k = 0 to 3 do
    check_ints "nested" (expected k) (outer (sequence k 1000))
  done;
  check_calls "outer" 1 outer_calls;
  check_calls "inner" 2 inner_calls;
  Check.(check bool) "one kernel" false (contains "\n\n" (String.trim (explain [ Seq (outer (sequence 1 1000)) ])));
  check_ints "alone" (Array.map (fun x -> (2 * x) + 1) (values 1 1000)) (inner (sequence 1 1000));
  check_calls "inner, alone" 3 inner_calls;
  let total = Jit.(fn (seq @-> returning scalar)) Seq.sum in
  let s = sequence 2 1000 in
  let sum = Array.fold_left ( + ) 0 (values 2 1000) in
  check_ints "in a function of elements" (Array.map (( + ) sum) (values 1 1000)) (Seq.map (fun x -> Expr.(x + value (total s))) (sequence 1 1000))

(* 64 traces are kept, the latest ones. *)
let most () =
  let f, calls = counted Seq.rev in
  let traced = Jit.jit f in
  let run n = check_ints "reversed" (Array.init n (fun i -> n - 1 - i)) (traced (Seq.iota n)) in
  for n = 1 to 70 do run n done;
  for n = 7 to 70 do run n done;
  check_calls "the latest 64" 70 calls;
  run 6;
  check_calls "an older one" 71 calls

let memory () =
  let context = Context.cpu () in
  let live () = Gc.full_major (); Gc.full_major (); (Context.memory context).live in
  let run () =
    let table = Seq.iota ~context 100_000 in
    Seq.force table;
    let f = Jit.(fn (seq @-> returning (pair seq seq))) (fun x -> (Seq.map (fun i -> Expr.(table.%(i))) x, Seq.filter Expr.(fun x -> x > int 10) x)) in
    let x = Seq.iota ~context 70_001 in
    Seq.force x;
    let before = live () in
    for _ = 1 to 20 do
      let a, b = f x in
      Check.check int "kept" 69990 (Seq.length b);
      Check.check int "an element" 7 (Seq.get a 7)
    done;
    let after = live () in
    Check.(check bool) (Printf.sprintf "%d bytes after %d" after before) true (after <= before);
    ignore (Sys.opaque_identity (f, x, table))
  in
  run ();
  Check.check int "nothing is left" 0 (live ())

let threads () =
  let f x k = Seq.map (fun x -> Expr.(x + value k)) (Seq.rev x) in
  let traced = Jit.(fn (seq @-> number Dtype.int @-> returning seq)) f in
  let work k =
    List.for_all
      (fun j ->
        let n = 1 + ((j * 37) mod 5) in
        Seq.to_array (traced (sequence k n) j) = Array.init n (fun i -> (values k n).(n - 1 - i) + j))
      (List.init 300 Fun.id)
  in
  Check.(check (array bool)) "all agree" (Array.make 6 true) (Test_threads.in_threads 6 work)

let tests =
  [
    case "shapes" shapes; case "a filter's result as the argument" filtered; case "numbers" numbers; case "several results" several;
    case "lists" lists; case "arrays and records" arrays; case "keys" keys; case "captured sequences" captured; case "errors" errors;
    case "an index out of range" ranges; case "nested" nested; case "the latest traces" most; case "memory" memory; case "threads" threads;
  ]
