(* Scattered elements: filters, reals, errors. ValueTests has their values. *)
structure ScatterTests =
struct
  open Check

  val n = 100007
  fun host f = List.tabulate (n, f)

  fun run () =
    (test "inject into a filter" (fn () =>
       let val even = Seq.filter Lambdas.is_even (Seq.tabulate Lambdas.identity 20)
       in ints ([0, ~1, 4, 6, 8, 10, 12, 14, 16, ~9], Seq.toList (Seq.inject (even, IntPairSeq.fromList [(9, ~9), (1, ~1)]))) end);
     test "scatter of reals: the same bits every time" (fn () =>
       let
         val updates = Seq.tabulate (fn i => Exp.pair (Exp.mod (i, Exp.int 5), Exp./ (Exp.R 1.0, Exp.cast Type.real (Exp.+ (i, Exp.int 1))))) n
         fun sums () = Seq.toBytes (Seq.scatter Exp.+ (RealSeq.fill 0.0 5, updates))
         val first = sums ()
         val close = Seq.toList (Seq.scatter Exp.+ (RealSeq.fill 0.0 5, updates))
         fun harmonic k = List.foldl (fn (i, s) => if i mod 5 = k then s + 1.0 / Real.fromInt (i + 1) else s) 0.0 (host (fn i => i))
       in
         bool (true, Word8Array.vector first = Word8Array.vector (sums ()));
         List.app (fn k => holds "the sum is close" (Real.abs (harmonic k - List.nth (close, k)) < 1E~10)) [0, 1, 4]
       end);
     test "an index outside, and wrong types" (fn () =>
       let
         val s = IntSeq.fromList [1, 2, 3]
         fun outside k = Seq.toList (Seq.inject (s, IntPairSeq.fromList [(0, 7), (k, 8)]))
       in
         subscript (fn () => outside 3);
         subscript (fn () => outside ~1);
         subscript (fn () => Seq.toList (Seq.scatter Exp.+ (s, IntPairSeq.fromList [(3, 1)])));
         subscript (fn () => Seq.toList (Seq.histogram 3 s));
         size (fn () => Seq.histogram ~1 s);
         warpfold (Warpfold.Type, "Seq.histogram") (fn () => Seq.histogram 3 (RealSeq.fromList [1.0]));
         warpfold (Warpfold.Argument, "Seq.scatter") (fn () => Seq.scatter Exp.- (s, IntPairSeq.fromList [(0, 1)]))
       end))
end
