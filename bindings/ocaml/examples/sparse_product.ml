(* sparse_product [ROWS]: a sparse matrix times a vector. The rows are the segments of the entries (column, value); one kernel computes the
   product. Row r has about ROWS / (r + 1) entries, so that the rows' lengths differ as much as those of real graphs. *)

open Warpfold

let times rows x = Nested.sum (Nested.map (fun (column, entry) -> Expr.(entry * x.%(column))) rows)

let matrix n =
  let lengths = Seq.init n Expr.(fun r -> int n / (r + int 1)) in
  let entry i = Expr.((i * int 7919) mod int n, cast Dtype.f64 ((i mod int 10) - int 4)) in
  Nested.of_lengths lengths (Seq.init_to Dtype.(pair int f64) (Scalar.get (Seq.sum lengths)) entry)

let () =
  Timing.main "sparse_product [ROWS]" (fun () ->
      let n = Timing.argument 1 100_000 in
      let rows = matrix n and x = Seq.init n Expr.(fun i -> cast Dtype.f64 (i mod int 7)) in
      force [ Seq (Nested.flatten rows); Seq (Nested.offsets rows); Seq x ];
      let y = times rows x in
      Timing.timed (Seq.length (Nested.flatten rows)) "entries" (fun () -> Seq.force y);
      Printf.printf "%d rows, %d entries, sum %.0f, last %.0f\n" n (Seq.length (Nested.flatten rows)) (Scalar.get (Seq.sum y))
        (Seq.get y (n - 1)))
