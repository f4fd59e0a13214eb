structure Order =
struct
  open Core

  (* Element i and its left neighbour, for i > 0. *)
  fun neighbours (name, f, s) =
    let val n = lengthNow (name, s)
    in Core.map2 (name, f, Seq.take s (Int.max (n - 1, 0)), Seq.drop s (Int.min (n, 1))) end
  fun isSorted less s =
    reduce now ("Order.isSorted", Exp.&&, true, neighbours ("Order.isSorted", fn (x, y) => Exp.not (less (y, x)), s))

  fun topK k s =
    let
      val name = "Order.topK"
      val _ = if k < 0 then raise failure (Subscript, name ^ ": k is " ^ Int.toString k ^ "; expected 0 or more") else ()
      val n = Int.min (k, lengthNow (name, s))
    in
      from (name, Seq.sorted (name, Descending) s, typeOf s, fn (p, out) => CApi.wf_take (p, int64 n, out))
    end

  fun unique order s =
    let
      val name = "Order.unique"
      val (from, call) = less (name, fn (x, y) => Exp.not (order (x, y)), sortBy (name, order, s)) CApi.wf_unique_by
    in
      make (name, contextOf s, typeOf s, from, call)
    end

  fun intersection order (s, t) = mergedBy CApi.wf_intersection_by ("Order.intersection", order, s, t)
  fun difference order (s, t) = mergedBy CApi.wf_difference_by ("Order.difference", order, s, t)
  fun union order (s, t) = mergeBy ("Order.union", order, s, mergedBy CApi.wf_difference_by ("Order.union", order, t, s))
end
