(* gaussian_process [POINTS [STEPS]]: a Gaussian process fitted to noisy points of sin 3x (C. E. Rasmussen, C. K. I. Williams, 2006, algorithm 2.1).
   The logarithms of its length scale, amplitude and noise maximize the likelihood of the points, by Cholesky's factorization and its gradient. *)

open Warpfold

type 's kernel = { length : 's; amplitude : 's; noise : 's }  (* logarithms *)

let kernel =
  Jit.(conv (fun k -> (k.length, k.amplitude, k.noise)) (fun (length, amplitude, noise) -> { length; amplitude; noise }) (triple scalar scalar scalar))

(* The covariances of the function between two sequences of points. *)
let covariance k x y =
  let of_distance d = Expr.(exp ((f64 2. * value k.amplitude) - (f64 0.5 * d * d * exp (f64 (-2.) * value k.length)))) in
  Ndarray.(map of_distance (expand 1 x - expand 0 y))

let factor k x =
  let noise = Scalar.map Expr.(fun s -> exp (f64 2. * s)) k.noise in
  let n = Seq.length x in
  Linalg.cholesky Ndarray.(covariance k x x + map Expr.(fun d -> d * value noise) (eye Dtype.f64 n))

(* -log of the likelihood of y, per point. *)
let loss x y k =
  let l = factor k x in
  let fit = Seq.dot y (Linalg.solve_vector ~form:`Cholesky l y) and volume = Linalg.log_determinant ~form:`Cholesky l in
  let n = float (Seq.length x) and constant = 0.5 *. log (2. *. Float.pi) in
  Scalar.map2 Expr.(fun fit volume -> ((fit + volume) / f64 2. / f64 n) + f64 constant) fit volume

let step =
  let next p g = Scalar.map2 Expr.(fun p g -> p - (f64 0.2 * g)) p g in
  Jit.(fn (seq @-> seq @-> kernel @-> returning (pair scalar kernel))) (fun x y k ->
      let value, g = Gradient.value_and_grad kernel (loss x y) k in
      (value, { length = next k.length g.length; amplitude = next k.amplitude g.amplitude; noise = next k.noise g.noise }))

let truth x = Expr.(sin (f64 3. * x))

let () =
  Timing.main "gaussian_process [POINTS [STEPS]]" (fun () ->
      let n = Timing.argument 1 200 and steps = Timing.argument 2 100 in
      let x = Random.uniform Dtype.f64 ~parameters:[ Real 0.; Real 4. ] (Random.key 1) n in
      let y = Seq.map2 Expr.(fun x e -> truth x + (f64 0.1 * e)) x (Random.gaussian Dtype.f64 (Random.key 2) n) in
      force [ Seq x; Seq y ];
      let rec descend i k = if i = 0 then k else descend (i - 1) (snd (step x y k)) in
      let zero = Scalar.const Dtype.f64 0. in
      let k = Timing.timed steps "steps" (fun () -> descend steps { length = zero; amplitude = zero; noise = zero }) in
      (* The mean of the process between the points. *)
      let grid = Seq.init 400 Expr.(fun i -> cast Dtype.f64 i / f64 100.) in
      let mean = Linalg.(matvec (covariance k grid x) (solve_vector ~form:`Cholesky (factor k x) y)) in
      let errors = Seq.map2 Expr.(fun m x -> abs (m - truth x)) mean grid in
      let shown p = exp (Scalar.get p) in
      Printf.printf "length %.3f, amplitude %.3f, noise %.3f; loss %.3f; the mean is off by %.3f at most\n" (shown k.length) (shown k.amplitude)
        (shown k.noise)
        (Scalar.get (loss x y k))
        (Scalar.get (Seq.max errors)))
