(* moving_average W NUMBER...: the means of W neighbours, by the sums of windows (work n W, one kernel) and by differences of prefix sums
   (work n, two kernels). *)

open Warpfold

let by_windows w s = Seq.map Expr.(fun sum -> sum / f64 (float w)) (Nested.sum (Nested.windows w s))

let by_prefixes w s =
  let before, total = Seq.scan Expr.( + ) 0. s in
  let sums = Seq.append before (Seq.singleton Dtype.f64 (Scalar.get total)) in
  Seq.map2 Expr.(fun high low -> (high - low) / f64 (float w)) (Seq.drop w sums) (Seq.take (Seq.length s - w + 1) sums)

let () =
  Timing.main "moving_average W NUMBER..." (fun () ->
      let w = int_of_string Sys.argv.(1) in
      let numbers = Array.map float_of_string (Array.sub Sys.argv 2 (Array.length Sys.argv - 2)) in
      let s = Seq.of_array Dtype.f64 numbers in
      let show f =
        let averages = Timing.timed (Array.length numbers) "numbers" (fun () -> let averages = f w s in Seq.force averages; averages) in
        print_endline (Seq.to_string ~element:(Printf.sprintf "%.3f") ~limit:max_int averages)
      in
      show by_windows;
      show by_prefixes)
