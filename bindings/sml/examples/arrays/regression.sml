(* regression [FILE]: linear regression by least squares. FILE is a csv whose last column is to be predicted; without it, 100000 rows are drawn. *)
structure Regression =
struct
  open Tensor.Part

  fun withOnes x = Tensor.join 1 [x, RealTensor.fill 1.0 [Matrix.nRows x, 1]]
  (* The weights of the columns of x, and the constant: the least squares of x w - y. *)
  fun fit (x, y) =
    let val x = withOnes x
    in Linear.solve Linear.Positive (Linear.inner (x, x), Linear.matmul (Tensor.transpose x, y)) end
  (* The part of the variance of y that the weights explain *)
  fun explained (x, y, weights) =
    let open Tensor.Infix
    in R 1.0 - Along.variance [0] (y - Linear.matmul (withOnes x, weights)) / Along.variance [0] y end

  fun split table = (Tensor.slice [All, To ~1] table, Tensor.slice [All, At ~1] table)

  (* y = x w + 0.5 + noise, with weights 1, ~2, 3 *)
  fun example n =
    let
      val key = Random.key 7
      fun gaussian (i, shape) = Tensor.fromSeq shape (Random.gaussian Type.real [] (Random.split key i) (List.foldl Int.* 1 shape))
      val x = gaussian (0, [n, 3])
      open Tensor.Infix
      val y = Linear.matmul (x, RealTensor.fromList [3] [1.0, ~2.0, 3.0]) + R 0.5 + R 0.1 * gaussian (1, [n])
    in
      (x, y)
    end
end

fun main () =
  let
    val (x, y) = case CommandLine.arguments () of [path] => Regression.split (Files.read Type.real path) | _ => Regression.example 100000
    val () = Seq.force [Tensor.any x, Tensor.any y]
    val weights = Timing.timed "regression" (fn () => let val w = Regression.fit (x, y) in Seq.force [Tensor.any w]; w end)
  in
    print ("weights " ^ Tensor.toString (Real.fmt (StringCvt.FIX (SOME 4))) weights ^ ", explained "
           ^ Real.fmt (StringCvt.FIX (SOME 4)) (Tensor.value (Regression.explained (x, y, weights))) ^ "\n")
  end
