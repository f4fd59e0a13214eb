(* regression [FILE.csv]: the linear function of the other columns that predicts the last column of a table, by least squares: the normal equations by
   Cholesky's factorization. Without FILE, the table is made by 1 + 2 x - 3 y, with noise. *)
structure Regression =
struct
  open Tensor.Infix Tensor.Part

  fun made n =
    let
      fun gaussian k = Tensor.fromSeq [n] (Random.gaussian Type.real [] (Random.key k) n)
      val (x, y) = (gaussian 1, gaussian 2)
    in
      Tensor.stack 1 [x, y, R 1.0 + R 2.0 * x - R 3.0 * y + R 0.1 * gaussian 3]
    end

  (* The constant and the factor of each column, and the root of the mean squared error. *)
  fun fit table =
    let
      val (others, y) = (Tensor.slice [All, To ~1] table, Tensor.slice [All, At ~1] table)
      val x = Tensor.join 1 [RealTensor.fill 1.0 [Matrix.nRows table, 1], others]
      val factors = Linear.solve Linear.Positive (Linear.inner (x, x), Linear.matmul (Tensor.transpose x, y))
      val errors = y - Linear.matmul (x, factors)
    in
      (factors, Tensor.map Exp.sqrt (Along.mean [0] (errors * errors)))
    end
end

val () = Program.define ("regression", "[FILE.csv]", fn arguments =>
  let
    val table = case arguments of path :: _ => Files.read Type.real path | [] => Regression.made 1000000
    val () = Seq.force [Tensor.any table]
    val (factors, error) = Program.timed (Matrix.nRows table, "rows") (fn () =>
      let val (factors, error) = Regression.fit table in Seq.force [Tensor.any factors, Tensor.any error]; (factors, error) end)
  in
    List.app (fn x => Program.print (Program.fixed 4 x ^ " ")) (Tensor.toList factors);
    Program.print ("with an error of " ^ Program.fixed 4 (Tensor.value error) ^ "\n")
  end)
