(* The rest of Seq: functions of SEQUENCE and EXTRA that are made of others. *)
structure Seq =
struct
  open Seq

  type 'a t = 'a seq
  type 'a ord = 'a Trace.exp * 'a Trace.exp -> bool Trace.exp
  datatype 'a listview = NIL | CONS of 'a * 'a seq
  datatype 'a treeview = EMPTY | ONE of 'a | PAIR of 'a seq * 'a seq
  exception Range = Subscript
  exception Size = Size

  val (inContextOf, wide, number) = (Nested.inContextOf, Nested.wide, Nested.number)
  fun first p = #1 (Exp.unpair p)
  fun second p = #2 (Exp.unpair p)
  fun plus (x, y) = Exp.+ (x, y)

  fun $ ty x = singleton ty x
  fun % ty l = fromList ty l
  fun range (name, message) = failure (Range, name ^ ": " ^ message)

  (* ---- positions and elements *)

  fun iota n = tabulated ("Seq.iota", fn i => i, n)
  (* 0, ..., n - 1. A filter's length need not be known. *)
  fun positions (name, s) =
    case Core.knownLength (name, s) of
      SOME n => inContextOf s (fn () => tabulated (name, fn i => i, n))
    | NONE => prefixes 0 (name, Exp.+, 0, Core.map (name, fn _ => Exp.int 1, s))
  fun enumerated (name, s) =
    let val i = positions (name, s)
    in Core.zip (name, [cellOf i, cellOf s], contextOf s, Type.pair (Type.int, typeOf s)) end
  fun enum s = enumerated ("Seq.enum", s)
  fun enumerate s = enumerated ("Seq.enumerate", s)

  fun mappedIdx (name, f, s) = Core.map2 (name, f, positions (name, s), s)
  fun mapIdx f s = mappedIdx ("Seq.mapIdx", f, s)
  fun filteredIdx (name, f, s) = columns (name, Core.filter (name, f o Exp.unpair, enumerated (name, s)), 1, typeOf s)
  fun filterIdx f s = filteredIdx ("Seq.filterIdx", f, s)

  (* f of both, the longer one without its end. Two filters' lengths are computed only if they are not known to be equal. *)
  fun shorter (name, f) (s, t) =
    let
      fun cut (m, n) = f (if m > n then Seq.take s n else s, if n > m then Seq.take t m else t)
    in
      case (Core.knownLength (name, s), Core.knownLength (name, t)) of
        (SOME m, SOME n) => cut (m, n)
      | _ => f (s, t) handle Size => cut (lengthNow (name, s), lengthNow (name, t))
    end
  fun zipWith f (s, t) = shorter ("Seq.zipWith", Seq.zipWith f) (s, t)
  fun zip (s, t) = shorter ("Seq.zip", Seq.zip) (s, t)

  fun update (s, (i, x)) =
    let
      val n = lengthNow ("Seq.update", s)
      val ty = typeOf s
    in
      if i < 0 orelse i >= n then raise range ("Seq.update", "i is " ^ Int.toString i ^ ", but the length is " ^ Int.toString n)
      else mappedIdx ("Seq.update", fn (k, y) => Exp.cond (Exp.== (k, Exp.int i), Trace.const ty x, y), s)
    end

  (* ---- parts *)

  fun splitHead s = if length s = 0 then NIL else CONS (nth s 0, drop s 1)
  fun splitMid s =
    case length s of
      0 => EMPTY
    | 1 => ONE (nth s 0)
    | n => PAIR (take s (n div 2), drop s (n div 2))
  fun partition f s = (Core.filter ("Seq.partition", f, s), Core.filter ("Seq.partition", Exp.not o f, s))
  fun rotate s k =
    let val n = lengthNow ("Seq.rotate", s)
        val k = if n = 0 then 0 else k mod n
    in concatenated ("Seq.rotate", typeOf s, [drop s k, take s k]) end
  fun interleave (s, t) =
    let
      val () = Type.checkValues ("Seq.interleave", typeOf s, typeOf t)
      val (m, n) = (lengthNow ("Seq.interleave", s), lengthNow ("Seq.interleave", t))
      val () =
        if m = n then ()
        else
          raise failure
            (Size, "Seq.interleave: the lengths are " ^ Int.toString m ^ " and " ^ Int.toString n ^ "; expected equal lengths")
      fun element k =
        let val i = Exp.div (k, Exp.int 2)
        in Exp.cond (Exp.== (Exp.mod (k, Exp.int 2), Exp.int 0), Exp.at (s, i), Exp.at (t, i)) end
    in
      inContextOf s (fn () => tabulated ("Seq.interleave", element, 2 * n))
    end

  (* ---- one after another *)

  (* The captures and s, and `use` of the function, the first state as text, s and the outputs *)
  fun sequential (name, ty, f, b, s) use =
    let
      val (function, result) = function2 (name, f, ty, typeOf s)
      val () = Type.checkValues (name, ty, result)
      val b = tuple (Type.literals ty b)
    in
      withCaptures (name, function, s) (fn (f, p, out) => use (f, Platform.text b, p, out))
    end
  fun iterate ty f b s =
    let val (from, call) = sequential ("Seq.iterate", ty, f, b, s) CApi.wf_iterate
    in now ("Seq.iterate", contextOf s, ty, from, call) end
  fun iteratePrefixes ty f b s =
    let
      val name = "Seq.iteratePrefixes"
      val (from, call) =
        sequential (name, ty, f, b, s) (fn (f, b, p, (prefixes, last)) => CApi.wf_iterate_prefixes (f, b, p, int32 0, prefixes, last))
      val (prefixes, last) = two (name, contextOf s, ty, ty, from, fn (handles, prefixes, last) => call (handles, (prefixes, last)))
    in
      (prefixes, value (name, last))
    end
  fun iteratePrefixesIncl ty f b s =
    let
      val name = "Seq.iteratePrefixesIncl"
      val (from, call) =
        sequential (name, ty, f, b, s) (fn (f, b, p, out) => CApi.wf_iterate_prefixes (f, b, p, int32 1, out, Platform.null))
    in
      make (name, contextOf s, ty, from, call)
    end

  (* ---- comparisons *)

  fun equal f (s, t) =
    lengthNow ("Seq.equal", s) = lengthNow ("Seq.equal", t)
    andalso Core.reduce now ("Seq.equal", Exp.&&, true, Core.map2 ("Seq.equal", f, s, t))

  (* 2 * i + (1 if t[i] comes first), for the first i at which the elements differ. *)
  fun collate less (s, t) =
    let
      val name = "Seq.collate"
      val (m, n) = (lengthNow (name, s), lengthNow (name, t))
      val k = Int.min (m, n)
      val none = Option.valOf Int64.maxInt handle Option => 9223372036854775807
      fun code (i, x, y) =
        let val twice = Exp.* (number 2, wide i)
        in Exp.cond (less (x, y), twice, Exp.cond (less (y, x), plus (twice, number 1), Exp.int64 none)) end
      val codes = Core.map (name, code o Exp.untriple, Seq.zip3 (positions (name, take s k), take s k, take t k))
      val first = Core.reduce now (name, Exp.min, none, codes)
    in
      if first = none then Int.compare (m, n) else if first mod 2 = 0 then LESS else GREATER
    end

  (* The position of the first element that `better` puts before all others. A position of ~1 is no element. *)
  fun best (name, better, s) =
    let
      fun start ty = Type.literals Type.int ~1 @ List.map Identity.zero (List.drop (Type.scalars ty, 1))
      fun choose (p, q) =
        let
          val ((i, x), (j, y)) = (Exp.unpair p, Exp.unpair q)
          fun isNone i = Exp.< (i, Exp.int 0)
        in
          Exp.cond (Exp.|| (isNone i, Exp.&& (Exp.not (isNone j), better (y, x))), q, p)
        end
    in
      case #1 (reduceFrom start now (name, choose, enumerated (name, s))) of
        ~1 => raise range (name, "the sequence is empty; expected at least one element")
      | i => i
    end
  fun argmax less s = best ("Seq.argmax", fn (x, y) => less (y, x), s)
  fun argmin less s = best ("Seq.argmin", less, s)

  (* ---- sequences of sequences *)

  fun flatten s = Nested.flatten ("Seq.flatten", s)

  (* The first positions and the lengths of runs of equal neighbours, in the order of `ascending` or of a function *)
  fun equalRuns (name, s) =
    let val width = orderedWidth (name, typeOf s)
    in Nested.between (name, from (name, s, Type.int64, fn (p, out) => CApi.wf_runs (p, int32 width, out))) end
  fun runsBy (name, f, s) =
    let val (from, call) = less (name, f, s) CApi.wf_runs_by
    in Nested.between (name, make (name, contextOf s, Type.int64, from, call)) end
  fun gather (name, s, positions) = Core.map (name, fn i => Exp.at (s, i), positions)

  (* The runs of equal keys, which `runs` makes, of pairs in the order of their keys *)
  fun grouped (name, runs, pairs) =
    let
      val (keys, values) = unzipped (name, pairs)
      val (firsts, lengths) = runs keys
    in
      Seq.zip (gather (name, keys, firsts), Nested.ranges (name, values, firsts, lengths))
    end
  fun collect less s =
    let
      val name = "Seq.collect"
      fun isEqual (x, y) = Exp.not (less (x, y))
    in
      grouped (name, fn keys => runsBy (name, isEqual, keys), sortBy (name, fn (p, q) => less (first p, first q), s))
    end

  (* ---- fusions *)

  fun mapReduce f g b s = Core.reduce now ("Seq.mapReduce", g, b, Core.map ("Seq.mapReduce", f, s))
  fun mapScan f g b s = scan g b (Core.map ("Seq.mapScan", f, s))
  fun mapScanIncl f g b s = prefixes 1 ("Seq.mapScanIncl", g, b, Core.map ("Seq.mapScanIncl", f, s))
  fun mapFilter f p s = Core.filter ("Seq.mapFilter", p, Core.map ("Seq.mapFilter", f, s))
  fun mapFilterIdx f p s = filteredIdx ("Seq.mapFilterIdx", p, mappedIdx ("Seq.mapFilterIdx", f, s))
  fun mapMerge f less (s, t) = mergeBy ("Seq.mapMerge", less, Core.map ("Seq.mapMerge", f, s), Core.map ("Seq.mapMerge", f, t))
  fun now s = (Core.force ("Seq.now", #1 (any s), contextOf s); s)
end
