(* logistic [ROWS [STEPS]]: logistic regression by steps of gradient descent. The table is made: each column is Gaussian, and a row's label is 1 with
   the probability that a model with known weights gives. A step is one call of a function that jit has planned, with its gradient. *)

open Warpfold

type model = { weights : (float, Expr.f64) Seq.t; bias : (float, Expr.f64) Scalar.t }

let model = Jit.(conv (fun m -> (m.weights, m.bias)) (fun (weights, bias) -> { weights; bias }) (pair seq scalar))
let hidden () = { weights = Seq.of_list Dtype.f64 [ 1.; -2.; 0.5; 0. ]; bias = Scalar.const Dtype.f64 0.25 }

(* The logarithms of the odds. *)
let scores m x = Seq.map Expr.(fun p -> p + value m.bias) (Linalg.matvec x m.weights)

(* The mean of -log(the probability that the model gives to a label). *)
let loss x labels m = Seq.mean (Seq.map2 Expr.(fun p t -> softplus p - (t * p)) (scores m x) labels)

let step =
  let next w g = Expr.(w - (f64 2. * g)) in
  Jit.(fn (ndarray @-> seq @-> model @-> returning (pair scalar model))) (fun x labels m ->
      let value, g = Gradient.value_and_grad model (loss x labels) m in
      (value, { weights = Seq.map2 next m.weights g.weights; bias = Scalar.map2 next m.bias g.bias }))

let made rows =
  let x = Ndarray.reshape [ rows; 4 ] (Random.gaussian Dtype.f64 (Random.key 1) (rows * 4)) in
  let chances = Random.uniform Dtype.f64 (Random.key 2) rows in
  let labels = Seq.map2 Expr.(fun p u -> cast Dtype.f64 (u < sigmoid p)) (scores (hidden ()) x) chances in
  force [ Ndarray x; Seq labels ];
  (x, labels)

let () =
  Timing.main "logistic [ROWS [STEPS]]" (fun () ->
      let rows = Timing.argument 1 100_000 and steps = Timing.argument 2 100 in
      let x, labels = made rows in
      let rec descend k m = if k = 0 then m else descend (k - 1) (snd (step x labels m)) in
      let start = { weights = Seq.of_list Dtype.f64 [ 0.; 0.; 0.; 0. ]; bias = Scalar.const Dtype.f64 0. } in
      let found = Timing.timed (rows * steps) "rows" (fun () -> descend steps start) in
      Printf.printf "loss %.4f to %.4f, weights %s, bias %.2f\n"
        (Scalar.get (loss x labels start))
        (Scalar.get (loss x labels found))
        (String.concat " " (List.map (Printf.sprintf "%.2f") (Seq.to_list found.weights)))
        (Scalar.get found.bias))
