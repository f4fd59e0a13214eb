(* pca [N]: the principal components of N points of 50 numbers, which lie near a plane. *)
structure Pca =
struct
  open Tensor.Infix

  (* The k directions of the greatest variance, as columns, and their variances, greatest first *)
  fun components k x =
    let
      val centred = x - Keep.mean [0] x
      val covariance = Linear.inner (centred, centred) / R (real (Matrix.nRows x))
      val (values, vectors) = Linear.eigen covariance
      val last = Tensor.Part.From (Int.~ k)
    in
      (Tensor.flip [0] (Tensor.slice [last] values), Tensor.flip [1] (Tensor.slice [Tensor.Part.All, last] vectors))
    end
  fun project (x, directions) = Linear.matmul (x - Keep.mean [0] x, directions)

  (* Points in the plane of two directions, with variances 9 and 1 along them, and noise of variance 1E~4 *)
  fun example n =
    let
      val key = Random.key 11
      fun gaussian (i, shape) = Tensor.fromSeq shape (Random.gaussian Type.real [] (Random.split key i) (List.foldl Int.* 1 shape))
      val (directions, _) = Linear.qr (gaussian (0, [50, 2]))
      val places = gaussian (1, [n, 2]) * RealTensor.fromList [2] [3.0, 1.0]
    in
      (Linear.outer (places, directions) + R 0.01 * gaussian (2, [n, 50]), directions)
    end
end

fun main () =
  let
    val (x, _) = Pca.example (Timing.argument 20000)
    val () = Seq.force [Tensor.any x]
    val (variances, _) = Timing.timed "pca" (fn () =>
      let val found as (values, vectors) = Pca.components 3 x in Seq.force [Tensor.any values, Tensor.any vectors]; found end)
  in
    print ("variances " ^ Tensor.toString (Real.fmt (StringCvt.FIX (SOME 4))) variances ^ "\n")
  end
