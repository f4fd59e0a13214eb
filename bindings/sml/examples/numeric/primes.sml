(* primes [N]: the number of primes below N, by the sieve of Eratosthenes. The multiples of all primes up to the square root are marked at
   once, by one scatter. *)
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
        val primes = Segments.expand (Seq.zip (small, counts))
        val before_ = Seq.flatten (Segments.scanIncl Lambdas.add 0 (Segments.split (primes, counts)))
        val composites = Seq.zipWith Lambdas.add (before_, primes)
        val isPrime = Seq.inject (BoolSeq.fill true n, Seq.map (fn k => Exp.pair (k, B false)) composites)
      in
        Seq.drop (Search.packIndex (fn yes => yes) isPrime) 2
      end
end

fun main () =
  let val n = Timing.argument 10000000
      val count = Timing.timed "sieve" (fn () => Seq.length (Primes.below n))
  in print (Int.toString count ^ " primes below " ^ Int.toString n ^ "\n") end
