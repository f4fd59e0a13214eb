(* Sequences of sequences. An element of an 'a seq seq is a range of one sequence, its values: a first position and a length, in two columns
   of i64. The type of the elements carries the values, so parts, zips, filters and sorts of a sequence of sequences move ranges alone. *)
structure Nested =
struct
  open Core Rep

  fun valuesOf s = let val Type.T {zero = values, ...} = typeOf s in values end

  fun part (values, first, length) =
    from ("Seq.nth", values, typeOf values, fn (p, out) => CApi.wf_subseq (p, int64 first, int64 length, out))
  fun rangeType (values as Seq {cell, ty, ...}) =
    let
      fun get [firsts, lengths] =
            if firsts = null then (fn _ => values) else (fn i => part (values, getInt64 (firsts, i), getInt64 (lengths, i)))
        | get _ = raise Match
      (* Part of computed values is computed at no cost. *)
      fun show s = (if isManifest ("Seq.describe", values) then Seq.force [Seq.any s] else (); Seq.describe s)
      fun refuse _ =
        raise failed
          (Argument, "a sequence cannot be a constant, such as the identity of a reduction; expected an element of a sequence of sequences")
    in
      Type.elementwise
        (Type.Range {values = cell, element = Type.shape ty}, values, fn s => [fn () => show s], get,
         fn pointers => if Type.areNull pointers then ignore else refuse)
    end

  (* Lengths and positions are i64s, also if an int has 32 bits. *)
  val int64 = Type.int64
  fun wide x = Exp.cast int64 x
  val add = Exp.+
  fun inContextOf s f = Context.within (contextOf s) f
  fun number i = Exp.int64 (Int64.fromInt i)

  (* The ranges with these first positions and lengths, which must be inside the values. *)
  fun ranges (name, values, firsts : Int64.int seq, lengths : Int64.int seq) : 'a seq seq =
    zip (name, [cellOf firsts, cellOf lengths], contextOf values, rangeType values)
  fun firsts (name, s) : Int64.int seq = columns (name, s, 0, int64)
  fun lengths (name, s) : Int64.int seq = columns (name, s, 1, int64)

  (* 0, the sums of the lengths before each one, and the sum of all. *)
  fun offsets (name, lengths) : Int64.int seq = from (name, lengths, int64, CApi.wf_offsets)
  fun sum (name, offsets) = nth make (name, offsets, lengthNow (name, offsets) - 1)

  (* The ranges of these lengths, one after another: all of the values. *)
  fun tiles (name, values, lengths) =
    let val offsets = offsets (name, lengths)
    in ranges (name, values, Seq.take offsets (lengthNow (name, offsets) - 1), lengths) end

  (* The first positions and the lengths of the ranges between these offsets *)
  fun between (name, offsets) =
    let val firsts = Seq.take offsets (lengthNow (name, offsets) - 1)
    in (firsts, map2 (name, Exp.-, Seq.drop offsets 1, firsts)) end

  (* For positions 0, ..., total - 1: the number of the range, of those one after another, that the position is in. *)
  fun numbers (name, offsets, total) : Int64.int seq =
    from (name, offsets, int64, fn (p, out) => CApi.wf_segment_ids (p, Platform.int64 total, out))

  (* The elements of all ranges, one after another. Ranges that are so already are part of the values. *)
  fun flatten (name, s) =
    let
      val (values, firsts) = (valuesOf s, firsts (name, s))
      val offsets = offsets (name, lengths (name, s))
      val total = sum (name, offsets)
      fun isNext x = let val (first, offset) = Exp.unpair x in Exp.== (first, add (Exp.at (firsts, Exp.int 0), offset)) end
      val areTiles = reduce make (name, Exp.&&, true, map (name, isNext, Seq.zip (firsts, Seq.take offsets (lengthNow (name, firsts)))))
      val () = Seq.force [Seq.any total, Seq.any areTiles]
      val total = Int64.toInt (value (name, total))
    in
      if total = 0 then part (values, 0, 0)
      else if value (name, areTiles) then part (values, Int64.toInt (Seq.nth firsts 0), total)
      else
        let
          val numbers = numbers (name, offsets, total)
          fun element k =
            let val i = Exp.at (numbers, k)
            in Exp.at (values, add (Exp.at (firsts, i), Exp.- (k, Exp.at (offsets, i)))) end
        in
          inContextOf s (fn () => Seq.tabulate (element o wide) total)
        end
    end

  (* The prefixes in each range, and the totals *)
  fun scan inclusive (name, f, b, s) =
    let
      val (values, lengths) = (flatten (name, s), lengths (name, s))
      val ty = typeOf values
      val (function, result) = function2 (name, f, ty, ty)
      val () = Type.checkValues (name, ty, result)
      val b = tuple (Type.literals ty b)
      fun call ([p, q], f, prefixes, totals) = CApi.wf_segment_scan (f, text b, p, q, int32 inclusive, prefixes, totals)
        | call _ = raise Match
      val (prefixes, totals) =
        two
          (name, contextOf s, ty, ty, cellOf values :: cellOf (offsets (name, lengths)) :: Trace.captures function,
           fn (handles, prefixes, totals) =>
             Trace.withFunction (name, function, List.drop (handles, 2)) (fn f => call (List.take (handles, 2), f, prefixes, totals)))
    in
      (tiles (name, prefixes, lengths), totals)
    end

  fun filter (name, f, s) =
    let
      val (values, offsets) = (flatten (name, s), offsets (name, lengths (name, s)))
      val (function, _) = function1 (name, f, typeOf values)
      fun call ([p, q], f, kept, offsets) = CApi.wf_segment_filter (f, p, q, kept, offsets)
        | call _ = raise Match
      val (kept, offsets) =
        two
          (name, contextOf s, typeOf values, int64, cellOf values :: cellOf offsets :: Trace.captures function,
           fn (handles, kept, offsets) =>
             Trace.withFunction (name, function, List.drop (handles, 2)) (fn f => call (List.take (handles, 2), f, kept, offsets)))
      val (firsts, lengths) = between (name, offsets)
    in
      ranges (name, kept, firsts, lengths)
    end
end
