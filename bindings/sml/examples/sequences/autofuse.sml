(* autofuse [N]: seven maps and a sum of N numbers, which are one kernel, next to the same with a stored sequence after each map. *)
structure Autofuse =
struct
  fun times (0, _, s) = s
    | times (k, f, s) = times (k - 1, f, f s)
  fun doubled s = times (7, Seq.map Lambdas.double, s)

  fun fused s = Scalar.reduce Exp.+ 0 (doubled s)
  fun stored s =
    let fun step s = let val t = Seq.map Lambdas.double s in Seq.force [Seq.any t]; t end
    in Seq.reduce Exp.+ 0 (times (7, step, s)) end
end

fun main () =
  let
    val s = IntSeq.fill 1 (Timing.argument 10000000)
    val () = Seq.force [Seq.any s]
    val sum = Autofuse.fused s
    val () = print (Seq.explain [Scalar.any sum])
    val a = Timing.timed "fused" (fn () => Scalar.value sum)
    val b = Timing.timed "stored after each map" (fn () => Autofuse.stored s)
  in
    print (Int.toString a ^ (if a = b then " both ways\n" else ", NOT " ^ Int.toString b ^ "\n"))
  end
