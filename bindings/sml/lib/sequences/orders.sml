(* More primitives on handles: sorts, merges and scattered elements. *)
structure Core =
struct
  open Core

  (* ---- orders *)

  datatype order = Ascending | Descending
  fun code order = int32 (case order of Ascending => 0 | Descending => 1)

  (* The number of columns of elements that are ordered, or compared, column by column. *)
  fun orderedWidth (name, ty) =
    if List.null (Type.valuesOf ty) then Type.width ty
    else
      raise failed
        (Type, name ^ ": sequences have no order of their own; expected numbers, bools or tuples of these, such as a key in Seq.ascendingBy")

  fun less (name, f, s) use =
    let val (function, _) = function2 (name, f, typeOf s, typeOf s)
    in withCaptures (name, function, s) use end
  fun sortBy (name, f, s) =
    let val (from, call) = less (name, f, s) CApi.wf_sort_by
    in make (name, contextOf s, typeOf s, from, call) end
  fun sort (name, order, s, keys) =
    from (name, s, typeOf s, fn (p, out) => CApi.wf_sort (p, int32 keys, code order, out))
  (* In the order of key x. *)
  fun sortOn (name, order, key, s) =
    let
      val keys = map (name, key, s)
      val pairs = zip (name, [cellOf keys, cellOf s], contextOf s, Type.pair (typeOf keys, typeOf s))
      val width = orderedWidth (name, typeOf keys)
    in
      columns (name, sort (name, order, pairs, width), width, typeOf s)
    end

  (* `call` takes both handles, the captures of a function, and the output pointer. *)
  fun mergedWith (name, s, t, captures, call) =
    (Type.checkValues (name, typeOf s, typeOf t);
     make (name, contextOf s, typeOf s, cellOf s :: cellOf t :: captures, fn (handles, out) =>
       call (List.hd handles, List.nth (handles, 1), List.drop (handles, 2), out)))
  fun merge (name, order, s, t) =
    let val width = orderedWidth (name, typeOf s)
    in mergedWith (name, s, t, [], fn (p, q, _, out) => CApi.wf_merge (p, q, int32 width, code order, out)) end
  (* A merge, an intersection or a difference by a function, which `call` takes first. *)
  fun mergedBy call (name, f, s, t) =
    let val (function, _) = function2 (name, f, typeOf s, typeOf s)
    in
      mergedWith (name, s, t, Trace.captures function, fn (p, q, captured, out) =>
        Trace.withFunction (name, function, captured) (fn f => call (f, p, q, out)))
    end

  fun mergeBy (name, f, s, t) = mergedBy CApi.wf_merge_by (name, f, s, t)

  (* ---- scattered elements *)

  (* base with the values at the indices: the last one of equal indices, or all of them combined by f. *)
  fun scatter (name, f, base, indices, values) =
    let
      val () = Type.checkValues (name, typeOf base, typeOf values)
      val function = Option.map (fn f => #1 (function2 (name, f, typeOf base, typeOf base))) f
      val captures = case function of NONE => [] | SOME function => Trace.captures function
      fun call ([p, q, r], out) f = CApi.wf_scatter (f, p, q, r, out)
        | call _ _ = raise Match
    in
      make (name, contextOf base, typeOf base, cellOf base :: cellOf indices :: cellOf values :: captures, fn (handles, out) =>
        let
          val call = call (List.take (handles, 3), out)
        in
          case function of
            NONE => call null
          | SOME function => Trace.withFunction (name, function, List.drop (handles, 3)) call
        end)
    end
  fun histogram (name, bins, s) = asInts (name, from (name, s, Type.int, fn (p, out) => CApi.wf_histogram (p, int64 bins, out)))
end
