(* heat [SIZE [STEPS]]: heat spreads on a square plate, whose edges are kept at 0. The temperature starts as half a wave along each axis, which only
   loses height: each step multiplies it by one factor. *)

open Warpfold

let alpha = 0.2

(* An index of a neighbour outside of the plate counts only where it is chosen. *)
let step size u =
  let next : (Expr.int, Axes.rank2) Axes.t -> Expr.f64 = fun [ i; j ] ->
    let cell di dj = Ndarray.at u Expr.[ i + int di; j + int dj ] in
    let is_inside k = Expr.(k > int 0 && k < int Stdlib.(size - 1)) in
    let change = Expr.(cell (-1) 0 + cell 1 0 + cell 0 (-1) + cell 0 1 - (f64 4. * cell 0 0)) in
    Expr.(where (is_inside i && is_inside j) (cell 0 0 + (f64 alpha * change)) (f64 0.))
  in
  let u = Ndarray.init [ size; size ] next in
  Ndarray.force u;
  u

let () =
  Timing.main "heat [SIZE [STEPS]]" (fun () ->
      let size = Timing.argument 1 100 and steps = Timing.argument 2 1000 in
      let angle = Float.pi /. float (size - 1) in
      let wave i = Expr.(sin (f64 angle * cast Dtype.f64 i)) in
      let u = Ndarray.init [ size; size ] (fun [ i; j ] -> Expr.(wave i * wave j)) in
      Ndarray.force u;
      let rec after k u = if k = 0 then u else after (k - 1) (step size u) in
      let u = Timing.timed (size * size * steps) "cells" (fun () -> after steps u) in
      let factor = 1. -. (4. *. alpha *. (1. -. cos angle)) in
      let middle = size / 2 in
      Printf.printf "in the middle %.6f, expected %.6f\n"
        (Ndarray.get u [ middle; middle ])
        ((factor ** float steps) *. (sin (angle *. float middle) ** 2.)))
