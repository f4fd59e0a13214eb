(* sorts [N]: quicksort and samplesort as 15-210 teaches them, next to Seq.sort, of N pseudorandom numbers. *)
structure Sorts =
struct
  open Exp.Infix infix 2 ||

  (* A tree of filters. Sequences of up to `grain` elements are left to Seq.sort. *)
  fun quicksort grain less s =
    if Int.<= (Seq.length s, grain) then Seq.sort less s
    else
      let
        val pivot = Seq.subseq s (Int.div (Seq.length s, 2), 1)
        fun isLess x = less (x, Exp.at (pivot, I 0))
        fun isGreater x = less (Exp.at (pivot, I 0), x)
        val parts = (Seq.filter isLess s, Seq.filter (fn x => Exp.not (isLess x || isGreater x)) s, Seq.filter isGreater s)
        val (left, middle, right) = parts
        val () = Seq.force [Seq.any left, Seq.any middle, Seq.any right]
      in
        Seq.append (quicksort grain less left, Seq.append (middle, quicksort grain less right))
      end

  (* Splitters, which are every eighth element of a sorted sample, cut the elements into `buckets` parts of similar lengths. Each part is
     sorted by itself. *)
  fun samplesort buckets less s =
    let
      val n = Seq.length s
      val step = Int.div (n, Int.* (8, buckets))
    in
      if Int.< (step, 1) then Seq.sort less s
      else
        let
          val sample = Seq.sort less (Seq.tabulate (fn i => Exp.at (s, i * I step)) (Int.* (8, buckets)))
          val splitters = Seq.tabulate (fn i => Exp.at (sample, i * I 8 + I 7)) (Int.- (buckets, 1))
          val bucket = Search.binarySearch less (splitters, s)
          val order = Seq.ascendingBy (fn p => #1 (Exp.unpair p)) (Seq.zip (bucket, s))
          val parts = Segments.split (#2 (Seq.unzip order), Seq.histogram buckets bucket)
        in
          case Seq.toList parts of
            [] => s
          | first :: rest => List.foldl (fn (part, done) => Seq.append (done, Seq.sort less part)) (Seq.sort less first) rest
        end
    end

  fun noise n = Seq.map (fn i => Exp.mod (Exp.mod (i, I 40009) * I 7919 + Exp.mod (i, I 1013) * Exp.mod (i, I 1013), I 100003)) (Seq.iota n)
end

fun main () =
  let
    val s = Sorts.noise (Timing.argument 1000000)
    val () = Seq.force [Seq.any s]
    fun run (name, sort) = Timing.timed name (fn () => let val r = sort Exp.< s in Seq.force [Seq.any r]; r end)
    val sorted = [run ("Seq.sort", Seq.sort), run ("quicksort", Sorts.quicksort 1000), run ("samplesort", Sorts.samplesort 16)]
  in
    print (if List.all (fn t => Seq.equal Exp.== (t, List.hd sorted)) sorted then "equal\n" else "NOT equal\n")
  end
