(* convex_hull [N]: the convex hull of N points of the plane by quickhull: the point farthest from a line is on the hull, and splits the points
   beyond the line. *)
structure ConvexHull =
struct
  open Exp.Infix

  (* Twice the area of the triangle p, q, r: positive if r is to the left of the line from p to q. p and q are numbers of the host. *)
  fun area ((px, py), (qx, qy)) r =
    let val (x, y) = Exp.unpair r
    in R (Real.- (qx, px)) * (y - R py) - R (Real.- (qy, py)) * (x - R px) end

  (* The points of the hull between p and q, from p to q, among those of s that are left of the line *)
  fun between (p, q, s) =
    let
      val beyond = Seq.filter (fn r => area (p, q) r > R 0.0) s
    in
      if Seq.length beyond = 0 then []
      else
        let val far = Seq.nth beyond (Seq.argmax (fn (a, b) => area (p, q) a < area (p, q) b) beyond)
        in between (p, far, beyond) @ far :: between (far, q, beyond) end
    end

  (* Clockwise, from the leftmost point *)
  fun hull s =
    if Seq.length s = 0 then []
    else
      let
        fun isLeft (p, q) =
          let val ((x, y), (u, v)) = (Exp.unpair p, Exp.unpair q)
          in Exp.|| (x < u, Exp.&& (Exp.== (x, u), y < v)) end
        val (left, right) = (Seq.nth s (Seq.argmin isLeft s), Seq.nth s (Seq.argmax isLeft s))
      in
        if List.all Real.== [(#1 left, #1 right), (#2 left, #2 right)] then [left] else left :: between (left, right, s) @ right :: between (right, left, s)
      end

  fun example n =
    let
      fun point i =
        let val angle = Exp.cast Type.real i
            val radius = Exp.sqrt (Exp.cast Type.real (Exp.mod (Exp.mod (i, I 40009) * I 7919, I 10007)) / R 10007.0)
        in Exp.pair (radius * Exp.cos angle, radius * Exp.sin angle) end
    in
      Seq.tabulate point n
    end
end

val () = Program.define ("convex_hull", "[N]", fn arguments =>
  let
    val n = Program.number (arguments, 0, 1000000)
    val points = Seq.now (ConvexHull.example n)
    val hull = Program.timed (n, "points") (fn () => ConvexHull.hull points)
    fun line (x, y) = Program.print (Program.fixed 4 x ^ " " ^ Program.fixed 4 y ^ "\n")
  in
    Program.print (Int.toString (List.length hull) ^ " corners\n");
    List.app line (List.take (hull, Int.min (3, List.length hull)))
  end)
