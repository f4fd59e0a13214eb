(* mcss NUMBER...: the maximum contiguous subsequence sum; the sum of an empty subsequence is 0.
   One pass: a reduction over four sums per stretch of numbers, which suffice to join two adjacent stretches. *)
structure Mcss =
struct
  (* The sums of a stretch: its largest subsequence sum, its largest prefix sum, its largest suffix sum, its total. *)
  type sums = int * int * int * int

  fun single x =
    let val gain = Exp.max (x, Exp.int 0)
    in Exp.quadruple (gain, gain, gain, x) end

  fun join (left : sums Exp.t, right : sums Exp.t) =
    let
      open Exp
      val (leftBest, leftPrefix, leftSuffix, leftTotal) = unquadruple left
      val (rightBest, rightPrefix, rightSuffix, rightTotal) = unquadruple right
    in
      quadruple
        (max (max (leftBest, rightBest), leftSuffix + rightPrefix), max (leftPrefix, leftTotal + rightPrefix),
         max (rightSuffix, leftSuffix + rightTotal), leftTotal + rightTotal)
    end

  fun sums s = Seq.reduce join (0, 0, 0, 0) (Seq.map single s)
end

val () = Program.define ("mcss", "NUMBER...", fn arguments =>
  let val s = IntSeq.fromList (List.map (Option.valOf o Int.fromString) arguments)
  in Program.print (Int.toString (#1 (Program.timed (Seq.length s, "numbers") (fn () => Mcss.sums s))) ^ "\n") end)
