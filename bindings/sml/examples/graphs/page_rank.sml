(* page_rank [N]: PageRank of a graph of N pages, until the ranks change by less than 10^-12 in all. A page's links are a sequence; the rank that
   it passes on is scattered to the pages that it links to. *)
structure PageRank =
struct
  open Exp.Infix infix 4 ==

  val damping = 0.85

  (* links: the pages that each page links to *)
  fun ranks (links : int Seq.seq Seq.seq) =
    let
      val n = Seq.length links
      val degrees = Segments.lengths links
      val targets = Seq.flatten links
      val sources = Segments.expand (Seq.zip (Seq.iota n, degrees))
      val () = Seq.force [Seq.any targets, Seq.any sources, Seq.any degrees]
      fun share ranks (i, degree) = Exp.cond (degree == I 0, R 0.0, Exp.at (ranks, i) / Exp.cast Type.real degree)
      fun step ranks =
        let
          val shares = Seq.mapIdx (share ranks) degrees
          val passed = Seq.scatter Exp.+ (RealSeq.fill 0.0 n, Seq.zip (targets, Seq.map (fn i => Exp.at (shares, i)) sources))
          (* Pages without links pass their rank on to all pages. *)
          val lost = Seq.mapReduce (fn p => let val (d, r) = Exp.unpair p in Exp.cond (d == I 0, r, R 0.0) end) Exp.+ 0.0 (Seq.zip (degrees, ranks))
          val rest = R (Real./ (Real.+ (Real.- (1.0, damping), Real.* (damping, lost)), Real.fromInt n))
        in
          Seq.map (fn r => rest + R damping * r) passed
        end
      fun iterate ranks =
        let
          val next = step ranks
          val () = Seq.force [Seq.any next]
          val change = Numbers.sum (Seq.zipWith (fn (a, b) => Exp.abs (a - b)) (ranks, next))
        in
          if Real.< (change, 1E~12) then next else iterate next
        end
    in
      iterate (RealSeq.fill (Real./ (1.0, Real.fromInt n)) n)
    end

  (* Page i links to i div 2 and, if i mod 3 is not 0, to 7 i + 1. *)
  fun example n =
    let fun link p = let val (i, k) = Exp.unpair p in Exp.cond (k == I 0, i div I 2, Exp.mod (i * I 7 + I 1, I n)) end
        val degrees = Seq.map (fn i => Exp.cond (Exp.mod (i, I 3) == I 0, I 1, I 2)) (Seq.iota n)
        val pages = Segments.split (Segments.expand (Seq.zip (Seq.iota n, degrees)), degrees)
        val numbers = Seq.flatten (#1 (Segments.scan Exp.+ 0 (Segments.map (fn _ => I 1) pages)))
    in Segments.split (Seq.map link (Seq.zip (Seq.flatten pages, numbers)), degrees) end
end

fun main () =
  let
    val links = PageRank.example (Timing.argument 100000)
    val ranks = Timing.timed "ranks" (fn () => PageRank.ranks links)
    val best = Seq.argmax Exp.< ranks
  in
    print ("page " ^ Int.toString best ^ " has the largest rank, " ^ Real.fmt (StringCvt.FIX (SOME 6)) (Seq.nth ranks best) ^ "\n")
  end
