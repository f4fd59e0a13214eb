(* pca [POINTS [DIMENSIONS]]: the principal components of points that lie near a plane: the eigenvectors of their covariance. Prints the part of the
   variance along the first two, and in the first two coordinates of one point. *)

open Warpfold

let points n dimensions =
  let key = Random.key 7 in
  let gaussian k m = Ndarray.reshape [ n; m ] (Random.gaussian Dtype.f64 (Random.split key k) (n * m)) in
  let plane = Ndarray.init [ 2; dimensions ] Expr.(fun [ i; j ] -> cos (cast Dtype.f64 ((i * int 3) + j))) in
  Ndarray.Infix.(Linalg.(gaussian 0 2 *@ plane) + (gaussian 1 dimensions *$ 0.05))

(* The variances along the components, and the components as columns; the greatest first. *)
let components points =
  let Axes.[ n; _ ] = Ndarray.shape points in
  let centred = Ndarray.(points - mean (Keep [ 0 ]) points) in
  let covariance = Ndarray.Infix.(Linalg.(Ndarray.transpose centred *@ centred) /$ float n) in
  let variances, vectors = Linalg.eigen covariance in
  (Seq.rev variances, Ndarray.flip 1 vectors)

let () =
  Timing.main "pca [POINTS [DIMENSIONS]]" (fun () ->
      let n = Timing.argument 1 100_000 and dimensions = Timing.argument 2 20 in
      let points = points n dimensions in
      Ndarray.force points;
      let variances, vectors = Timing.timed n "points" (fun () ->
          let variances, vectors = components points in
          force [ Seq variances; Ndarray vectors ];
          (variances, vectors))
      in
      let part = Scalar.get (Seq.sum (Seq.take 2 variances)) /. Scalar.get (Seq.sum variances) in
      let first = Ndarray.slice [ All; Until 2 ] vectors in
      let flat = Linalg.(points *@ first *@ Ndarray.transpose first) in
      let distance = Ndarray.Infix.(points - flat) in
      let rest = Scalar.get (Seq.mean (Seq.map Expr.(fun x -> x * x) (Ndarray.flatten distance))) in
      Printf.printf "%.2f %% of the variance in a plane; points are %.4f from it in each coordinate\n" (100. *. part) (sqrt rest))
