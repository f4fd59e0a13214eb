(* jacobi [N]: solves a x = b for a matrix of N x N with a strong diagonal by Jacobi's method, until x changes by less than 1E~10. *)
structure Jacobi =
struct
  infix 4 ==
  open Tensor.Infix

  (* (x, sweeps): one pass over a computes the next x. *)
  fun solve (a, b, tolerance) =
    let
      val diagonal = Tensor.diagonal 0 a
      fun sweep (x, k) =
        let
          val next = x + (b - Along.sum [1] (a * x)) / diagonal
          val change = Along.max [0] (Tensor.map Exp.abs (next - x))
          val () = Seq.force [Tensor.any next, Tensor.any change]
        in
          if Real.< (Tensor.value change, tolerance) then (next, k) else sweep (next, Int.+ (k, 1))
        end
    in
      sweep (b / diagonal, 1)
    end

  (* 1 / (1 + |i - j|) beside a diagonal of 2 n, and the right side of the solution 0, 1, 2, ... *)
  fun example n =
    let
      fun element (i, j) =
        let open Exp.Infix
        in Exp.cond (i == j, Exp.cast Type.real (I 2 * I n), R 1.0 / Exp.cast Type.real (I 1 + Exp.abs (i - j))) end
      val a = Matrix.tabulate element (n, n)
      val x = Tensor.map (Exp.cast Type.real) (Tensor.iota [n])
    in
      (a, Along.sum [1] (a * x))
    end
end

fun main () =
  let
    val n = Timing.argument 1000
    val (a, b) = Jacobi.example n
    val () = Seq.force [Tensor.any a, Tensor.any b]
    val (x, sweeps) = Timing.timed "jacobi" (fn () => Jacobi.solve (a, b, 1E~10))
  in
    print (Int.toString sweeps ^ " sweeps; the last element is " ^ Real.fmt (StringCvt.FIX (SOME 6)) (Tensor.sub (x, [n - 1])) ^ "\n")
  end
