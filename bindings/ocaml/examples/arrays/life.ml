(* life [SIZE [STEPS]]: Conway's Game of Life on a torus, from the R-pentomino in its middle. Prints the number of living cells, and the
   board if it fits a screen. *)

open Warpfold

let step size life =
  let wrapped i = Expr.((i + int size) mod int size) in
  let next : (Expr.int, Axes.rank2) Axes.t -> Expr.bool = fun [ i; j ] ->
    let alive (di, dj) = Expr.(cast Dtype.i32 (Ndarray.at life [ wrapped (i + int di); wrapped (j + int dj) ])) in
    let around = List.map alive [ (-1, -1); (-1, 0); (-1, 1); (0, -1); (0, 1); (1, -1); (1, 0); (1, 1) ] in
    let n = List.fold_left Expr.( + ) (Expr.i32 0) around in
    Expr.(n = i32 3 || (n = i32 2 && Ndarray.at life [ i; j ]))
  in
  let life = Ndarray.init [ size; size ] next in
  Ndarray.force life;
  life

let () =
  Timing.main "life [SIZE [STEPS]]" (fun () ->
      let size = Timing.argument 1 1000 and steps = Timing.argument 2 100 in
      let pentomino = [ (0, 1); (0, 2); (1, 0); (1, 1); (2, 1) ] in
      let is_one i j (a, b) = Expr.(i = int Stdlib.((size / 2) + a) && j = int Stdlib.((size / 2) + b)) in
      let first = Ndarray.init [ size; size ] (fun [ i; j ] -> List.fold_left Expr.( || ) (Expr.bool false) (List.map (is_one i j) pentomino)) in
      Ndarray.force first;
      let rec after k life = if k = 0 then life else after (k - 1) (step size life) in
      let life = Timing.timed (size * size * steps) "cells" (fun () -> after steps first) in
      let line row = print_endline (String.init size (fun j -> if row.(j) then '#' else '.')) in
      if size <= 64 then Array.iter line (Ndarray.to_arrays life);
      Printf.printf "%d cells live\n" (Scalar.get (Ndarray.count All life)))
