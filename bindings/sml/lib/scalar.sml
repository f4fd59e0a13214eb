structure Scalar =
struct
  open Rep

  type 'a t = 'a scalar
  type 'a seq = 'a seq
  type any = Seq.any

  fun reduce f b s = Scalar (Core.reduce Core.make f b s)
  fun scanned inclusive f b s =
    let val (prefixes, total) = Core.scan inclusive f b s
    in (prefixes, Scalar (Core.own (Core.contextOf s, Core.typeOf s, total))) end
  fun scan f b s = scanned 0 f b s
  fun scanIncl f b s = scanned 1 f b s
  fun length s = Scalar (Core.length s)
  fun nth s i = Scalar (Core.nth Core.make s i)

  fun map f (Scalar s) = Scalar (Core.map f s)
  fun zipWith f (Scalar s, Scalar t) = Scalar (Core.map2 f (s, t))

  fun value (Scalar s) = Core.value s
  fun any (Scalar s) = Seq.any s
  fun release (Scalar s) = Core.release s
end
