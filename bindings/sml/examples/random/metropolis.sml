(* metropolis [CHAINS [STEPS]]: the mean and the variance of the density x^2 exp(-x) / 2, which are 3, by independent Markov chains (N. Metropolis and others,
   1953). A chain is a loop in a function, and draws by its own key; all chains are one kernel. *)
structure Metropolis =
struct
  local
    open Exp.Infix
    fun logDensity x = Exp.cond (x > R 0.0, R 2.0 * Exp.log x - x, R Real.negInf)
  in
    (* The last point of a chain, and the number of accepted moves. *)
    fun chain steps key =
      let
        val (moves, chances) = (Exp.splitKey (key, I 0), Exp.splitKey (key, I 1))
        fun next state =
          let
            val (x, accepted, k) = Exp.untriple state
            val candidate = x + R 2.5 * Exp.gaussian Type.real (moves, k)
            val accepts = Exp.log (Exp.uniform Type.real (chances, k)) < logDensity candidate - logDensity x
          in
            Exp.triple (Exp.cond (accepts, candidate, x), accepted + Exp.cond (accepts, I 1, I 0), k + I 1)
          end
        fun continue state = #3 (Exp.untriple state) < I steps
        val (x, accepted, _) = Exp.untriple (Exp.loop {start = Exp.triple (R 1.0, I 0, I 0), continue = continue, next = next})
      in
        Exp.pair (x, accepted)
      end
  end

  (* The mean and the variance of the last points of n chains, and the rate of accepted moves. *)
  fun run (key, n, steps) =
    let
      val (x, accepted) = Seq.unzip (Seq.map (chain steps) (Random.keys key n))
      val sum = Scalar.reduce Exp.+ 0.0 x
      val squares = Scalar.reduce Exp.+ 0.0 (Seq.map (fn x => Exp.* (x, x)) x)
      val moves = Scalar.reduce Exp.+ 0 accepted
      val () = Seq.force [Scalar.any sum, Scalar.any squares, Scalar.any moves]
      val mean = Scalar.value sum / Real.fromInt n
    in
      (mean, Scalar.value squares / Real.fromInt n - mean * mean, Real.fromInt (Scalar.value moves) / Real.fromInt (n * steps))
    end
end

val () = Program.define ("metropolis", "[CHAINS [STEPS]], both at least 1", fn arguments =>
  let
    val (n, steps) = (Program.number (arguments, 0, 100000), Program.number (arguments, 1, 100))
    val (mean, variance, rate) = Program.timed (n * steps, "moves") (fn () => Metropolis.run (Random.key 2026, n, steps))
  in
    Program.print ("mean " ^ Program.fixed 4 mean ^ ", variance " ^ Program.fixed 4 variance ^ ", " ^ Program.fixed 1 (100.0 * rate)
                   ^ "% of the moves accepted\n")
  end)
