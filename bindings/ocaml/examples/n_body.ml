(* n_body [BODIES [STEPS]]: bodies of equal mass under gravity, by leapfrog steps, and how well their energy is conserved. A body's force is an
   inner reduction over all bodies: one kernel per step, which stores no pair. *)

open Warpfold

let softening = 0.01
let triple = Dtype.(triple f64 f64 f64)
let plus (a, b, c) (d, e, f) = Expr.(a + d, b + e, c + f)
let scaled k (a, b, c) = Expr.(f64 k * a, f64 k * b, f64 k * c)
let from (a, b, c) (d, e, f) = Expr.(d - a, e - b, f - c)
let squared (a, b, c) = Expr.((a * a) + (b * b) + (c * c))

let accelerations positions mass =
  let pull here there =
    let dx, dy, dz = from here there in
    let r = Expr.rsqrt Expr.(squared (dx, dy, dz) + f64 softening) in
    let k = Expr.(f64 mass * r * r * r) in
    Expr.(k * dx, k * dy, k * dz)
  in
  Seq.map_to triple (fun here -> Inner.(reduce plus (0., 0., 0.) (map_to triple (pull here) (seq positions)))) positions

let energy positions velocities mass =
  let pair here there = Expr.(f64 mass * rsqrt (squared (from here there) + f64 softening)) in
  let potential here = Inner.(sum (map (pair here) (seq positions))) in
  let half = mass /. 2. in
  let each here velocity = Expr.(f64 half * (squared velocity - potential here)) in
  Scalar.get (Seq.sum (Seq.map2 each positions velocities))

let advance dt mass (positions, velocities) =
  let kicked v = Seq.map_to triple (fun (v, a) -> plus v (scaled dt a)) (Seq.zip v (accelerations positions mass)) in
  let velocities = kicked velocities in
  let moved = Seq.map_to triple (fun (p, v) -> plus p (scaled dt v)) (Seq.zip positions velocities) in
  force [ Seq moved; Seq velocities ];
  (moved, velocities)

let () =
  Timing.main "n_body [BODIES [STEPS]]" (fun () ->
      let n = Timing.argument 1 1000 and steps = Timing.argument 2 10 in
      let place i k = Expr.((cast Dtype.f64 ((i * int k) mod int 1009) / f64 1009.) - f64 0.5) in
      let start = Seq.init_to triple n (fun i -> (place i 7919, place i 104729, place i 1299709)) in
      let mass = 1. /. float n and still = Seq.init_to triple n (fun _ -> Expr.(f64 0., f64 0., f64 0.)) in
      let rec run k state = if k = 0 then state else run (k - 1) (advance 1e-3 mass state) in
      let positions, velocities = Timing.timed (n * n * steps) "pairs" (fun () -> run steps (start, still)) in
      let before = energy start still mass and after = energy positions velocities mass in
      Printf.printf "energy %.6f, after %d steps %.6f\n" before steps after)
