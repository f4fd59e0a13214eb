(* heat [N]: 1000 steps of the heat equation on a plate of N x N cells, whose upper edge is hot and whose other edges are cold. *)
structure Heat =
struct
  (* The cells inside change by a quarter of their Laplacian; the edges keep their temperature. *)
  fun step plate =
    let
      val (rows, columns) = Matrix.dimensions plate
      fun cell (i, j) =
        let
          infix 3 &&
          open Exp.Infix
          fun at (i, j) = Tensor.at (plate, [i, j])
          val isInside = i > I 0 && i < I rows - I 1 && j > I 0 && j < I columns - I 1
          val mean = (at (i - I 1, j) + at (i + I 1, j) + at (i, j - I 1) + at (i, j + I 1)) * R 0.25
        in
          Exp.cond (isInside, mean, at (i, j))
        end
      val next = Matrix.tabulate cell (rows, columns)
    in
      Seq.force [Tensor.any next];
      next
    end

  fun run (plate, 0) = plate
    | run (plate, steps) = run (step plate, steps - 1)
  fun plate n = Tensor.join 0 [RealTensor.fill 100.0 [1, n], RealTensor.fill 0.0 [n - 1, n]]
end

fun main () =
  let
    val n = Timing.argument 100
    val steps = 1000
    val plate = Timing.timed (Int.toString steps ^ " steps") (fn () => Heat.run (Heat.plate n, steps))
    val every = Tensor.Part.Step (NONE, NONE, Int.max (1, n div 8))
  in
    print (Tensor.toString (Real.fmt (StringCvt.FIX (SOME 1))) (Tensor.slice [every, every] plate) ^ "\n")
  end
