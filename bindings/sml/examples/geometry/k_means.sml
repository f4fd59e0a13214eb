(* k_means FILE [K]: K means of points of the plane. Each line of the file has two numbers, separated by a comma. *)
structure KMeans =
struct
  open Exp.Infix

  fun points content =
    let
      fun isSeparator c = c = #"," orelse Char.isSpace c
      val numbers = RealSeq.fromList (List.mapPartial Real.fromString (String.tokens isSeparator content))
      fun point i = Exp.pair (Exp.at (numbers, i * I 2), Exp.at (numbers, i * I 2 + I 1))
    in
      Seq.tabulate point (Int.div (Seq.length numbers, 2))
    end
  fun read path =
    let val file = TextIO.openIn path
    in points (TextIO.inputAll file) before TextIO.closeIn file end

  (* The number of the center that is nearest to a point *)
  fun nearest centers p =
    let
      val (x, y) = Exp.unpair p
      fun distance i =
        let val (u, v) = Exp.unpair (Exp.at (centers, i))
        in Exp.pair ((x - u) * (x - u) + (y - v) * (y - v), i) end
      fun less (a, b) = Exp.cond (#1 (Exp.unpair b) < #1 (Exp.unpair a), b, a)
    in
      #2 (Exp.unpair (Inner.reduce less (Real.posInf, 0) (Inner.map distance (Inner.range (I 0, Exp.length centers)))))
    end
  fun step points centers =
    let
      fun plus (a, b) = let val ((x, y, n), (u, v, m)) = (Exp.untriple a, Exp.untriple b) in Exp.triple (x + u, y + v, n + m) end
      val ones = Seq.map (fn p => let val (x, y) = Exp.unpair p in Exp.triple (x, y, R 1.0) end) points
      val none = Seq.map (fn _ => Exp.triple (R 0.0, R 0.0, R 0.0)) centers
      val sums = Seq.scatter plus (none, Seq.zip (Seq.map (nearest centers) points, ones))
      fun mean (sum, old) = let val (x, y, n) = Exp.untriple sum in Exp.cond (n > R 0.0, Exp.pair (x / n, y / n), old) end
    in
      Seq.zipWith mean (sums, centers)
    end
  fun means (k, steps) points =
    List.foldl (fn (_, centers) => Seq.now (step points centers)) (Seq.take points k)
      (List.tabulate (steps, fn i => i))
end

val () = Program.define ("k_means", "FILE [K]", fn arguments =>
  let
    val points = KMeans.read (List.hd arguments)
    val means = Program.timed (Seq.length points, "points") (fn () => KMeans.means (Program.number (arguments, 1, 3), 20) points)
  in
    List.app (fn (x, y) => Program.print (Program.fixed 3 x ^ "," ^ Program.fixed 3 y ^ "\n")) (Seq.toList means)
  end)
