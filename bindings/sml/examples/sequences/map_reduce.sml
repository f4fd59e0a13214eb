(* map_reduce NUMBER...: mean, standard deviation and extremes of the numbers, all from one pass over them. *)
structure MapReduce =
struct
  open Exp.Infix

  (* Scalars: forced together, they are one kernel. *)
  fun statistics s =
    let
      val n = R (Real.fromInt (Seq.length s))
      val mean = Scalar.map (fn sum => sum / n) (Scalar.reduce Exp.+ 0.0 s)
      val squares = Scalar.reduce Exp.+ 0.0 (Seq.map (fn x => x * x) s)
      val deviation = Scalar.zipWith (fn (q, m) => Exp.sqrt (Exp.max (q / n - m * m, R 0.0))) (squares, mean)
    in
      [mean, deviation, Scalar.reduce Exp.min Real.posInf s, Scalar.reduce Exp.max Real.negInf s]
    end
end

val () = Program.define ("map_reduce", "NUMBER...", fn arguments =>
  let
    val s = RealSeq.fromList (List.map (Option.valOf o Real.fromString) arguments)
    val all = MapReduce.statistics s
    fun each (text, x) = Program.print (text ^ Program.fixed 6 (Scalar.value x))
  in
    Program.print (Seq.explain (List.map Scalar.any all) ^ "\n");
    Program.timed (Seq.length s, "numbers") (fn () => Seq.force (List.map Scalar.any all));
    ListPair.app each (["mean ", ", deviation ", ", from ", " to "], all);
    Program.print "\n"
  end)
