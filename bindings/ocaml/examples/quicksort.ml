(* quicksort [N]: sorts N numbers as textbooks do. Quicksort filters three times in one pass and recurs. Samplesort collects the numbers between
   the neighbours in a sorted sample, and sorts each group. Seq.sort is faster than both. *)

open Warpfold

let few = 5000

let rec quicksort s =
  let n = Seq.length s in
  if n <= few then Seq.sort s
  else
    let pivot = Seq.get s (n / 2) in
    let below = Seq.filter Expr.(fun x -> x < int pivot) s and above = Seq.filter Expr.(fun x -> x > int pivot) s in
    let same = Seq.filter Expr.(fun x -> x = int pivot) s in
    force [ Seq below; Seq same; Seq above ];
    Seq.concat [ quicksort below; same; quicksort above ]

let samplesort s =
  let n = Seq.length s in
  let every = int_of_float (sqrt (float n)) + 1 in
  let sample = Seq.sort (Seq.init (n / every) Expr.(fun i -> s.%(i * int every))) in
  let _, buckets = Nested.collect (Seq.zip (Seq.binary_search sample s) s) in
  Nested.flatten (Nested.sort buckets)

let () =
  Timing.main "quicksort [N]" (fun () ->
      let n = Timing.argument 1 1_000_000 in
      let numbers = Seq.init n Expr.(fun i -> ((i * int 1103515245) + int 12345) mod int 1000003) in
      Seq.force numbers;
      let check name sort =
        let sorted = Timing.timed n "numbers" (fun () -> let sorted = sort numbers in Seq.force sorted; sorted) in
        Printf.printf "%s: %s\n" name (if Seq.equal Expr.( = ) sorted (Seq.sort numbers) then "sorted" else "NOT sorted")
      in
      check "quicksort" quicksort;
      check "samplesort" samplesort)
