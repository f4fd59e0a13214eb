(* page_rank [PAGES]: the pages with the highest ranks in a web made up here. A page gives its rank in equal parts to the pages that it links to, and a
   page without links to all. A round is two kernels: what pages give, and the sums of what they receive. *)
structure PageRank =
struct
  open Exp.Infix
  infix 4 ==

  val damping = 0.85

  (* The pages that link to each page, and the number of its links: page p links to p / 2, p / 3, ..., p mod 5 of them. *)
  fun web n =
    let
      val pages = Segments.tabulate (fn (p, k) => Exp.pair (p div (k + I 2), p)) (Seq.map (fn p => p mod I 5) (Seq.iota n))
      val (targets, sources) = Seq.unzip (Seq.ascending (Seq.flatten pages))
    in
      (Seq.now (Segments.split (sources, Seq.histogram n targets)), Seq.now (Segments.lengths pages))
    end

  fun round (incoming, out) ranks =
    let
      val n = R (Real.fromInt (Seq.length ranks))
      fun given (r, links) = r / Exp.cast Type.real (Exp.max (links, I 1))
      val gifts = Seq.zipWith given (ranks, out)
      val lost = Scalar.reduce Exp.+ 0.0 (Seq.zipWith (fn (r, links) => Exp.cond (links == I 0, r, R 0.0)) (ranks, out))
      fun received row = Inner.sum (Inner.map (fn p => Exp.at (gifts, p)) (Inner.row row))
      val rest = (R (Real.- (1.0, damping)) + R damping * Exp.scalar lost) / n
    in
      Seq.now (Seq.map (fn row => rest + R damping * received row) incoming)
    end
end

val () = Program.define ("page_rank", "[PAGES]", fn arguments =>
  let
    val (n, rounds) = (Program.number (arguments, 0, 20000), 30)
    val web as (incoming, _) = PageRank.web n
    fun run (0, ranks) = ranks
      | run (k, ranks) = run (k - 1, PageRank.round web ranks)
    val start = RealSeq.fill (1.0 / Real.fromInt n) n
    val ranks = Program.timed (rounds * Seq.length (Seq.flatten incoming), "links") (fn () => run (rounds, start))
    fun line (page, rank) = Program.print ("page " ^ Int.toString page ^ ": " ^ Program.fixed 6 rank ^ "\n")
  in
    Program.print ("sum " ^ Program.fixed 6 (Numbers.sum ranks) ^ "\n");
    List.app line (Seq.toList (Seq.take (Seq.descendingBy (#2 o Exp.unpair) (Seq.enum ranks)) 3))
  end)
