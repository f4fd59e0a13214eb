(* moving_average [N]: the means of all windows of 64 of N numbers, in two ways: as reductions of windows, which copy nothing, and as
   differences of prefix sums. *)
structure MovingAverage =
struct
  open Exp.Infix

  fun byWindows k s = Seq.map (fn window => Inner.sum (Inner.row window) / R (Real.fromInt k)) (Segments.windows k s)

  fun byPrefixes k s =
    let
      val (before_, total) = Seq.scan Exp.+ 0.0 s
      val sums = Seq.append (before_, RealSeq.singleton total)
      val n = Int.max (0, Int.+ (Int.- (Seq.length s, k), 1))
    in
      Seq.tabulate (fn i => (Exp.at (sums, i + I k) - Exp.at (sums, i)) / R (Real.fromInt k)) n
    end

  fun example n = Seq.map (fn i => Exp.cast Type.real (Exp.mod (Exp.mod (i, I 40009) * I 7919, I 1000))) (Seq.iota n)
end

fun main () =
  let
    val s = MovingAverage.example (Timing.argument 1000000)
    val () = Seq.force [Seq.any s]
    fun run (name, average) = Timing.timed name (fn () => let val r = average 64 s in Seq.force [Seq.any r]; r end)
    val (a, b) = (run ("windows", MovingAverage.byWindows), run ("prefix sums", MovingAverage.byPrefixes))
  in
    print ("largest difference " ^ Real.toString (#2 (Numbers.minmax (Seq.zipWith (fn (x, y) => Exp.abs (Exp.- (x, y))) (a, b)))) ^ "\n")
  end
