(* big_sum A B: the sum of two natural numbers of any length. A position of the digits' sums makes a carry, passes one on or stops it; a scan finds
   all carries in one pass. *)
structure BigSum =
struct
  open Exp.Infix
  infix 4 ==

  val (stop, pass, make) = (I 0, I 1, I 2)
  (* The digits, the lowest first. *)
  fun digits text =
    IntSeq.fromList (List.rev (List.map (fn c => if Char.isDigit c then Int.- (Char.ord c, 48) else raise Fail (text ^ " is not a natural number"))
      (String.explode text)))

  fun add (a, b) =
    let
      val n = Int.+ (Int.max (Seq.length a, Seq.length b), 1)
      fun padded s = Seq.append (s, IntSeq.fill 0 (Int.- (n, Seq.length s)))
      val sums = Seq.zipWith Exp.+ (padded a, padded b)
      fun kind d = Exp.cond (d > I 9, make, Exp.cond (d == I 9, pass, stop))
      val (carries, _) = Seq.scan (fn (before_, kind) => Exp.cond (kind == pass, before_, kind)) 1 (Seq.map kind sums)
    in
      Seq.zipWith (fn (d, c) => Exp.mod (d + Exp.cond (c == make, I 1, I 0), I 10)) (sums, carries)
    end

  fun text s =
    let
      fun significant (0 :: (l as _ :: _)) = significant l
        | significant l = l
    in
      String.concat (List.map Int.toString (significant (List.rev (Seq.toList s))))
    end
end

val () = Program.define ("big_sum", "A B", fn arguments =>
  let val (a, b) = (BigSum.digits (List.nth (arguments, 0)), BigSum.digits (List.nth (arguments, 1)))
  in Program.print (Program.timed (Seq.length a, "digits") (fn () => BigSum.text (BigSum.add (a, b))) ^ "\n") end)
