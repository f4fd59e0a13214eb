(* sobel [IN.png [OUT.png]]: blurs a gray picture by a Gaussian of 5 x 5 and marks its edges by Sobel's filter, in a pass for each. Without IN, the
   picture is a white disk. Prints the greatest and the mean strength of an edge. *)
structure Sobel =
struct
  open Tensor.Infix

  (* The sum of each window of the picture times the weights; the result is smaller by the window's extents less 1. *)
  fun filtered weights picture = Along.sum [2, 3] (Tensor.windows (Tensor.shape weights) picture * weights)
  val binomial = [1.0, 4.0, 6.0, 4.0, 1.0]
  val blur = RealMatrix.fromList (List.map (fn x => List.map (fn y => Real./ (Real.* (x, y), 256.0)) binomial) binomial)
  val slope = RealMatrix.fromList [[~1.0, 0.0, 1.0], [~2.0, 0.0, 2.0], [~1.0, 0.0, 1.0]]

  fun strength picture =
    let
      val blurred = filtered blur (Tensor.map (Exp.cast Type.real) picture)
      val () = Seq.force [Tensor.any blurred]
      val strength = Tensor.zipWith Exp.hypot (filtered slope blurred, filtered (Tensor.transpose slope) blurred)
    in
      Seq.force [Tensor.any strength];
      strength
    end

  fun disk n =
    let
      open Exp
      fun square i = let val d = i - I (Int.div (n, 2)) in d * d end
      fun white true = Exp.const Type.word8 0w255
        | white false = Exp.const Type.word8 0w0
    in
      Matrix.tabulate (fn (i, j) => cond (square i + square j < I (Int.div (Int.* (n, n), 16)), white true, white false)) (n, n)
    end
end

val () = Program.define ("sobel", "[IN.png [OUT.png]]", fn arguments =>
  let
    val picture = case arguments of from :: _ => Files.read Type.word8 from | [] => Sobel.disk 1000
    val edges = Program.timed (Tensor.length picture, "pixels") (fn () => Sobel.strength picture)
  in
    case arguments of
      [_, to] => Files.write to (Tensor.map (fn x => Exp.cast Type.word8 (Exp.min (x, Exp.R 255.0))) edges)
    | _ => ();
    Program.print ("the strongest edge has " ^ Program.fixed 1 (Tensor.value (Along.max [0, 1] edges)) ^ ", the mean is "
                   ^ Program.fixed 4 (Tensor.value (Along.mean [0, 1] edges)) ^ "\n")
  end)
