(* map_reduce NUMBER...: the mean, standard deviation and extremes of the numbers, in one pass over them. *)
structure MapReduce =
struct
  fun summarize s =
    let
      val n = Seq.length s
      val sum = Scalar.reduce Exp.+ 0.0 s
      val squares = Scalar.reduce Exp.+ 0.0 (Seq.map (fn x => Exp.* (x, x)) s)
      val smallest = Scalar.reduce Exp.min Real.posInf s
      val largest = Scalar.reduce Exp.max Real.negInf s
      fun part x = Exp./ (x, Exp.real (Real.fromInt n))
      val mean = Scalar.map part sum
      val deviation =
        Scalar.zipWith (fn (q, m) => Exp.sqrt (Exp.max (Exp.- (part q, Exp.* (m, m)), Exp.real 0.0))) (squares, mean)
      val all = [mean, deviation, smallest, largest]
      val plan = Seq.explain (List.map Scalar.any all)
    in
      Seq.force (List.map Scalar.any all);
      (plan, List.map Scalar.value all)
    end
end

fun main () =
  case List.mapPartial Real.fromString (CommandLine.arguments ()) of
    [] => print "usage: map_reduce NUMBER...\n"
  | numbers =>
      let
        val (plan, values) = Timing.timed "summary" (fn () => MapReduce.summarize (RealSeq.fromList numbers))
        val text = List.map (Real.fmt (StringCvt.GEN (SOME 6))) values
      in
        print (String.concat (plan :: ListPair.foldr (fn (name, value, l) => name :: value :: l) ["\n"]
          (["\nmean ", ", deviation ", ", from ", " to "], text)))
      end
