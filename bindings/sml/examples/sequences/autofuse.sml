(* autofuse [N]: seven maps and a sum of N numbers, which are one kernel, next to the same with a stored sequence after each map. *)
structure Autofuse =
struct
  fun times (0, _, s) = s
    | times (k, f, s) = times (k - 1, f, f s)
  fun doubled s = times (7, Seq.map Lambdas.double, s)

  fun fused s = Scalar.reduce Exp.+ 0 (doubled s)
  fun stored s =
    let fun step s = Seq.now (Seq.map Lambdas.double s)
    in Seq.reduce Exp.+ 0 (times (7, step, s)) end
end

val () = Program.define ("autofuse", "[N]", fn arguments =>
  let
    val n = Program.number (arguments, 0, 10000000)
    val s = Seq.now (IntSeq.fill 1 n)
    val sum = Autofuse.fused s
    val () = Program.print (Seq.explain [Scalar.any sum] ^ "\n")
    val a = Program.timed (n, "numbers, fused") (fn () => Scalar.value sum)
    val b = Program.timed (n, "numbers, stored after each map") (fn () => Autofuse.stored s)
  in
    Program.print (Int.toString a ^ (if a = b then " both ways\n" else ", NOT " ^ Int.toString b ^ "\n"))
  end)
