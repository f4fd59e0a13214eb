(* heat [SIZE [STEPS]]: heat spreads on a square plate, whose edges are kept at 0. The temperature starts as half a wave along each axis, which only
   loses height: each step multiplies it by one factor. *)
structure Heat =
struct
  open Exp.Infix
  infix 3 &&

  val alpha = 0.2
  (* An index of a neighbour outside of the plate counts only where it is chosen. *)
  fun step n plate =
    let
      fun at (i, j) = Tensor.at (plate, [i, j])
      fun isInside k = k > I 0 && k < I (Int.- (n, 1))
      fun cell (i, j) =
        let val change = at (i - I 1, j) + at (i + I 1, j) + at (i, j - I 1) + at (i, j + I 1) - R 4.0 * at (i, j)
        in Exp.cond (isInside i && isInside j, at (i, j) + R alpha * change, R 0.0) end
      val next = Matrix.tabulate cell (n, n)
    in
      Seq.force [Tensor.any next];
      next
    end

  fun start (n, angle) =
    let fun wave i = Exp.sin (R angle * Exp.cast Type.real i)
    in Matrix.tabulate (fn (i, j) => wave i * wave j) (n, n) end
end

val () = Program.define ("heat", "[SIZE [STEPS]]", fn arguments =>
  let
    val (n, steps) = (Program.number (arguments, 0, 100), Program.number (arguments, 1, 1000))
    val angle = Math.pi / Real.fromInt (n - 1)
    fun after (0, plate) = plate
      | after (k, plate) = after (k - 1, Heat.step n plate)
    val plate = Program.timed (n * n * steps, "cells") (fn () => after (steps, Heat.start (n, angle)))
    val factor = 1.0 - 4.0 * Heat.alpha * (1.0 - Math.cos angle)
    val middle = n div 2
  in
    Program.print ("in the middle " ^ Program.fixed 6 (Tensor.sub (plate, [middle, middle])) ^ ", expected "
                   ^ Program.fixed 6 (Math.pow (factor, Real.fromInt steps) * Math.pow (Math.sin (angle * Real.fromInt middle), 2.0)) ^ "\n")
  end)
