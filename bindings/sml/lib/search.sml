structure Search =
struct
  open Core
  type 'a seq = 'a Rep.seq

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

  (* The first `low` such that the elements from `low` on do not come before x. *)
  fun lowerBound (less, s) x =
    let
      fun middle (low, high) = Exp.div (Exp.+ (low, high), Exp.int 2)
      fun next bounds =
        let val (low, high) = Exp.unpair bounds
            val m = middle (low, high)
        in Exp.cond (less (Exp.at (s, m), x), Exp.pair (Exp.+ (m, Exp.int 1), high), Exp.pair (low, m)) end
    in
      #1 (Exp.unpair (Exp.loop
        {start = Exp.pair (Exp.int 0, Exp.length s), continue = Exp.< o Exp.unpair, next = next}))
    end
  fun binarySearch less (s, needles) = map ("Search.binarySearch", lowerBound (less, s), needles)
end
