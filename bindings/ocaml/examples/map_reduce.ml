(* map_reduce NUMBER...: mean, standard deviation and extremes of the numbers, all from one pass over them. *)

open Warpfold

let statistics numbers =
  let n = float (Array.length numbers) in
  let s = Seq.of_array Dtype.f64 numbers in
  let sum = Seq.reduce Expr.( + ) 0. s in
  let squares = Seq.reduce Expr.( + ) 0. (Seq.map Expr.(fun x -> x * x) s) in
  let smallest = Seq.reduce_op Expr.min s and largest = Seq.reduce_op Expr.max s in
  let mean = Scalar.map Expr.(fun sum -> sum / f64 n) sum in
  let deviation =
    Scalar.map2 Expr.(fun squares mean -> sqrt (max ((squares / f64 n) - (mean * mean)) (f64 0.))) squares mean
  in
  let all = [ Scalar mean; Scalar deviation; Scalar smallest; Scalar largest ] in
  print_endline (explain all);
  Timing.timed (Array.length numbers) "numbers" (fun () -> force all);
  Printf.printf "mean %.6f, deviation %.6f, from %.6f to %.6f\n" (Scalar.get mean) (Scalar.get deviation) (Scalar.get smallest) (Scalar.get largest)

let () =
  Timing.main "map_reduce NUMBER..." (fun () ->
      statistics (Array.map float_of_string (Array.sub Sys.argv 1 (Array.length Sys.argv - 1))))
