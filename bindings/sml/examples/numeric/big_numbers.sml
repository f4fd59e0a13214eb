(* big_numbers [N]: the sum and the product of two numbers of N decimal digits, least significant digit first. A scan finds all carries of a
   sum at once: a digit makes a carry, passes one on, or stops it. *)
structure BigNumbers =
struct
  open Exp.Infix infix 4 ==

  val (stop, pass, make) = (I 0, I 1, I 2)
  fun next (a, b) = Exp.cond (b == pass, a, b)

  fun padded n s = Seq.append (s, IntSeq.fill 0 (Int.- (n, Seq.length s)))
  fun trimmed s =
    case Search.findIndex (fn d => Exp.> (d, I 0)) (Seq.rev s) of
      NONE => IntSeq.empty ()
    | SOME zeros => Seq.take s (Int.- (Seq.length s, zeros))

  fun add (a, b) =
    let
      val n = Int.+ (Int.max (Seq.length a, Seq.length b), 1)
      val sums = Seq.zipWith Exp.+ (padded n a, padded n b)
      fun kind d = Exp.cond (d > I 9, make, Exp.cond (d == I 9, pass, stop))
      val (carries, _) = Seq.scan next 1 (Seq.map kind sums)
    in
      trimmed (Seq.zipWith (fn (d, c) => Exp.mod (d + Exp.cond (c == make, I 1, I 0), I 10)) (sums, carries))
    end

  (* Digit k is the sum of a[i] b[k - i], which has as many digits as it needs: the carries are numbers, added one after another. *)
  fun multiply (a, b) =
    let
      val (m, n) = (Seq.length a, Seq.length b)
      fun column k =
        let val first = Exp.max (I 0, k - I (Int.- (n, 1)))
        in Inner.sum (Inner.map (fn i => Exp.at (a, i) * Exp.at (b, k - i)) (Inner.range (first, Exp.min (k + I 1, I m)))) end
      val columns = padded (Int.+ (m, n)) (Seq.tabulate column (Int.max (0, Int.- (Int.+ (m, n), 1))))
      fun place k = Seq.append (IntSeq.fill 0 k, Seq.map (fn c => Exp.mod (c div I (power k), I 10)) columns)
      and power 0 = 1
        | power k = Int.* (10, power (Int.- (k, 1)))
    in
      List.foldl (fn (k, sum) => add (sum, place k)) (place 0) (List.tabulate (8, fn k => Int.+ (k, 1)))
    end

  fun fromString text = IntSeq.fromList (List.rev (List.map (fn c => Int.- (Char.ord c, 48)) (String.explode text)))
  fun toString s = case String.implode (List.rev (List.map (fn d => Char.chr (Int.+ (d, 48))) (Seq.toList s))) of "" => "0" | text => text
end

fun main () =
  let
    val n = Timing.argument 10000
    fun example k = Seq.append (Seq.map (fn i => Exp.mod (Exp.* (i, Exp.I k), Exp.I 10)) (Seq.iota (Int.- (n, 1))), IntSeq.singleton 7)
    val (a, b) = (example 7, example 3)
    fun run (name, f) = Timing.timed name (fn () => Seq.length (f (a, b)))
  in
    print (Int.toString (run ("sum", BigNumbers.add)) ^ " and " ^ Int.toString (run ("product", BigNumbers.multiply)) ^ " digits\n")
  end
