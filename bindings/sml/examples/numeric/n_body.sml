(* n_body [N]: a step of the motion of N bodies that attract each other. A body is a pair of a position and a velocity; the lambda of a body
   sums the accelerations over all others, in one kernel. *)
structure NBody =
struct
  open Exp.Infix

  type vector = real * real * real
  fun onTriples f (a, b) =
    let val ((x, y, z), (u, v, w)) = (Exp.untriple a, Exp.untriple b)
    in Exp.triple (f (x, u), f (y, v), f (z, w)) end
  val plus = onTriples Exp.+
  val minus = onTriples Exp.-
  fun times (k, v : vector Exp.t) = let val (x, y, z) = Exp.untriple v in Exp.triple (k * x, k * y, k * z) end
  fun norm v = let val (x, y, z) = Exp.untriple v in x * x + y * y + z * z end

  (* All masses are 1; the small number avoids a quotient by zero. *)
  fun acceleration positions p =
    let
      fun attraction q =
        let val d = minus (q, p)
            val r = Exp.rsqrt (norm d + R 1E~6)
        in times (r * r * r, d) end
    in
      Inner.reduce plus (0.0, 0.0, 0.0) (Inner.map attraction (Inner.seq positions))
    end
  fun step dt bodies =
    let
      val (positions, _) = Seq.unzip bodies
      fun move body =
        let val (p, v) = Exp.unpair body
            val v = plus (v, times (R dt, acceleration positions p))
        in Exp.pair (plus (p, times (R dt, v)), v) end
    in
      Seq.map move bodies
    end

  fun example n =
    let
      fun coordinate k i = Exp.sin (Exp.cast Type.real (i * I k))
      fun body i = Exp.pair (Exp.triple (coordinate 1 i, coordinate 2 i, coordinate 3 i), Exp.triple (R 0.0, R 0.0, R 0.0))
    in
      Seq.tabulate body n
    end
  (* The sum of all velocities, which stays 0 *)
  fun momentum bodies = Seq.reduce plus (0.0, 0.0, 0.0) (#2 (Seq.unzip bodies))
end

fun main () =
  let
    val bodies = NBody.example (Timing.argument 4096)
    val () = Seq.force [Seq.any bodies]
    val after = Timing.timed "step" (fn () => let val b = NBody.step 0.01 bodies in Seq.force [Seq.any b]; b end)
    val (x, y, z) = NBody.momentum after
  in
    print ("momentum " ^ String.concatWith " " (List.map (Real.fmt (StringCvt.SCI (SOME 1))) [x, y, z]) ^ "\n")
  end
