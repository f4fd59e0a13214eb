(* particle_filter [PARTICLES [STEPS]]: the position of a point, which moves at random and is observed with errors, estimated by particles (N.
   Gordon and others, 1993). They are resampled by a scan of the weights and a search in it. The model is linear, so Kalman's filter computes
   the exact mean; the program prints how far the estimates are from it. *)

open Warpfold

let decay, noise, error = (0.9, 1., 0.5) (* x' = decay x + noise z, observed as x' + error z' *)

(* The mean of the moved particles, weighted by how well they explain the observation, and a particle for each of n equal parts of the sum of
   the weights. *)
let step particles key observed =
  let n = Seq.length particles in
  let moved = Seq.map2 Expr.(fun x z -> (f64 decay * x) + (f64 noise * z)) particles (Random.gaussian Dtype.f64 (Random.split key 0) n) in
  let weight x =
    let open Expr in
    let z = (f64 observed - x) / f64 error in
    exp (f64 (-0.5) * z * z)
  in
  let weights = Seq.map weight moved in
  let sums, total = Seq.scan_incl_total Expr.( + ) 0. weights in
  let weighted = Seq.dot weights moved in
  force [ Seq moved; Seq sums; Scalar weighted ];
  let offset = Random.split key 1 in
  let place i = Expr.((cast Dtype.f64 i + uniform Dtype.f64 (value offset) (int 0)) / f64 (float n) * value total) in
  let chosen = Seq.map (fun k -> Expr.(moved.%(min k (int (Stdlib.( - ) n 1))))) (Seq.binary_search sums (Seq.init n place)) in
  Seq.force chosen;
  (chosen, Scalar.get weighted /. Scalar.get total)

let () =
  Timing.main "particle_filter [PARTICLES [STEPS]], both at least 1" (fun () ->
      let n = Timing.argument 1 1_000_000 and steps = Timing.argument 2 50 in
      let of_truth = Random.split (Random.key 2026) 0 and of_filter = Random.split (Random.key 2026) 1 in
      let gaussians k = Seq.to_array (Random.gaussian Dtype.f64 (Random.split of_truth k) steps) in
      let moves = gaussians 0 and errors = gaussians 1 in
      (* The mean and the variance are Kalman's. *)
      let rec run t x mean variance squares particles =
        if t = steps then (squares, variance)
        else
          let x = (decay *. x) +. (noise *. moves.(t)) in
          let observed = x +. (error *. errors.(t)) and predicted = (decay *. decay *. variance) +. (noise *. noise) in
          let gain = predicted /. (predicted +. (error *. error)) in
          let mean = (decay *. mean) +. (gain *. (observed -. (decay *. mean))) in
          let particles, estimate = step particles (Random.split of_filter (t + 1)) observed in
          run (t + 1) x mean ((1. -. gain) *. predicted) (squares +. ((estimate -. mean) ** 2.)) particles
      in
      let squares, variance =
        Timing.timed (n * steps) "particles" (fun () ->
            run 0 0. 0. 1. 0. (Random.gaussian Dtype.f64 (Random.split of_filter 0) n))
      in
      Printf.printf "distance from Kalman's filter %.6f, deviation of the position %.6f\n"
        (sqrt (squares /. float steps))
        (sqrt variance))
