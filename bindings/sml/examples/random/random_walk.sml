(* random_walk [STEPS]: writes a random walk in the plane to standard output, as a picture in SVG. *)
val () = Program.define ("random_walk", "[STEPS], at least 1", fn arguments =>
  let
    val (steps, key) = (Program.number (arguments, 0, 10000), Random.key 2026)
    fun walk k = Seq.scanIncl Exp.+ 0.0 (Random.gaussian Type.real [] (Random.split key k) steps)
    val (x, y) = (walk 0, walk 1)
    val () = Program.timed (steps, "steps") (fn () => Seq.force [Seq.any x, Seq.any y])
    val ((left, right), (top, bottom)) = (Numbers.minmax x, Numbers.minmax y)
    val (width, height) = (right - left, bottom - top)
    val margin = Real.max (1.0, Real.max (width, height)) / 50.0
    val box = [left - margin, top - margin, width + 2.0 * margin, height + 2.0 * margin]
    fun point (x, y) = Program.print (Program.fixed 3 x ^ "," ^ Program.fixed 3 y ^ "\n")
  in
    Program.print ("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"" ^ String.concatWith " " (List.map (Program.fixed 3) box) ^ "\">\n");
    Program.print ("<polyline fill=\"none\" stroke=\"black\" stroke-width=\"" ^ Program.fixed 3 (margin / 10.0) ^ "\" points=\"");
    List.app point (Seq.toList (Seq.zip (x, y)));
    Program.print "\"/>\n</svg>\n"
  end)
