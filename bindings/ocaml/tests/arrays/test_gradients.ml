(* Gradients against formulas, central differences and each other. Sizes cross blocks; values differ by position. The rules of all
   primitives and operations are tested in C++. *)

open Warpfold
open Support
module G = Gradient

let sizes = [ 0; 1; 2; 33; 1025; 100003 ]
let numbers n = Array.map (fun k -> float k /. 701.) (noise n)
let f64s values = Seq.of_array Dtype.f64 values
let close = Check.testable (fun out -> Format.fprintf out "%h") (fun x y -> compare x y = 0 || Float.abs (x -. y) <= 1e-9 *. (1. +. Float.abs y))
let check_close name expected s = Check.(check (array close)) name expected (Seq.to_array s)
let check_number name expected x = Check.check close name expected (Scalar.get x)
let check_matrix name expected m = Check.(check (array (array close))) name expected (Ndarray.to_arrays m)

(* ---- one sequence *)

(* f, and the derivative of f x by x.(i), a formula. *)
let functions : (string * _ * (float array -> int -> float)) list =
  [
    ("sum of squares", (fun s -> Seq.sum (Seq.map Expr.(fun x -> x * x) s)), fun x i -> 2. *. x.(i));
    ( "neighbours",
      (fun s -> Seq.sum (Seq.init (Stdlib.max 0 (Seq.length s - 1)) Expr.(fun i -> sin s.%(i) * s.%(i + int 1)))),
      fun x i ->
        (if i + 1 < Array.length x then cos x.(i) *. x.(i + 1) else 0.) +. if i > 0 then sin x.(i - 1) else 0. );
    ("prefixes", (fun s -> Seq.sum (Seq.scan_incl Expr.( + ) 0. s)), fun x i -> float (Array.length x - i));
    ("mean of a filter", (fun s -> Seq.sum (Seq.filter Expr.(fun x -> x > f64 0.) s)), fun x i -> if x.(i) > 0. then 1. else 0.);
    ("guarded root", (fun s -> Seq.sum (Seq.map Expr.(fun x -> where (x > f64 0.) (sqrt x) (f64 0.)) s)),
      fun x i -> if x.(i) > 0. then 0.5 /. sqrt x.(i) else 0.);
    ("no part", (fun s -> Seq.sum (Seq.map (fun _ -> Expr.f64 1.) s)), fun _ _ -> 0.);
  ]

let check_all name f formula n =
  let x = numbers n in
  let expected = Array.mapi (fun i _ -> formula x i) x in
  let check how s = check_close (Printf.sprintf "%s of %d, %s" name n how) expected s in
  let value, late = G.value_and_grad Jit.seq f (f64s x) in
  check "late" late;
  check_number name (Scalar.get (f (f64s x))) value;
  check "alone" (G.grad Jit.seq f (f64s x));
  check "delayed" (G.grad Jit.seq f (Seq.map Expr.(fun x -> x / f64 2.) (f64s (Array.map (fun x -> x *. 2.) x))));
  let value, together = G.value_and_grad Jit.seq f (f64s x) in
  force [ Scalar value; Seq together ];
  check "together" together;
  (* Define by run, where the value is computed before its gradient. *)
  let x = G.variable Jit.seq (f64s x) in
  let value = f x in
  ignore (Scalar.get value);
  check "early" (G.gradients value Jit.seq x)

let one_sequence () = List.iter (fun (name, f, formula) -> List.iter (check_all name f formula) sizes) functions

let in_jit () =
  List.iter
    (fun (name, f, formula) ->
      if name <> "mean of a filter" then (
        let traced = Jit.(fn (seq @-> returning (pair scalar seq))) (G.value_and_grad Jit.seq f) in
        let outer = G.grad Jit.seq (Jit.jit f) in
        List.iter
          (fun n ->
            let x = numbers n in
            let expected = Array.mapi (fun i _ -> formula x i) x in
            for _ = 1 to 2 do
              let value, gradient = traced (f64s x) in
              check_number (name ^ ", the value in jit") (Scalar.get (f (f64s x))) value;
              check_close (name ^ ", the gradient in jit") expected gradient
            done;
            check_close (name ^ ", the gradient of jit") expected (outer (f64s x)))
          [ 1; 33; 1025 ]))
    functions

(* The central difference of f at x.(i). *)
let difference f x i =
  let step = 1e-5 in
  let at d = f (Array.mapi (fun j x -> if i = j then x +. d else x) x) in
  (at step -. at (-.step)) /. (2. *. step)

