(* Tracing: literals, sharing, loops, captures, and the errors that tracing must report. *)

open Warpfold
open Support

let one dtype f = Seq.get (Seq.init_to dtype 1 f) 0
let value dtype x = one dtype (fun _ -> Expr.const dtype x)

let literals () =
  let check dtype same values = List.iter (fun x -> Check.check same "literal" x (value dtype x)) values in
  check Dtype.bool Check.bool [ true; false ];
  check Dtype.u8 Check.int [ 0; 255 ];
  check Dtype.i32 Check.int32 [ Int32.min_int; -1l; Int32.max_int ];
  check Dtype.u32 Check.int [ 0; 0xffff_ffff ];
  check Dtype.int Check.int [ min_int; -1; max_int ];
  check Dtype.i64 Check.int64 [ Int64.min_int; -1L; Int64.max_int ];
  let u64 = Check.testable Unsigned.UInt64.pp (fun x y -> Unsigned.UInt64.compare x y = 0) in
  check Dtype.u64 u64 Unsigned.UInt64.[ zero; max_int; of_int 7 ];
  let reals = [ 0.; -0.; 1.; 0.1; -1e300; 5e-324; 1e22; 123456789.125; infinity; neg_infinity; nan ] in
  check Dtype.f64 same_float reals;
  check Dtype.f32 same_float (List.map single reals);
  Check.(check same_float) "an f32 is rounded once" (single 0.1) (one Dtype.f32 (fun _ -> Expr.f32 0.1))

let literal_ranges () =
  raises_invalid "u8" (fun () -> Expr.u8 256);
  raises_invalid "u8" (fun () -> Expr.u8 (-1));
  raises_invalid "i32" (fun () -> Expr.i32 (1 lsl 31));
  raises_invalid "u32" (fun () -> Expr.u32 (1 lsl 32));
  raises_invalid "u64" (fun () -> Expr.u64 (-1))

let casts () =
  let s = Seq.of_array Dtype.f64 [| -1.5; 0.; 2.9; 1e10; nan |] in
  Check.(check (array int32)) "i32" [| -1l; 0l; 2l; Int32.max_int; 0l |] (Seq.to_array (Seq.map (Expr.cast Dtype.i32) s));
  Check.(check (array bool)) "bool" [| true; false; true; true; true |]
    (Seq.to_array (Seq.map (Expr.cast Dtype.bool) s));
  check_ints "u8" [| 0; 0; 2; 255; 0 |] (Seq.map (Expr.cast Dtype.u8) s)

(* 2^40 x by forty additions of a term to itself: the text must be linear in the graph, not in the tree. *)
let sharing () =
  let rec double k x = if k = 0 then x else double (k - 1) Expr.(x + x) in
  check_ints "x * 2^40" [| 0; 1 lsl 40; 2 lsl 40 |] (Seq.init 3 (double 40))

let deep () =
  let rec add k x = if k = 0 then x else add (k - 1) Expr.((x lxor int k) + int 1) in
  let rec plain k x = if k = 0 then x else plain (k - 1) ((x lxor k) + 1) in
  check_ints "1500 deep" (Array.init 3 (plain 1500)) (Seq.init 3 (add 1500))

let collatz =
  Expr.(
    fun x ->
      let _, n =
        loop Dtype.(pair int int) ~init:(x, int 0)
          ~while_:(fun (x, _) -> x <> int 1)
          (fun (x, n) -> (where (x land int 1 = int 0) (x / int 2) ((int 3 * x) + int 1), n + int 1))
      in
      n)

let rec plain_collatz x = if x = 1 then 0 else 1 + plain_collatz (if x land 1 = 0 then x / 2 else (3 * x) + 1)

let loops () =
  let s = Seq.init 100 (fun i -> collatz Expr.(i + int 1)) in
  check_ints "Collatz" (Array.init 100 (fun i -> plain_collatz (i + 1))) s

