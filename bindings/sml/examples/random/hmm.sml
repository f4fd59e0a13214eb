(* hmm [STEPS]: a hidden Markov model of two states, whose numbers have the same variance and other means. Its parameters are found by gradient ascent from the
   likelihood, which is a product of a matrix per number: a parallel reduction, in the semiring of logarithms, and so is its gradient. *)
structure Hmm =
struct
  (* The logits of the probability to stay in each state, and the mean of each state's numbers *)
  type 'a model = {stay : 'a * 'a, means : 'a * 'a}
  val model : (real Scalar.t model, real Scalar.t model) Jit.value =
    let
      open Jit
      fun there {stay, means} = (stay, means)
      fun back (stay, means) = {stay = stay, means = means}
    in
      convert (there, back) (pair (pair (scalar, scalar), pair (scalar, scalar)))
    end

  (* The product of matrices of logarithms *)
  fun times (a, b) =
    let
      val ((a00, a01, a10, a11), (b00, b01, b10, b11)) = (Exp.unquadruple a, Exp.unquadruple b)
      open Exp
    in
      quadruple (logaddexp (a00 + b00, a01 + b10), logaddexp (a00 + b01, a01 + b11), logaddexp (a10 + b00, a11 + b10), logaddexp (a10 + b01, a11 + b11))
    end
  val one = (0.0, Real.negInf, Real.negInf, 0.0)

  (* Element (i, j): the step from state i to j, and the number in j *)
  fun transition ({stay = (s0, s1), means = (m0, m1)} : real Scalar.t model) x =
    let
      open Exp
      fun emitted m = let val d = x - scalar m in ~ (d * d) / real 2.0 end
      fun stays s = ~ (softplus (~ (scalar s)))
      fun leaves s = ~ (softplus (scalar s))
    in
      quadruple (stays s0 + emitted m0, leaves s0 + emitted m1, leaves s1 + emitted m0, stays s1 + emitted m1)
    end
  (* The mean over the numbers of the log likelihood, without its constant *)
  fun likelihood numbers model =
    let
      val product = Scalar.reduce times one (Seq.map (transition model) numbers)
      fun total p = let val (a, b, c, d) = Exp.unquadruple p in Exp.logaddexp (Exp.logaddexp (a, b), Exp.logaddexp (c, d)) end
      val n = Real.fromInt (Seq.length numbers)
    in
      Scalar.map (fn p => let open Exp in total p / real n end) product
    end

  fun ascend (rate, steps) numbers start =
    let
      fun step (numbers, current) =
        let
          val (value, slope : real Scalar.t model) = Gradient.valueAndGrad model (likelihood numbers) current
          val {stay = (s0, s1), means = (m0, m1)} = current
          val {stay = (ds0, ds1), means = (dm0, dm1)} = slope
          val moved = Scalar.zipWith (fn (x, d) => let open Exp in x + real rate * d end)
        in
          (value, {stay = (moved (s0, ds0), moved (s1, ds1)), means = (moved (m0, dm0), moved (m1, dm1))})
        end
      val compiled = let open Jit in jit (pair (seq, model), pair (scalar, model)) end step
      fun go (0, values, current) = (values, current)
        | go (k, values, current) =
            let val (value, next) = compiled (numbers, current)
            in go (k - 1, Scalar.value value :: values, next) end
    in
      go (steps, [], start)
    end
  fun scalars ({stay = (s0, s1), means = (m0, m1)} : real model) : real Scalar.t model =
    let fun scalar x = Scalar.nth (RealSeq.fromList [x]) 0
    in {stay = (scalar s0, scalar s1), means = (scalar m0, scalar m1)} end

  (* n numbers of a model that stays with probability 0.95 in state 0 and 0.9 in state 1, with means ~1 and 2 *)
  fun example n =
    let
      fun key k = Random.split (Random.key 15210) k
      val draws = Random.uniform Type.real [] (key 0) n
      fun next (state, u) = let open Exp in cond (u < cond (state, real 0.9, real 0.95), state, not state) end
      val states = Seq.iteratePrefixesIncl Type.bool next false draws
      fun number (state, noise) = let open Exp in cond (state, real 2.0, real (Real.~ 1.0)) + noise end
    in
      Seq.zipWith number (states, Random.gaussian Type.real [] (key 1) n)
    end
end

val () = Program.define ("hmm", "[STEPS]", fn arguments =>
  let
    val steps = Program.number (arguments, 0, 200)
    val numbers = Seq.now (Hmm.example 20000)
    val start = Hmm.scalars {stay = (0.0, 0.0), means = (~0.5, 0.5)}
    val (values, {stay = (s0, s1), means = (m0, m1)}) = Program.timed (steps, "steps") (fn () => Hmm.ascend (1.0, steps) numbers start)
    val shown = Program.fixed 3
    fun stays s = shown (1.0 / (1.0 + Math.exp (~ (Scalar.value s))))
  in
    Program.print ("likelihood " ^ shown (List.last values) ^ " to " ^ shown (List.hd values) ^ ", stays " ^ stays s0 ^ " and " ^ stays s1
                   ^ ", means " ^ shown (Scalar.value m0) ^ " and " ^ shown (Scalar.value m1) ^ "\n")
  end)
