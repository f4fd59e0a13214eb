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

fun main () =
  let
    val numbers = List.map (Option.valOf o Int.fromString) (CommandLine.arguments ())
    val (best, _, _, _) = Timing.timed "sums" (fn () => Mcss.sums (IntSeq.fromList numbers))
  in
    print (Int.toString best ^ "\n")
  end
