structure Search =
struct
  open Core

  fun any f s = reduce now ("Search.any", Exp.||, false, map ("Search.any", f, s))
  fun all f s = reduce now ("Search.all", Exp.&&, true, map ("Search.all", f, s))
  fun count f s = reduce now ("Search.count", Exp.+, 0, map ("Search.count", fn x => Exp.cast Type.int (f x), s))

  fun first (name, f, s) =
    let
      val none = Option.valOf Int.maxInt
      fun position (i, x) = Exp.cond (f x, i, Exp.int none)
      val i = reduce now (name, Exp.min, none, Seq.mappedIdx (name, position, s))
    in
      if i = none then NONE else SOME i
    end
  fun findIndex f s = first ("Search.findIndex", f, s)
  fun find f s = Option.map (Seq.nth s) (first ("Search.find", f, s))
  fun packIndex f s =
    let val name = "Search.packIndex"
    in columns (name, filter (name, f o #2 o Exp.unpair, Seq.enumerated (name, s)), 0, Type.int) end

  fun binarySearch order (s, needles) =
    let
      val name = "Search.binarySearch"
      val (function, _) = function2 (name, order, typeOf s, typeOf s)
    in
      asInts (name,
        make (name, contextOf s, Type.int, cellOf s :: cellOf needles :: Trace.captures function, fn (handles, out) =>
          Trace.withFunction (name, function, List.drop (handles, 2)) (fn f =>
            CApi.wf_search_by (f, List.hd handles, List.nth (handles, 1), int32 0, out))))
    end
end
