(* random_walk [STEPS]: writes a random walk in the plane to standard output, as a picture in SVG. *)
structure RandomWalk =
struct
  fun walk key steps = Seq.scanIncl Exp.+ 0.0 (Random.gaussian Type.real [] key steps)

  (* Negative numbers have a minus sign in SVG. *)
  fun fixed x = String.map (fn #"~" => #"-" | c => c) (Real.fmt (StringCvt.FIX (SOME 3)) x)

  fun picture (x, y) =
    let
      val ((left, right), (top, bottom)) = (Numbers.minmax x, Numbers.minmax y)
      val (width, height) = (right - left, bottom - top)
      val margin = Real.max (1.0, Real.max (width, height)) / 50.0
      val box = [left - margin, top - margin, width + 2.0 * margin, height + 2.0 * margin]
      val points = ListPair.map (fn (x, y) => fixed x ^ "," ^ fixed y ^ "\n") (Seq.toList x, Seq.toList y)
    in
      String.concat
        (["<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"", String.concatWith " " (List.map fixed box),
          "\">\n<polyline fill=\"none\" stroke=\"black\" stroke-width=\"", fixed (margin / 10.0), "\" points=\""] @ points
         @ ["\"/>\n</svg>\n"])
    end
end

fun main () =
  let
    val steps = Timing.argument 10000
    val key = Random.key 2026
    val (x, y) = (RandomWalk.walk (Random.split key 0) steps, RandomWalk.walk (Random.split key 1) steps)
  in
    Timing.timed "the walk" (fn () => Seq.force [Seq.any x, Seq.any y]);
    print (RandomWalk.picture (x, y))
  end