let differences () =
  let near = Check.testable (fun out -> Format.fprintf out "%h") (fun x y -> Float.abs (x -. y) <= 1e-5 *. (1. +. Float.abs y)) in
  List.iter
    (fun (name, f) ->
      let x = Array.map (fun x -> 2. +. x) (numbers 9) in
      let found = Seq.to_array (G.grad Jit.seq f (f64s x)) in
      Array.iteri (fun i g -> Check.check near name (difference (fun x -> Scalar.get (f (f64s x))) x i) g) found)
    [
      ("functions", fun s -> Seq.sum (Seq.map Expr.(fun x -> lgamma x * exp (tanh x) / (f64 1. + (x * x))) s));
      ( "a quadratic form of a covariance",
        fun s ->
          let k = Ndarray.(map Expr.(fun d -> exp (-(d * d))) (expand 1 s - expand 0 s) + eye Dtype.f64 9) in
          Ndarray.sum All Ndarray.(s * Linalg.(solve_vector ~form:`Positive k s)) );
      ("iterate", fun s -> Seq.sum (Seq.map Expr.(fun x -> loop Dtype.f64 ~init:x ~while_:(fun y -> y < f64 50.) (fun y -> y * (y + f64 1.))) s));
    ]

(* ---- parameters of each kind *)

type layer = { weights : (Axes.rank2, float, Expr.f64) Ndarray.t; bias : (float, Expr.f64) Seq.t; scale : (float, Expr.f64) Scalar.t }

let layer =
  Jit.(conv (fun l -> (l.weights, l.bias, l.scale)) (fun (weights, bias, scale) -> { weights; bias; scale }) (triple ndarray seq scalar))

let vector () = f64s [| 1.; -2.; 3. |]
let matrix () = Ndarray.of_arrays Dtype.f64 [| [| 1.; 2.; 3. |]; [| 4.; 5.; 6. |] |]
let a_layer () = { weights = matrix (); bias = f64s [| 7.; 8. |]; scale = Scalar.const Dtype.f64 0.5 }

(* scale * sum (w x + b)^2, where w x + b = (13, 20) *)
let layer_loss { weights; bias; scale } =
  let out = Ndarray.(Linalg.matvec weights (vector ()) + bias) in
  Scalar.map2 Expr.( * ) scale (Seq.sum (Seq.map Expr.(fun x -> x * x) out))

let check_layer name g =
  check_matrix (name ^ ", weights") [| [| 13.; -26.; 39. |]; [| 20.; -40.; 60. |] |] g.weights;
  check_close (name ^ ", bias") [| 13.; 20. |] g.bias;
  check_number (name ^ ", scale") 569. g.scale

let records () =
  check_layer "a record" (G.grad layer layer_loss (a_layer ()));
  check_layer "in jit" (Jit.(fn (layer @-> returning layer)) (G.grad layer layer_loss) (a_layer ()));
  let l = G.variable layer (a_layer ()) in
  let value = layer_loss l in
  check_number "the value" 284.5 value;
  check_layer "by run" (G.gradients value layer l);
  check_close "by a part" [| 13.; 20. |] (G.gradients value Jit.seq l.bias)

let kinds () =
  check_number "a number" 12. (G.grad (Jit.number Dtype.f64) (fun x -> Scalar.map Expr.(fun x -> x * x * x) x) 2.);
  check_number "a scalar" 12. (G.grad Jit.scalar (Scalar.map Expr.(fun x -> x * x * x)) (Scalar.const Dtype.f64 2.));
  let x, (y, n) =
    G.grad Jit.(pair seq (pair ndarray (number Dtype.f64)))
      (fun (x, (y, n)) -> Scalar.map2 Expr.( * ) n (Ndarray.sum All (Linalg.matvec y x)))
      (vector (), (matrix (), 2.))
  in
  check_close "a sequence" [| 10.; 14.; 18. |] x;
  check_matrix "a matrix" [| [| 2.; -4.; 6. |]; [| 2.; -4.; 6. |] |] y;
  check_number "a number of a tuple" 18. n;
  let many = List.init 20 (fun k -> f64s [| float k; 1. |]) in
  let total all = Seq.sum (List.fold_left (Seq.map2 Expr.( + )) (List.hd all) (List.tl all) |> Seq.map Expr.(fun x -> x * x)) in
  List.iter (check_close "a list" [| 380.; 40. |]) (G.grad (Jit.list Jit.seq) total many);
  let sum_of f = G.grad Jit.seq (fun s -> Seq.sum (Seq.map f s)) in
  check_floats "elements of f32" [| 2.; -4.; 6. |] (sum_of Expr.(fun x -> x * x) (Seq.of_list Dtype.f32 [ 1.; -2.; 3. ]));
  let pairs = sum_of Expr.(fun (x, y) -> x * cast Dtype.f64 y) (Seq.of_list Dtype.(pair f64 f32) [ (1., 2.); (3., 4.) ]) in
  Check.(check (array (pair close close))) "pairs" [| (2., 1.); (4., 3.) |] (Seq.to_array pairs)

(* ---- Jacobians and second order *)

let cubes s = Seq.map Expr.(fun x -> x * x * x) s

let products () =
  List.iter
    (fun n ->
      let x = numbers n in
      let dx = Array.mapi (fun i _ -> float (1 + (i mod 7))) x in
      let expected = Array.mapi (fun i x -> 3. *. x *. x *. dx.(i)) x in
      let y, pull = G.vjp Jit.seq Jit.seq cubes (f64s x) in
      check_close "y of vjp" (Array.map (fun x -> x *. x *. x) x) y;
      check_close "vjp" expected (pull (f64s dx));
      check_close "vjp, again" (Array.map (fun g -> 2. *. g) expected) (pull (f64s (Array.map (fun d -> 2. *. d) dx)));
      let y, dy = G.jvp Jit.seq Jit.seq cubes (f64s x) (f64s dx) in
      check_close "y of jvp" (Array.map (fun x -> x *. x *. x) x) y;
      check_close "jvp" expected dy;
      let sum s = Seq.sum (cubes s) in
      let second = Array.mapi (fun i x -> 6. *. x *. dx.(i)) x in
      check_close "Hessian" second (G.hessian_vector Jit.seq sum (f64s x) (f64s dx));
      check_close "Hessian in jit" second (Jit.(fn (seq @-> seq @-> returning seq)) (G.hessian_vector Jit.seq sum) (f64s x) (f64s dx)))
    sizes;
  let power (x, n) = (Scalar.map2 Expr.pow x n, [ Scalar.map2 Expr.( * ) x n ]) in
  let numbers = Jit.(pair (number Dtype.f64) (number Dtype.f64)) and results = Jit.(pair scalar (list scalar)) in
  let (y, _), (dy, dz) = G.jvp numbers results power (2., 3.) (1., 0.5) in
  check_number "a power" 8. y;
  check_number "its derivative" (12. +. (4. *. log 2.)) dy;
  List.iter (check_number "a product's derivative" 4.) dz;
  let _, pull = G.vjp numbers results power (2., 3.) in
  let by_x, by_n = pull (Scalar.const Dtype.f64 1., [ Scalar.const Dtype.f64 10. ]) in
  check_number "by x" 42. by_x;
  check_number "by n" ((8. *. log 2.) +. 20.) by_n;
  let hx, hn = G.hessian_vector numbers (fun (x, n) -> Scalar.map2 Expr.(fun x n -> x * x * n) x n) (2., 3.) (1., 1.) in
  check_number "a Hessian by numbers" 10. hx;
  check_number "and the other" 4. hn

let third_order () =
  let cube = Scalar.map Expr.(fun x -> x * x * x * x) in
  let d f = G.grad Jit.scalar f in
  check_number "x^4, three times" 48. (d (d (d cube)) (Scalar.const Dtype.f64 2.))

let stops () =
  let f s = Seq.sum (Seq.map2 Expr.( * ) s (G.stop_gradient Jit.seq s)) in
  check_close "one factor" [| 1.; -2.; 3. |] (G.grad Jit.seq f (vector ()));
  let g l = layer_loss { (G.stop_gradient layer l) with bias = l.bias } in
  let found = G.grad layer g (a_layer ()) in
  check_close "the bias alone" [| 13.; 20. |] found.bias;
  check_number "not the scale" 0. found.scale

let captured () =
  (* Captured sequences of f are constants, and a variable of an outer function is one of the inner. *)
  let w = vector () in
  let f s = Seq.sum (Seq.map2 Expr.( * ) s w) in
  check_close "a captured sequence" [| 1.; -2.; 3. |] (G.grad Jit.seq f (f64s [| 5.; 5.; 5. |]));
  let outer x = Seq.sum (G.grad Jit.seq (fun y -> Seq.sum (Seq.map2 Expr.(fun x y -> x * x * y * y) x y)) (vector ())) in
  check_close "a gradient of a gradient by another" [| 4.; 16.; 36. |] (G.grad Jit.seq outer (f64s [| 1.; -2.; 3. |]) |> Seq.map Expr.abs)

(* ---- errors *)

let errors () =
  let says parts f = List.iter (fun part -> says part f) parts in
  let x = vector () in
  let computed = Seq.sum x in
  ignore (Scalar.get computed);
  says [ "Warpfold.Gradient.gradients: "; "is not a variable" ] (fun () -> G.gradients (Seq.sum x) Jit.seq x);
  says [ "Warpfold.Gradient.gradients: "; "has no history"; "expected a sequence that is made from the variables" ] (fun () ->
      G.gradients computed Jit.seq (G.variable Jit.seq x));
  says [ "Warpfold.Gradient.grad: "; "has no history" ] (fun () -> G.grad Jit.seq (fun _ -> computed) x);
  says [ "Warpfold.Gradient.value_and_grad: "; "i64"; "expected floats, f32 or f64" ] (fun () ->
      G.value_and_grad Jit.seq Seq.sum (Seq.iota 3));
  let abs = Foreign.by_name "fabs" Dtype.f64 Dtype.f64 in
  says [ "Warpfold.Gradient.grad: "; "fabs"; "derivative" ] (fun () -> G.grad Jit.seq (fun s -> Seq.sum (Foreign.map abs s)) x);
  says [ "Warpfold.Gradient.jvp: "; "the tangent has length 2"; "expected equal shapes" ] (fun () -> G.jvp Jit.seq Jit.seq cubes x (f64s [| 1.; 2. |]));
  says [ "Warpfold.Gradient.jvp: tangents have 1 arrays, expected 2, one like each argument" ] (fun () ->
      G.jvp (Jit.list Jit.seq) Jit.seq List.hd [ x; x ] [ x ]);
  says [ "Warpfold.Gradient.vjp: cotangents have 2 arrays, expected 1, one like each result" ] (fun () ->
      snd (G.vjp Jit.seq (Jit.list Jit.seq) (fun s -> [ s ]) x) [ x; x ]);
  says [ "Warpfold.Gradient.grad: "; "variables is empty" ] (fun () -> G.grad (Jit.list Jit.seq) (fun _ -> Seq.sum x) []);
  (match G.grad Jit.seq (fun _ -> failwith "mine") x with
  | exception Failure text -> Check.(check string) "f's own error" "mine" text
  | _ -> Check.fail "raised nothing");
  (* Jit is as before after errors. *)
  let calls = ref 0 in
  let f = Jit.jit (fun s -> incr calls; cubes s) in
  ignore (f x, f x);
  Check.(check int) "traced once" 1 !calls;
  check_close "a variable that nothing depends on" [| 0.; 0.; 0. |] (G.gradients (Seq.sum (cubes (vector ()))) Jit.seq (G.variable Jit.seq x))

let threads () =
  let work k () =
    for n = 1 to 40 do
      let x = Array.map (fun x -> x +. float k) (numbers (100 * n)) in
      let value, gradient = G.value_and_grad Jit.seq (fun s -> Seq.sum (cubes s)) (f64s x) in
      Thread.yield ();
      if Scalar.get value <> Scalar.get (Seq.sum (cubes (f64s x))) then failwith "value";
      check_close "in a thread" (Array.map (fun x -> 3. *. x *. x) x) gradient
    done
  in
  let failures = Atomic.make 0 in
  let guarded k () = try work k () with _ -> Atomic.incr failures in
  List.iter Thread.join (List.init 2 (fun k -> Thread.create (guarded k) ()));
  Check.(check int) "failures" 0 (Atomic.get failures)

let one_kernel () =
  let value, gradient = G.value_and_grad Jit.seq (fun s -> Seq.sum (Seq.map Expr.(fun x -> sin x * sin x) s)) (f64s (numbers 1000)) in
  Check.(check bool) "value and gradient" true (contains "1 kernel\n" (explain [ Scalar value; Seq gradient ]))

let tests =
  [
    case "one sequence" one_sequence; case "in jit and of jit" in_jit; case "differences" differences; case "records" records;
    case "kinds of parameters" kinds; case "Jacobians and Hessians" products; case "third order" third_order; case "stops" stops;
    case "captured sequences" captured; case "errors" errors; case "two threads" threads; case "one kernel" one_kernel;
  ]
