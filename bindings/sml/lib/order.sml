structure Order =
struct
  open Core
  type 'a seq = 'a Rep.seq
  type 'a ord = 'a Seq.ord

  fun before_ i = Exp.- (i, Exp.int 1)

  (* Element i and its left neighbour, for i > 0. *)
  fun neighbours (name, f, s) =
    let val n = lengthNow (name, s)
    in Core.map2 (name, f, Seq.take s (Int.max (n - 1, 0)), Seq.drop s (Int.min (n, 1))) end
  fun isSorted less s =
    reduce now ("Order.isSorted", Exp.&&, true, neighbours ("Order.isSorted", fn (x, y) => Exp.not (less (y, x)), s))

  fun topK k s = Seq.take (Seq.sorted ("Order.topK", Descending) s) (Int.min (k, lengthNow ("Order.topK", s)))

  (* The elements that keep (i, x) chooses, and of neighbours that are equal the first only. *)
  fun firsts (name, less, s, keep) =
    let fun isFirst (i, x) = Exp.&& (Exp.|| (Exp.== (i, Exp.int 0), less (Exp.at (s, before_ i), x)), keep x)
    in Seq.filteredIdx (name, isFirst, s) end
  fun always _ = Exp.bool true

  fun unique less s = firsts ("Order.unique", less, sortBy ("Order.unique", less, s), always)
  fun union less (s, t) = firsts ("Order.union", less, mergeBy ("Order.union", less, s, t), always)
  fun contains (less, t) x =
    let val i = Search.lowerBound (less, t) x
    in Exp.&& (Exp.< (i, Exp.length t), Exp.not (less (x, Exp.at (t, i)))) end
  fun intersection less (s, t) = firsts ("Order.intersection", less, s, contains (less, t))
  fun difference less (s, t) = firsts ("Order.difference", less, s, Exp.not o contains (less, t))
end
