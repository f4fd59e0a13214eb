(* jacobi [SIZE]: solves a x = b for a matrix whose diagonal exceeds the sum of the rest of each row, by Jacobi's iteration, until no element changes by
   more than 1e-12. The solution is known: element i is sin i. *)
structure Jacobi =
struct
  open Tensor.Infix

  fun times (a, x) = Along.sum [1] (a * x)
  (* x and the number of steps. The test of the change is computed with the step, in one pass over the matrix. *)
  fun solve (a, b) =
    let
      val diagonal = Tensor.diagonal 0 a
      fun step (x, k) =
        let
          val change = (b - times (a, x)) / diagonal
          val largest = Along.max [0] (Tensor.map Exp.abs change)
          val () = Seq.force [Tensor.any change, Tensor.any largest]
          val next = x + change
        in
          if Real.<= (Tensor.value largest, 1E~12) then (next, k) else step (next, Int.+ (k, 1))
        end
    in
      step (RealTensor.fill 0.0 (Tensor.shape b), 1)
    end

  fun example n =
    let
      fun element (i, j) =
        let open Exp in cond (== (i, j), real (Real.fromInt n), cos (cast Type.real (i * int 7 + j * int 3))) end
      val (a, x) = (Matrix.tabulate element (n, n), Tensor.map (Exp.sin o Exp.cast Type.real) (Tensor.iota [n]))
    in
      (a, times (a, x), x)
    end
end

val () = Program.define ("jacobi", "[SIZE]", fn arguments =>
  let
    val n = Program.number (arguments, 0, 1000)
    val (a, b, solution) = Jacobi.example n
    val () = Seq.force [Tensor.any a, Tensor.any b]
    val (x, steps) = Program.timed (n * n, "elements") (fn () => Jacobi.solve (a, b))
    val error = Along.max [0] (Tensor.map Exp.abs (Tensor.Infix.- (x, solution)))
  in
    Program.print (Int.toString steps ^ " steps" ^ (if Tensor.value error < 1E~11 then ", solved\n" else ", NOT solved\n"))
  end)
