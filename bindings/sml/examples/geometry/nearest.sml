(* nearest [K [POINTS]]: the K points that are nearest to the centre of a square, and the mean distance of all points to their nearest one. For each
   point an inner reduction reads all others: one kernel, which stores no distance. *)
structure Nearest =
struct
  open Exp.Infix
  infix 4 ==

  fun distance (p, q) =
    let val ((x, y), (u, v)) = (Exp.unpair p, Exp.unpair q)
    in Exp.sqrt ((x - u) * (x - u) + (y - v) * (y - v)) end

  (* (distance, position), the nearest first *)
  fun nearest k (x, y) points =
    Seq.take (Seq.ascending (Seq.zip (Seq.map (fn p => distance (p, Exp.pair (R x, R y))) points, Seq.iota (Seq.length points)))) k

  fun meanDistance points =
    let
      fun other (i, p) j = Exp.cond (i == j, R Real.posInf, distance (p, Exp.at (points, j)))
      val n = Seq.length points
    in
      Numbers.mean (Seq.mapIdx (fn ip => Inner.min (Inner.tabulate (other ip) (I n))) points)
    end

  fun square n =
    let fun place (a, m) i = Exp.cast Type.real (i * I a mod I m) / R (Real.fromInt m)
    in Seq.tabulate (fn i => Exp.pair (place (7919, 10007) i, place (104729, 9973) i)) n end
end

val () = Program.define ("nearest", "[K [POINTS]], with K at most POINTS", fn arguments =>
  let
    val (k, n) = (Program.number (arguments, 0, 3), Program.number (arguments, 1, 2000))
    val points = Seq.now (Nearest.square n)
    fun line (d, i) = Program.print ("point " ^ Int.toString i ^ ", distance " ^ Program.fixed 6 d ^ "\n")
  in
    List.app line (Seq.toList (Nearest.nearest k (0.5, 0.5) points));
    Program.print ("mean distance to the nearest "
                   ^ Program.fixed 6 (Program.timed (n * n, "pairs") (fn () => Nearest.meanDistance points)) ^ "\n")
  end)
