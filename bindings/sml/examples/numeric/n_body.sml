(* n_body [BODIES [STEPS]]: bodies of equal mass under gravity, by leapfrog steps, and how well their energy is conserved. A body's force is an inner
   reduction over all bodies: one kernel per step, which stores no pair. *)
structure NBody =
struct
  open Exp.Infix

  type vector = (real * real * real) Exp.t
  fun onTriples f (a : vector, b : vector) =
    let val ((x, y, z), (u, v, w)) = (Exp.untriple a, Exp.untriple b)
    in Exp.triple (f (x, u), f (y, v), f (z, w)) end
  val plus = onTriples Exp.+
  val minus = onTriples Exp.-
  fun times (k, v : vector) = let val (x, y, z) = Exp.untriple v in Exp.triple (k * x, k * y, k * z) end
  fun squared (v : vector) = let val (x, y, z) = Exp.untriple v in x * x + y * y + z * z end
  (* The reciprocal of the length of a vector, which is never 0. *)
  fun inverse d = Exp.rsqrt (squared d + R 0.01)

  fun acceleration (positions, mass) p =
    let fun pull q = let val d = minus (q, p) val r = inverse d in times (R mass * r * r * r, d) end
    in Inner.reduce plus (0.0, 0.0, 0.0) (Inner.map pull (Inner.seq positions)) end

  fun energy (positions, velocities, mass) =
    let
      fun potential p = Inner.sum (Inner.map (fn q => R mass * inverse (minus (q, p))) (Inner.seq positions))
      fun each (p, v) = R (Real./ (mass, 2.0)) * (squared v - potential p)
    in
      Numbers.sum (Seq.zipWith each (positions, velocities))
    end

  fun advance (dt, mass) (positions, velocities) =
    let
      fun moved (s, by) = Seq.zipWith (fn (a, b) => plus (a, times (R dt, b))) (s, by)
      val velocities = moved (velocities, Seq.map (acceleration (positions, mass)) positions)
      val positions = moved (positions, velocities)
    in
      Seq.force [Seq.any positions, Seq.any velocities];
      (positions, velocities)
    end

  fun bodies n =
    let fun place k i = Exp.cast Type.real (i * I k mod I 1009) / R 1009.0 - R 0.5
    in Seq.tabulate (fn i => Exp.triple (place 7919 i, place 104729 i, place 1299709 i)) n end
end

val () = Program.define ("n_body", "[BODIES [STEPS]]", fn arguments =>
  let
    val (n, steps) = (Program.number (arguments, 0, 1000), Program.number (arguments, 1, 10))
    val mass = 1.0 / Real.fromInt n
    val (start, still) = (NBody.bodies n, Seq.fill (Type.triple (Type.real, Type.real, Type.real)) (0.0, 0.0, 0.0) n)
    fun run (0, state) = state
      | run (k, state) = run (k - 1, NBody.advance (1E~3, mass) state)
    val (positions, velocities) = Program.timed (n * n * steps, "pairs") (fn () => run (steps, (start, still)))
  in
    Program.print ("energy " ^ Program.fixed 6 (NBody.energy (start, still, mass)) ^ ", after " ^ Int.toString steps ^ " steps "
                   ^ Program.fixed 6 (NBody.energy (positions, velocities, mass)) ^ "\n")
  end)
