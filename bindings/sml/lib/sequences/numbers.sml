structure Numbers =
struct
  open Core

  fun from identity finish (name, f, s) = reduceFrom (Identity.literals identity) finish (name, f, s)
  fun sum s = from Identity.zero now ("Numbers.sum", Exp.+, s)
  fun product s = from Identity.one now ("Numbers.product", Exp.*, s)
  fun dot (s, t) = from Identity.zero now ("Numbers.dot", Exp.+, map2 ("Numbers.dot", Exp.*, s, t))
  fun mean s =
    from Identity.zero now ("Numbers.mean", Exp.+, map ("Numbers.mean", Exp.cast Type.real, s)) / Real.fromInt (lengthNow ("Numbers.mean", s))
  fun minmax s =
    let
      val name = "Numbers.minmax"
      val (low, high) = (from Identity.largest make (name, Exp.min, s), from Identity.smallest make (name, Exp.max, s))
    in
      Seq.force [Seq.any low, Seq.any high];
      (value (name, low), value (name, high))
    end
end
