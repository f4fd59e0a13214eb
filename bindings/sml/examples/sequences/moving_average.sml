(* moving_average W NUMBER...: the means of W neighbours, by the sums of windows (work n W, one kernel) and by differences of prefix sums (work n, two
   kernels). *)
structure MovingAverage =
struct
  open Exp.Infix

  fun byWindows w s = Seq.map (fn window => Inner.sum (Inner.row window) / R (Real.fromInt w)) (Segments.windows w s)

  fun byPrefixes w s =
    let
      val (before_, total) = Seq.scan Exp.+ 0.0 s
      val sums = Seq.append (before_, RealSeq.singleton total)
      val n = Int.max (0, Int.+ (Int.- (Seq.length s, w), 1))
    in
      Seq.tabulate (fn i => (Exp.at (sums, i + I w) - Exp.at (sums, i)) / R (Real.fromInt w)) n
    end
end

val () = Program.define ("moving_average", "W NUMBER...", fn arguments =>
  let
    val w = Program.number (arguments, 0, 1)
    val s = RealSeq.fromList (List.map (Option.valOf o Real.fromString) (List.tl arguments))
    fun show average =
      Program.print (Seq.toString (Program.fixed 3) (Program.timed (Seq.length s, "numbers") (fn () => Seq.now (average w s))) ^ "\n")
  in
    List.app show [MovingAverage.byWindows, MovingAverage.byPrefixes]
  end)
