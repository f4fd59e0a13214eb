structure Segments =
struct
  open Core Rep

  val (wide, number, plus, inContextOf) = (Nested.wide, Nested.number, Seq.plus, Nested.inContextOf)
  fun wides (name, s) = map (name, wide, s)
  fun tabulated (name, s, f, n) = inContextOf s (fn () => Seq.tabulated (name, f o wide, n))
  fun unusable (name, message) = failure (Size, name ^ ": " ^ message)

  (* ---- parts of a sequence *)

  fun total (name, offsets) =
    Int64.toInt (value (name, Nested.sum (name, offsets)))
    handle Subscript => raise unusable (name, "a length is negative; expected lengths of 0 or more")

  fun split (s, lengths) =
    let
      val name = "Segments.split"
      val lengths = wides (name, lengths)
      val offsets = Nested.offsets (name, lengths)
      val total = total (name, offsets)
      val n = lengthNow (name, s)
    in
      if total = n then Nested.ranges (name, s, Seq.take offsets (lengthNow (name, lengths)), lengths)
      else raise unusable (name, "the sum of the lengths is " ^ Int.toString total ^ "; expected the sequence's length, " ^ Int.toString n)
    end

  fun checkSize (name, size) = if size >= 1 then () else raise unusable (name, "the size is " ^ Int.toString size ^ "; expected 1 or more")
  (* `count` parts of s, from each multiple of `step` on; the last one is cut at the end of s. *)
  fun regular (name, s, size, step, count) =
    let
      fun first i = Exp.* (i, number step)
      fun length i = Exp.min (number size, Exp.- (number (lengthNow (name, s)), first i))
    in
      checkSize (name, size);
      Nested.ranges (name, s, tabulated (name, s, first, count ()), tabulated (name, s, length, count ()))
    end
  fun chunks size s =
    let
      fun count n = n div size + Int.min (1, n mod size)
    in
      regular ("Segments.chunks", s, size, size, fn () => count (lengthNow ("Segments.chunks", s)))
    end
  fun windows size s =
    regular ("Segments.windows", s, size, 1, fn () => Int.max (0, lengthNow ("Segments.windows", s) - size + 1))

  fun parted (name, f, s) =
    let
      val n = lengthNow (name, s)
      val separators = columns (name, filter (name, f o #2 o Exp.unpair, Seq.enumerated (name, s)), 0, Type.int)
      val k = lengthNow (name, separators)
      fun separator i = wide (Exp.at (separators, i))
      fun first i = Exp.cond (Exp.== (i, number 0), number 0, plus (separator (Exp.- (i, number 1)), number 1))
      fun last i = Exp.cond (Exp.== (i, number k), number n, separator i)
    in
      Nested.ranges
        (name, s, tabulated (name, s, first, k + 1), tabulated (name, s, fn i => Exp.- (last i, first i), k + 1))
    end
  fun isFull (Trace.E (_, [_, length])) = Exp.> (Trace.E (Type.int64, [length]), number 0)
    | isFull _ = raise Match
  fun fields f s = parted ("Segments.fields", f, s)
  fun tokens f s = filter ("Segments.tokens", isFull, parted ("Segments.tokens", f, s))

  fun joined (name, f, s) =
    let val (firsts, lengths) = Seq.runsBy (name, f, s)
    in Nested.ranges (name, s, firsts, lengths) end
  fun runs f s = joined ("Segments.runs", f, s)
  fun splitBefore f s = joined ("Segments.splitBefore", fn (_, y) => Exp.not (f y), s)

  fun fromList ty parts =
    let val lengths = Seq.fromList Type.int64 (List.map (fn s => Int64.fromInt (lengthNow ("Segments.fromList", s))) parts)
    in Nested.tiles ("Segments.fromList", Seq.concatenated ("Segments.fromList", ty, parts), lengths) end
  fun fromLists ty lists =
    let val lengths = Seq.fromList Type.int64 (List.map (Int64.fromInt o List.length) lists)
    in Nested.tiles ("Segments.fromLists", Core.fromList ("Segments.fromLists", ty, List.concat lists), lengths) end

  fun tabulate f lengths =
    let
      val name = "Segments.tabulate"
      val lengths = wides (name, lengths)
      val offsets = Nested.offsets (name, lengths)
      val total = total (name, offsets)
      val numbers = Nested.numbers (name, offsets, total)
      fun element k =
        let val i = Exp.at (numbers, k)
        in f (Exp.cast Type.int i, Exp.cast Type.int (Exp.- (k, Exp.at (offsets, i)))) end
    in
      Nested.tiles (name, tabulated (name, lengths, element, total), lengths)
    end
  fun append (s, t) =
    let
      val name = "Segments.append"
      val (u, v) = (Nested.valuesOf s, Nested.valuesOf t)
      fun joined (a, b) = Seq.concatenated (name, Type.int64, [a, b])
      fun moved first = plus (first, number (lengthNow (name, u)))
      val firsts = joined (Nested.firsts (name, s), map (name, moved, Nested.firsts (name, t)))
    in
      Nested.ranges (name, Seq.concatenated (name, typeOf u, [u, v]), firsts, joined (Nested.lengths (name, s), Nested.lengths (name, t)))
    end

  structure ByContent =
  struct
    fun called name = "Segments.ByContent." ^ name

    (* Sequences of equal content have equal ranks. *)
    fun ranks (name, s) : Int64.int seq =
      let
        val (values, lengths) = (Nested.flatten (name, s), Nested.lengths (name, s))
        val longest = Core.reduce now (name, Exp.max, 0, lengths)
        val cells = [cellOf values, cellOf (Nested.offsets (name, lengths))]
      in
        composed (name, "segment_ranks", cells, contextOf s, Type.int64, [Real.fromLargeInt (Int64.toLarge longest)])
      end
    (* Each with its rank, in order *)
    fun sorted (name, s) = Core.sort (name, Ascending, Seq.zip (ranks (name, s), s), 1)
    fun unranked (name, pairs, s) = columns (name, pairs, 1, typeOf s)
    fun rank p = #1 (Exp.unpair p)
    (* The ranks of s and of t *)
    fun both (name, s, t) =
      let val (ranks, n) = (ranks (name, append (s, t)), lengthNow (name, s))
      in (Seq.take ranks n, Seq.drop ranks n) end

    fun sort s = unranked (called "sort", sorted (called "sort", s), s)
    fun unique s =
      let
        val name = called "unique"
        val (from, call) = less (name, fn (p, q) => Exp.== (rank p, rank q), sorted (name, s)) CApi.wf_unique_by
      in
        unranked (name, make (name, contextOf s, Type.pair (Type.int64, typeOf s), from, call), s)
      end
    fun merge (s, t) = sort (append (s, t))
    fun collate (s, t) = Seq.collate Exp.< (both (called "collate", s, t))
    fun argmax s = Seq.argmax Exp.< (ranks (called "argmax", s))
    fun binarySearch (s, needles) = Search.binarySearch Exp.< (both (called "binarySearch", s, needles))
  end
  fun lexicographic s = ByContent.sort s

  (* ---- each sequence by itself *)

  fun lengths s = Core.map ("Segments.lengths", Exp.cast Type.int, Nested.lengths ("Segments.lengths", s))
  fun map f s =
    let val name = "Segments.map"
    in Nested.ranges (name, Core.map (name, f, Nested.valuesOf s), Nested.firsts (name, s), Nested.lengths (name, s)) end
  fun reduced (name, f, b, s) = Core.map (name, Inner.reduce f b o Inner.row, s)
  fun reduce f b s = reduced ("Segments.reduce", f, b, s)
  fun scan f b s = Nested.scan 0 ("Segments.scan", f, b, s)
  fun scanIncl f b s = #1 (Nested.scan 1 ("Segments.scanIncl", f, b, s))
  (* All elements, each after the number of its sequence, in an order that `sorted` makes of them *)
  fun ordered (name, sorted) s =
    let
      val (values, lengths) = (Nested.flatten (name, s), Nested.lengths (name, s))
      val numbers = Nested.numbers (name, Nested.offsets (name, lengths), lengthNow (name, values))
    in
      Nested.tiles (name, columns (name, sorted (Seq.zip (numbers, values)), 1, typeOf values), lengths)
    end
  (* The numbers ascend in both orders: in the descending one, their signs are changed. *)
  fun inOrder (name, order, sign) =
    let fun signed p = let val (i, x) = Exp.unpair p in Exp.pair (sign i, x) end
    in ordered (name, fn pairs => Core.sort (name, order, Core.map (name, signed, pairs), orderedWidth (name, typeOf pairs))) end
  fun ascending s = inOrder ("Segments.ascending", Ascending, fn i => i) s
  fun descending s = inOrder ("Segments.descending", Descending, Exp.~) s
  fun sort less =
    let
      val name = "Segments.sort"
      fun isBefore (p, q) =
        let val ((i, x), (j, y)) = (Exp.unpair p, Exp.unpair q)
        in Exp.|| (Exp.< (i, j), Exp.&& (Exp.== (i, j), less (x, y))) end
    in
      ordered (name, fn pairs => sortBy (name, isBefore, pairs))
    end
  fun filter f s = Nested.filter ("Segments.filter", f, s)

  (* ---- groups *)

  fun byKey (name, keys, pairs) =
    Seq.grouped (name, fn keys => Seq.equalRuns (name, keys), Core.sort (name, Ascending, pairs, orderedWidth (name, typeOf keys)))
  fun groupBy key s =
    let val keys = Core.map ("Segments.groupBy", key, s)
    in byKey ("Segments.groupBy", keys, Seq.zip (keys, s)) end
  fun reduceByKey f b pairs =
    let
      val name = "Segments.reduceByKey"
      val (keys, groups) = Seq.unzipped (name, byKey (name, #1 (Seq.unzipped (name, pairs)), pairs))
    in
      Seq.zip (keys, reduced (name, f, b, groups))
    end

  fun runLengths s =
    let
      val name = "Segments.runLengths"
      val (firsts, lengths) = Seq.equalRuns (name, s)
    in
      Seq.zip (Seq.gather (name, s, firsts), Core.map (name, Exp.cast Type.int, lengths))
    end
  fun expand pairs =
    let
      val name = "Segments.expand"
      val (elements, counts) = Seq.unzipped (name, pairs)
      val offsets = Nested.offsets (name, wides (name, counts))
    in
      Seq.gather (name, elements, Nested.numbers (name, offsets, total (name, offsets)))
    end
end
