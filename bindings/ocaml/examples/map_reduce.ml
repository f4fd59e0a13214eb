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
  Format.printf "mean %a, deviation %a, from %a to %a@." Scalar.pp mean Scalar.pp deviation Scalar.pp smallest Scalar.pp
    largest

let () =
  match Array.map float_of_string (Array.sub Sys.argv 1 (Array.length Sys.argv - 1)) with
  | [||] | (exception Failure _) ->
      prerr_endline "usage: map_reduce NUMBER...";
      exit 2
  | numbers -> statistics numbers
