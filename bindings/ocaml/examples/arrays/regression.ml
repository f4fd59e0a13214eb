(* regression [FILE.csv]: the linear function of the other columns that predicts the last column of a table, by least squares: the normal
   equations by Cholesky's factorization. Without FILE, the table is made by 1 + 2 x - 3 y, with noise. *)

open Warpfold
open Ndarray.Parts

let made n =
  let x, rest = (Random.gaussian Dtype.f64 (Random.key 1) n, Random.gaussian Dtype.f64 (Random.key 2) n) in
  let noise = Random.gaussian Dtype.f64 (Random.key 3) n in
  let z = Seq.map3 Expr.(fun x y e -> f64 1. + (f64 2. * x) - (f64 3. * y) + (f64 0.1 * e)) x rest noise in
  Ndarray.stack 1 [ x; rest; z ]

(* The constant and the factor of each column, and the root of the mean squared error. *)
let fit table =
  let x = Ndarray.slice [ All; Until (-1) ] table and y = Ndarray.column (-1) table in
  let rows = Seq.length y in
  let x = Ndarray.join 1 [ Ndarray.fill Dtype.f64 [ rows; 1 ] 1.; x ] in
  Ndarray.force x;
  let transposed = Ndarray.transpose x in
  let factors = Linalg.(solve_vector ~form:`Positive (transposed *@ x) (matvec transposed y)) in
  let errors = Ndarray.Infix.(y - Linalg.matvec x factors) in
  (factors, Scalar.map Expr.sqrt (Seq.mean (Seq.map Expr.(fun e -> e * e) errors)))

let () =
  Timing.main "regression [FILE.csv]" (fun () ->
      let table = if Array.length Sys.argv > 1 then Files.read [ -1; -1 ] Dtype.f64 Sys.argv.(1) else made 1_000_000 in
      let Axes.[ rows; _ ] = Ndarray.shape table in
      let factors, error = Timing.timed rows "rows" (fun () ->
          let factors, error = fit table in
          force [ Seq factors; Scalar error ];
          (factors, error))
      in
      Seq.iter (Printf.printf "%.4f ") factors;
      Printf.printf "with an error of %.4f\n" (Scalar.get error))
