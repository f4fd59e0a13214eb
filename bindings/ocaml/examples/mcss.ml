(* mcss NUMBER...: the maximum contiguous subsequence sum; the sum of the empty subsequence is 0.
   One pass: a reduction over four sums per stretch of numbers, which suffice to join two adjacent stretches. *)

open Warpfold

(* Sums of a stretch: its largest subsequence sum, its largest prefix sum, its largest suffix sum, its total. *)
let sums = Dtype.(quadruple int int int int)

let single x =
  let gain = Expr.(max x (int 0)) in
  (gain, gain, gain, x)

let join (best, prefix, suffix, total) (best', prefix', suffix', total') =
  Expr.
    ( max (max best best') (suffix + prefix'),
      max prefix (total + prefix'),
      max suffix' (suffix + total'),
      total + total' )

let mcss s =
  let best, _, _, _ = Scalar.get (Seq.reduce join (0, 0, 0, 0) (Seq.map_to sums single s)) in
  best

let () =
  Timing.main "mcss NUMBER..." (fun () ->
      let numbers = Array.map int_of_string (Array.sub Sys.argv 1 (Array.length Sys.argv - 1)) in
      let s = Seq.of_array Dtype.int numbers in
      Printf.printf "%d\n" (Timing.timed (Array.length numbers) "numbers" (fun () -> mcss s)))
