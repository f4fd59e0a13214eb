(* quicksort [N]: sorts N numbers as textbooks do. Quicksort filters three times in one pass and recurs. Samplesort collects the numbers between
   the neighbours in a sorted sample, and sorts each group. Seq.ascending is faster than both. *)
structure Quicksort =
struct
  open Exp.Infix
  infix 4 ==

  val few = 5000
  fun quicksort s =
    if Int.<= (Seq.length s, few) then Seq.ascending s
    else
      let
        val pivot = I (Seq.nth s (Int.div (Seq.length s, 2)))
        val (less, same, greater) = (Seq.filter (fn x => x < pivot) s, Seq.filter (fn x => x == pivot) s, Seq.filter (fn x => x > pivot) s)
      in
        Seq.force [Seq.any less, Seq.any same, Seq.any greater];
        IntSeq.concat [quicksort less, same, quicksort greater]
      end

  fun samplesort s =
    let
      val n = Seq.length s
      val every = Int.+ (Real.floor (Math.sqrt (Real.fromInt n)), 1)
      val sample = Seq.ascending (Seq.tabulate (fn i => Exp.at (s, i * I every)) (Int.div (n, every)))
      val groups = Segments.groupBy (fn p => #1 (Exp.unpair p)) (Seq.zip (Search.binarySearch Exp.< (sample, s), s))
    in
      #2 (Seq.unzip (Seq.flatten (Segments.ascending (#2 (Seq.unzip groups)))))
    end

  fun numbers n = Seq.tabulate (fn i => (i * I 1103515245 + I 12345) mod I 1000003) n
end

val () = Program.define ("quicksort", "[N]", fn arguments =>
  let
    val n = Program.number (arguments, 0, 1000000)
    val numbers = Seq.now (Quicksort.numbers n)
    fun check (name, sort) =
      let val sorted = Program.timed (n, "numbers") (fn () => Seq.now (sort numbers))
      in Program.print (name ^ (if Seq.equal Exp.== (sorted, Seq.ascending numbers) then ": sorted\n" else ": NOT sorted\n")) end
  in
    List.app check [("quicksort", Quicksort.quicksort), ("samplesort", Quicksort.samplesort)]
  end)
