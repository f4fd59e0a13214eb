structure Scalar =
struct
  open Rep Scalar

  fun reduce f b s = Scalar (Core.reduce Core.make ("Scalar.reduce", f, b, s))
  fun both (prefixes, total) = (prefixes, Scalar total)
  fun scan f b s = both (Core.scan 0 ("Scalar.scan", f, b, s))
  fun scanIncl f b s = both (Core.scan 1 ("Scalar.scanIncl", f, b, s))
  fun length s = Scalar (Core.length ("Scalar.length", s))
  fun nth s i = Scalar (Core.nth Core.make ("Scalar.nth", s, i))

  fun map f (Scalar s) = Scalar (Core.map ("Scalar.map", f, s))
  fun zipWith f (Scalar s, Scalar t) = Scalar (Core.map2 ("Scalar.zipWith", f, s, t))

  fun value (Scalar s) = Core.value ("Scalar.value", s)
  fun any (Scalar s) = Seq.any s
  fun release (Scalar s) = Core.release s
end
