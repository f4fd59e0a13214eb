(* metropolis [CHAINS [STEPS]]: the mean and the variance of the density x^2 exp(-x) / 2, which are 3, by independent Markov chains (N. Metropolis
   and others, 1953). A chain is a loop in a function, and draws by its own key; all chains are one kernel. *)

open Warpfold

let log_density x = Expr.(where (x > f64 0.) ((f64 2. * log x) - x) (f64 neg_infinity))

(* The last point of a chain, and the number of accepted moves. *)
let chain steps of_chain =
  let open Expr in
  let moves = split_key of_chain (int 0) and chances = split_key of_chain (int 1) in
  let next (x, accepted, k) =
    let candidate = x + (f64 2.5 * gaussian Dtype.f64 moves k) in
    let accepts = log (uniform Dtype.f64 chances k) < log_density candidate - log_density x in
    (where accepts candidate x, accepted + cast Dtype.int accepts, k + int 1)
  in
  let x, accepted, _ =
    loop Dtype.(triple f64 int int) ~init:(f64 1., int 0, int 0) ~while_:(fun (_, _, k) -> k < int steps) next
  in
  (x, accepted)

let () =
  Timing.main "metropolis [CHAINS [STEPS]], both at least 1" (fun () ->
      let n = Timing.argument 1 100_000 and steps = Timing.argument 2 100 in
      let x, accepted = Seq.unzip (Seq.map_to Dtype.(pair f64 int) (chain steps) (Random.keys (Random.key 2026) n)) in
      let sum = Seq.sum x and squares = Seq.dot x x and moves = Seq.sum accepted in
      Timing.timed (n * steps) "moves" (fun () -> force [ Scalar sum; Scalar squares; Scalar moves ]);
      let mean = Scalar.get sum /. float n in
      Printf.printf "mean %.4f, variance %.4f, %.1f%% of the moves accepted\n" mean
        ((Scalar.get squares /. float n) -. (mean *. mean))
        (100. *. float (Scalar.get moves) /. float (n * steps)))
