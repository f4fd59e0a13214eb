(* primes [N]: how many primes are below N, and the last ones, by a sieve. The multiples of the primes up to the root of N are one
   sequence, and a scatter crosses all of them out. Work N log log N. *)

open Warpfold

let rec primes n =
  if n <= 2 then Seq.empty Dtype.int
  else
    let root = int_of_float (sqrt (float (n - 1))) in
    let small = primes (root + 1) in
    (* 2p, 3p, ... below n for each small prime p: segment k is of the multiples of small.(k). *)
    let last = n - 1 in
    let counts = Seq.map Expr.(fun p -> (int last / p) - int 1) small in
    let multiples = Nested.of_lengths counts (Seq.iota (Scalar.get (Seq.sum counts))) in
    let starts = Nested.offsets multiples in
    let multiples = Nested.mapi (fun k i -> Expr.(small.%(k) * (i - starts.%(k) + int 2))) multiples in
    let candidates = Seq.init n Expr.(fun i -> i >= int 2) in
    let composite = Seq.map (fun _ -> Expr.bool false) (Nested.flatten multiples) in
    Seq.pack_index Fun.id (Seq.scatter candidates (Nested.flatten multiples) composite)

let () =
  Timing.main "primes [N]" (fun () ->
      let n = Timing.argument 1 1_000_000 in
      let all = Timing.timed n "numbers" (fun () -> let all = primes n in Seq.force all; all) in
      let count = Seq.length all in
      Printf.printf "%d primes below %d, the last ones %s\n" count n (Seq.to_string (Seq.drop (max 0 (count - 3)) all)))
