(* primes [N]: how many primes are below N, and the last ones, by a sieve. The multiples of the primes up to the root of N are one sequence of
   sequences, and a scatter crosses all of them out. Work N log log N. *)
structure Primes =
struct
  open Exp.Infix

  fun below n =
    if Int.<= (n, 2) then IntSeq.empty ()
    else
      let
        val small = below (Int.+ (Real.floor (Math.sqrt (Real.fromInt (Int.- (n, 1)))), 1))
        (* p has the multiples 2 p, 3 p, ..., below n. *)
        val counts = Seq.map (fn p => I (Int.- (n, 1)) div p - I 1) small
        val multiples = Segments.tabulate (fn (k, i) => Exp.at (small, k) * (i + I 2)) counts
        val isPrime = Seq.inject (BoolSeq.fill true n, Seq.map (fn k => Exp.pair (k, B false)) (Seq.flatten multiples))
      in
        Seq.drop (Search.packIndex (fn yes => yes) isPrime) 2
      end
end

val () = Program.define ("primes", "[N]", fn arguments =>
  let
    val n = Program.number (arguments, 0, 1000000)
    val primes = Program.timed (n, "numbers") (fn () => Seq.now (Primes.below n))
    val count = Seq.length primes
  in
    Program.print (Int.toString count ^ " primes below " ^ Int.toString n ^ ", the last ones "
                   ^ Seq.toString Int.toString (Seq.drop primes (Int.max (0, count - 3))) ^ "\n")
  end)
