(* jacobi [SIZE]: solves a x = b for a matrix whose diagonal exceeds the sum of the rest of each row, by Jacobi's iteration, until no element
   changes by more than 1e-12. The solution is known: element i is sin i. *)

open Warpfold

let times a x = Ndarray.(sum (Axis 1) (a * expand 0 x))

(* x and the number of steps. The test of the change is computed with the step, in one pass over the matrix. *)
let rec solve rest pivots b x steps =
  let next = Ndarray.((b - times rest x) / pivots) in
  let change = Ndarray.(max All (map Expr.abs (next - x))) in
  force [ Seq next; Scalar change ];
  if Scalar.get change <= 1e-12 then (next, steps) else solve rest pivots b next (steps + 1)

let () =
  Timing.main "jacobi [SIZE]" (fun () ->
      let size = Timing.argument 1 1000 in
      let element i j = Expr.(where (i = j) (f64 (float size)) (cos (cast Dtype.f64 ((i * int 7) + (j * int 3))))) in
      let a = Ndarray.init [ size; size ] (fun [ i; j ] -> element i j) in
      let solution = Seq.init size (fun i -> Expr.(sin (cast Dtype.f64 i))) in
      let b = times a solution and pivots = Ndarray.diagonal a in
      let rest = Ndarray.(a * (1. $- eye Dtype.f64 size)) in
      force [ Ndarray rest; Seq b; Seq pivots ];
      let start = Unix.gettimeofday () in
      let x, steps = solve rest pivots b (Seq.init size (fun _ -> Expr.f64 0.)) 1 in
      Printf.eprintf "%.3g s\n%!" (Unix.gettimeofday () -. start);
      let error = Scalar.get Ndarray.(max All (map Expr.abs (x - solution))) in
      Printf.printf "%d steps, %s\n" steps (if error < 1e-11 then "solved" else "NOT solved"))