(* The inner loop depends on the outer loop's variable; terms shared by both are bound outside the inner loop. *)
let nested_loops () =
  let f =
    Expr.(
      fun n ->
        let square = n * n in
        let sum, _ =
          loop Dtype.(pair int int) ~init:(int 0, int 0)
            ~while_:(fun (_, i) -> i < n)
            (fun (sum, i) ->
              let shared = (i * i) + square in
              let inner, _ =
                loop Dtype.(pair int int) ~init:(int 0, int 0)
                  ~while_:(fun (_, j) -> j < i)
                  (fun (inner, j) -> (inner + (shared * shared) + (j * square), j + int 1))
              in
              (sum + inner + shared, i + int 1))
        in
        sum + square)
  in
  let plain n =
    let square = n * n in
    let sum = ref 0 in
    for i = 0 to n - 1 do
      let shared = (i * i) + square in
      for j = 0 to i - 1 do
        sum := !sum + (shared * shared) + (j * square)
      done;
      sum := !sum + shared
    done;
    !sum + square
  in
  check_ints "sums" (Array.init 12 plain) (Seq.init 12 f)

let one_variable () =
  let f x = Expr.(loop Dtype.int ~init:x ~while_:(fun x -> x < int 100) (fun x -> (x * int 3) + int 1)) in
  let rec plain x = if x < 100 then plain ((x * 3) + 1) else x in
  check_ints "one variable" (Array.init 20 plain) (Seq.init 20 f)

let captures () =
  let a = Seq.of_array Dtype.int (noise 50) and b = Seq.of_array Dtype.(pair int f64) [| (1, 0.5); (2, 0.25) |] in
  let c = 17 in
  let f i =
    Expr.(
      let k, x = b.%(i mod int 2) in
      a.%(i) + a.%(length a - int 1 - i) + (k * int c) + cast Dtype.int (x * f64 8.))
  in
  let plain i =
    let k, x = if i mod 2 = 0 then (1, 0.5) else (2, 0.25) in
    (noise 50).(i) + (noise 50).(49 - i) + (k * c) + int_of_float (x *. 8.)
  in
  check_ints "reads" (Array.init 50 plain) (Seq.init 50 f)

let captured_scalar () =
  let s = Seq.of_array Dtype.f64 [| 1.; 2.; 3.; 6. |] in
  let mean = Scalar.map Expr.(fun x -> x / f64 4.) (Seq.reduce Expr.( + ) 0. s) in
  check_floats "deviations" [| -2.; -1.; 0.; 3. |] (Seq.map Expr.(fun x -> x - value mean) s)

(* A guarded index is checked only if its element is selected, also in a loop. *)
let guarded () =
  let a = Seq.of_array Dtype.int [| 3; 1; 2 |] in
  let f i = Expr.(where (i < length a) a.%(i) (int (-1))) in
  check_ints "where" [| 3; 1; 2; -1; -1 |] (Seq.init 5 f);
  let first_not_less =
    Expr.(
      fun x ->
        loop Dtype.int ~init:(int 0)
          ~while_:(fun k -> where (k < length a) (a.%(k) <> x) (bool false))
          (fun k -> k + int 1))
  in
  check_ints "search" [| 3; 1; 2; 0; 3 |] (Seq.init 5 first_not_less);
  let in_a_loop i =
    Expr.(
      loop Dtype.int ~init:(int 0)
        ~while_:(fun k -> k < where (i < length a) (int 3) (int 0))
        (fun k ->
          let x = a.%(i) in
          k + (x * x / (x * x))))
  in
  check_ints "a loop that is not entered" [| 3; 3; 3; 0; 0 |] (Seq.init 5 in_a_loop);
  raises_invalid "an index outside" (fun () -> Seq.force (Seq.init 5 (fun i -> Expr.at a i)))

let choose () =
  let f i = Expr.(choose Dtype.(pair int bool) (i < int 2) (i, bool true) (int 9, i = int 3)) in
  Check.(check (array (pair int bool))) "pairs" [| (0, true); (1, true); (9, false); (9, true) |]
    (Seq.to_array (Seq.init_to Dtype.(pair int bool) 4 f))

(* An expression is valid only inside the function and the loop that it was made for. *)
let strays () =
  let kept = ref (Expr.int 0) in
  ignore (Seq.init 3 (fun i -> kept := i; i));
  raises_invalid "of another function" (fun () -> Seq.init 3 (fun i -> Expr.(i + !kept)));
  raises_invalid "of an outer function" (fun () ->
      Seq.init 3 (fun i -> Expr.value (Seq.reduce Expr.( + ) 0 (Seq.init 3 (fun j -> Expr.(i + j))))));
  let keeping i = Expr.loop Dtype.int ~init:i ~while_:Expr.(fun x -> x < int 9) (fun x -> kept := x; Expr.(x + int 1)) in
  raises_invalid "of a loop" (fun () -> Seq.init 3 (fun i -> let last = keeping i in Expr.(last + !kept)));
  raises_invalid "of a loop, as result" (fun () ->
      Seq.init_to Dtype.(pair int int) 3 (fun i -> let last = keeping i in (last, !kept)));
  raises_invalid "of a loop that is not there" (fun () -> Seq.init 3 (fun i -> ignore (keeping i); !kept));
  raises_invalid "of another loop" (fun () ->
      Seq.init 3 (fun i ->
          let last = keeping i in
          let stray = !kept in
          Expr.loop Dtype.int ~init:last ~while_:Expr.(fun x -> x < stray) Expr.(fun x -> x + int 1)))

(* The same function has the same text each time, so that the library finds it in its cache. *)
let same_text () =
  let text () =
    let start = Warpfold__Traced.start () in
    let x = Warpfold__Traced.parameter start Dtype.int in
    fst (Warpfold__Written.fn ~owner:start.owner ~parameters:[ 4 ] ~results:(Warpfold__Layout.terms Dtype.int (collatz x)))
  in
  let first = text () in
  ignore (Expr.int 1);
  Check.(check string) "text" first (text ());
  let start = Warpfold__Traced.start () in
  let x = Warpfold__Traced.parameter start Dtype.f32 in
  let results = Warpfold__Layout.terms Dtype.f32 Expr.(let y = x * x in y + y + f32 1.5) in
  Check.(check string) "a shared term is bound" "(fn ((x f32)) (let ((t0 (mul x x))) (add (add t0 t0) 0x1.8p+0:f32)))"
    (fst (Warpfold__Written.fn ~owner:start.owner ~parameters:[ 6 ] ~results))

(* && and || are written as they stand, operands in the order of the source. *)
let connectives () =
  let a = Seq.init 3 Fun.id in
  let start = Warpfold__Traced.start () in
  let i = Warpfold__Traced.parameter start Dtype.int in
  let condition = Expr.((i >= int 0 && i < length a && a.%(i) > int 0) || i = int 9) in
  Check.(check string) "text"
    "(fn ((x i64)) (or (and (ge x 0:i64) (and (lt x (length $0)) (gt (at $0 x) 0:i64))) (eq x 9:i64)))"
    (fst (Warpfold__Written.fn ~owner:start.owner ~parameters:[ 4 ] ~results:(Warpfold__Layout.terms Dtype.bool condition)))

(* The library's functions of small lambdas are kept, and found again by their terms. *)
let kept_functions () =
  let s = Seq.of_array Dtype.(pair int int) [| (7, 3); (-40, 1000003) |] in
  let on_host f = Array.map f [| (7, 3); (-40, 1000003) |] in
  let round k =
    let check name host f = check_ints name (on_host host) (Seq.map f s) in
    check "a - b + k" (fun (a, b) -> a - b + k) (fun (a, b) -> Expr.(a - b + int k));
    check "b - a + k" (fun (a, b) -> b - a + k) (fun (a, b) -> Expr.(b - a + int k));
    check "a - a + k" (fun (a, _) -> a - a + k) (fun (a, _) -> Expr.(a - a + int k));
    check "(a - b) * k" (fun (a, b) -> (a - b) * k) (fun (a, b) -> Expr.((a - b) * int k))
  in
  for k = 0 to 699 do
    round (1000 * k);
    round (k mod 7)
  done;
  let same_pairs = Check.(check (array (pair int int))) in
  let pairs name host f = same_pairs name (on_host host) (Seq.to_array (Seq.map_to Dtype.(pair int int) f s)) in
  for _ = 1 to 2 do
    pairs "(a, b)" (fun p -> p) (fun p -> p);
    pairs "(b, a)" (fun (a, b) -> (b, a)) (fun (a, b) -> (b, a));
    pairs "(a, a)" (fun (a, _) -> (a, a)) (fun (a, _) -> (a, a));
    let twice x = Expr.(x + x) in
    check_ints "twice a u8" [| 144 |] (Seq.map twice (Seq.of_array Dtype.u8 [| 200 |]));
    check_ints "twice an int" [| 400 |] (Seq.map twice (Seq.of_array Dtype.int [| 200 |]));
    check_floats "twice an f32" [| 0.5 |] (Seq.map twice (Seq.of_array Dtype.f32 [| 0.25 |]));
    check_floats "as an f64" [| 0.1 |] (Seq.map_to Dtype.f64 (Expr.cast Dtype.f64) (Seq.of_array Dtype.f64 [| 0.1 |]));
    check_floats "as an f32" [| single 0.1 |] (Seq.map_to Dtype.f32 (Expr.cast Dtype.f32) (Seq.of_array Dtype.f64 [| 0.1 |]));
    (* chains of 1 to 40 operations, with and without a captured sequence *)
    let captured = Seq.of_array Dtype.int [| 5; 11 |] in
    for n = 0 to 40 do
      let rec chain n last x = if n = 0 then last else Expr.((x * int n) + chain (Stdlib.( - ) n 1) last x) in
      let rec host n last x = if n = 0 then last else (x * n) + host (n - 1) last x in
      let check name last f = check_ints name [| host n last 2; host n last 9 |] (Seq.map f (Seq.of_array Dtype.int [| 2; 9 |])) in
      check "a chain" n (chain n (Expr.int n));
      check "a chain with a capture" 11 (fun x -> chain n Expr.(captured.%(int 1)) x)
    done
  done

(* A recursion that no value of OCaml ends is an error after a while, and the next function is traced as always. *)
let endless () =
  let rec power x k = Expr.(where (k = int 0) (int 1) (x * power x (k - int 1))) in
  for _ = 1 to 3 do
    names_itself "Seq.map2" (fun () -> Seq.map2 power (Seq.iota 3) (Seq.iota 3));
    says "more than 100000 operations, as a recursion that ends by the value of an expression does; expected Expr.loop" (fun () ->
        Seq.map2 power (Seq.iota 3) (Seq.iota 3));
    check_ints "the next" [| 0; 2; 4 |] (Seq.map Expr.(fun x -> x + x) (Seq.iota 3))
  done;
  for _ = 1 to 120_000 do ignore (Expr.int 1) done;
  check_ints "many terms that are used nowhere" [| 0; 2; 4 |] (Seq.map Expr.(fun x -> x + x) (Seq.iota 3))

let tests =
  [
    case "an endless trace" endless; case "kept functions" kept_functions; case "connectives" connectives;
    case "literals keep their bits" literals; case "literals out of range" literal_ranges; case "casts" casts; case "sharing" sharing;
    case "deep expressions" deep; case "loops" loops; case "nested loops" nested_loops; case "a loop of one variable" one_variable;
    case "captured sequences and numbers" captures; case "captured scalars" captured_scalar; case "guarded indices" guarded;
    case "choices between tuples" choose; case "strays" strays; case "texts" same_text;
  ]
