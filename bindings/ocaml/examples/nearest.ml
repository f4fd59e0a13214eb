(* nearest [K [POINTS]]: the K points that are nearest to the centre of a square, and the mean distance of all points to their nearest one.
   For each point an inner reduction looks at all others: one kernel, which stores no distance. *)

open Warpfold

let distance (x, y) (x', y') = Expr.(((x - x') * (x - x')) + ((y - y') * (y - y')))

let nearest k centre points =
  let distances = Seq.map (fun p -> Expr.sqrt (distance p (Expr.const Dtype.(pair f64 f64) centre))) points in
  Seq.take k (Seq.sort (Seq.zip distances (Seq.iota (Seq.length points))))

let nearest_of_all points =
  let n = Seq.length points in
  let others i p = Inner.init (Expr.int n) Expr.(fun j -> where (i = j) (f64 infinity) (distance p points.%(j))) in
  Seq.map (fun (i, p) -> Expr.sqrt (Inner.min (others i p))) (Seq.enumerate points)

let () =
  Timing.main "nearest [K [POINTS]], with K at most POINTS" (fun () ->
      let k = Timing.argument 1 3 and n = Timing.argument 2 2000 in
      let place i a m = Expr.(cast Dtype.f64 ((i * int a) mod int m) / f64 (float m)) in
      let points = Seq.init_to Dtype.(pair f64 f64) n (fun i -> (place i 7919 10007, place i 104729 9973)) in
      Seq.force points;
      Seq.iter (fun (d, i) -> Printf.printf "point %d, distance %.6f\n" i d) (nearest k (0.5, 0.5) points);
      let mean = Timing.timed (n * n) "pairs" (fun () -> Scalar.get (Seq.mean (nearest_of_all points))) in
      Printf.printf "mean distance to the nearest %.6f\n" mean)
