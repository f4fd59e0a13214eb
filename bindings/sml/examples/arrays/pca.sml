(* pca [POINTS [DIMENSIONS]]: the principal components of points that lie near a plane: the eigenvectors of their covariance. Prints the part of the
   variance along the first two, and the distance of the points from the plane. *)
structure Pca =
struct
  open Tensor.Infix

  fun points (n, dimensions) =
    let
      fun gaussian (k, m) = Tensor.fromSeq [n, m] (Random.gaussian Type.real [] (Random.split (Random.key 7) k) (Int.* (n, m)))
      val plane = Matrix.tabulate (fn (i, j) => Exp.cos (Exp.cast Type.real (Exp.+ (Exp.* (i, Exp.I 3), j)))) (2, dimensions)
    in
      Linear.matmul (gaussian (0, 2), plane) + gaussian (1, dimensions) * R 0.05
    end

  (* The variances along the components, and the components as columns; the greatest first. *)
  fun components x =
    let
      val centred = x - Keep.mean [0] x
      val (variances, vectors) = Linear.eigen (Linear.inner (centred, centred) / R (Real.fromInt (Matrix.nRows x)))
    in
      (Tensor.flip [0] variances, Tensor.flip [1] vectors)
    end
end

val () = Program.define ("pca", "[POINTS [DIMENSIONS]]", fn arguments =>
  let
    open Tensor.Infix Tensor.Part
    val n = Program.number (arguments, 0, 100000)
    val points = Pca.points (n, Program.number (arguments, 1, 20))
    val () = Seq.force [Tensor.any points]
    val (variances, vectors) = Program.timed (n, "points") (fn () =>
      let val (values, vectors) = Pca.components points in Seq.force [Tensor.any values, Tensor.any vectors]; (values, vectors) end)
    val part = Along.sum [0] (Tensor.slice [To 2] variances) / Along.sum [0] variances
    val first = Tensor.slice [All, To 2] vectors
    val distance = points - Linear.matmul (Linear.matmul (points, first), Tensor.transpose first)
    val rest = Along.mean [0, 1] (distance * distance)
  in
    Program.print (Program.fixed 2 (Tensor.value (part * R 100.0)) ^ " % of the variance in a plane; points are "
                   ^ Program.fixed 4 (Tensor.value (Tensor.map Exp.sqrt rest)) ^ " from it in each coordinate\n")
  end)
