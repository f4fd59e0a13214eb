(* monte_carlo [N]: pi and the price of a call option, estimated from N random points, with standard errors. One kernel each, which reads no
   memory. *)
structure MonteCarlo =
struct
  (* The mean of f 0, ..., f (n - 1), which are independent, and its standard error. *)
  fun estimate f n =
    let
      val x = Seq.tabulate f n
      val sum = Scalar.reduce Exp.+ 0.0 x
      val squares = Scalar.reduce Exp.+ 0.0 (Seq.map (fn x => Exp.* (x, x)) x)
      val () = Seq.force [Scalar.any sum, Scalar.any squares]
      val count = Real.fromInt n
      val mean = Scalar.value sum / count
    in
      (mean, Math.sqrt ((Scalar.value squares / count - mean * mean) / count))
    end

  fun pi key =
    let
      open Exp.Infix
      val (xs, ys) = (Random.split key 0, Random.split key 1)
      fun inside i =
        let val (x, y) = (Exp.uniform Type.real (Exp.scalar xs, i), Exp.uniform Type.real (Exp.scalar ys, i))
        in Exp.cond (x * x + y * y < R 1.0, R 4.0, R 0.0) end
    in
      estimate inside
    end

  (* A share that costs 100 now, with the interest 0.02 and the volatility 0.3, may be bought for 105 in a year. *)
  val (price, strike, interest, volatility) = (100.0, 105.0, 0.02, 0.3)
  val (drift, discount) = (interest - volatility * volatility / 2.0, Math.exp (~ interest))

  fun callOption key =
    let
      open Exp.Infix
      fun later i = R price * Exp.exp (R drift + R volatility * Exp.gaussian Type.real (Exp.scalar key, i))
    in
      estimate (fn i => R discount * Exp.max (later i - R strike, R 0.0))
    end

  fun blackScholes () =
    let
      fun below x = Seq.nth (Random.distributionFunction "gaussian" [] (RealSeq.fromList [x])) 0
      val d = (Math.ln (price / strike) + interest) / volatility + volatility / 2.0
    in
      price * below d - strike * discount * below (d - volatility)
    end
end

val () = Program.define ("monte_carlo", "[N], with N at least 1", fn arguments =>
  let
    val (n, key) = (Program.number (arguments, 0, 10000000), Random.key 2026)
    val ((pi, piError), (option, error)) = Program.timed (2 * n, "points") (fn () =>
      (MonteCarlo.pi (Random.split key 0) n, MonteCarlo.callOption (Random.split key 1) n))
    val (five, six) = (Program.fixed 5, Program.fixed 6)
  in
    Program.print ("pi " ^ six pi ^ ", error " ^ six piError ^ "\ncall option " ^ five option ^ ", error " ^ five error
                   ^ "; by Black and Scholes " ^ five (MonteCarlo.blackScholes ()) ^ "\n")
  end)
