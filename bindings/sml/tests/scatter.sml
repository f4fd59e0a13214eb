(* Scattered elements and histograms, next to updates of an ML array. *)
structure ScatterTests =
struct
  open Check

  val n = 100007
  fun host f = List.tabulate (n, f)
  fun listOf a = Array.foldr (op ::) [] a

  (* Each index but the multiples of 3 below 2000, many times, with values that differ. *)
  fun index i = let val k = i * 7919 mod 2000 in if k mod 3 = 0 then k + 1 else k end
  fun value i = i * 31 mod 1009 - 500
  val updates = host (fn i => (index i, value i))
  fun expected (f, base) =
    let val a = Array.fromList base
    in List.app (fn (i, x) => Array.update (a, i, f (Array.sub (a, i), x))) updates; listOf a end
  fun base k = List.tabulate (2003, fn i => i * k)

  (* The updates as a delayed sequence. *)
  fun delayed () = Seq.map (fn p => let val (i, x) = Exp.unpair p in Exp.pair (i, Exp.+ (x, Exp.int 1)) end)
                     (IntPairSeq.fromList (List.map (fn (i, x) => (i, x - 1)) updates))

  fun run () =
    (test "inject: the last of equal indices wins" (fn () =>
       (ints (expected (#2, base 3), Seq.toList (Seq.inject (IntSeq.fromList (base 3), IntPairSeq.fromList updates)));
        ints (expected (#2, base 3), Seq.toList (Seq.inject (Seq.map (fn x => Exp.* (x, Exp.int 3)) (IntSeq.fromList (base 1)), delayed ())))));
     test "inject of nothing, and into nothing" (fn () =>
       (ints (base 3, Seq.toList (Seq.inject (IntSeq.fromList (base 3), IntPairSeq.fromList [])));
        ints ([], Seq.toList (Seq.inject (IntSeq.empty (), IntPairSeq.fromList [])))));
     test "inject of pairs" (fn () =>
       let
         val pairs = List.tabulate (2003, fn i => (i, ~i))
         val s = Seq.zip (IntSeq.fromList (List.map #1 updates), IntPairSeq.fromList (List.map (fn (_, x) => (x, 2 * x)) updates))
         val result = Seq.toList (Seq.inject (IntPairSeq.fromList pairs, s))
       in
         ints (expected (#2, base 1), List.map #1 result);
         ints (List.map (fn (i, x) => if i mod 3 = 0 orelse i >= 2000 then ~i else 2 * x)
                 (ListPair.zip (base 1, List.map #1 result)), List.map #2 result)
       end);
     test "inject into a filter" (fn () =>
       let val even = Seq.filter Lambdas.is_even (Seq.tabulate Lambdas.identity 20)
       in ints ([0, ~1, 4, 6, 8, 10, 12, 14, 16, ~9], Seq.toList (Seq.inject (even, IntPairSeq.fromList [(9, ~9), (1, ~1)]))) end);
     test "scatter combines" (fn () =>
       List.app
         (fn (f, g) => ints (expected (g, base 1), Seq.toList (Seq.scatter f (IntSeq.fromList (base 1), delayed ()))))
         [(Exp.+, op +), (Exp.min, Int.min), (Exp.max, Int.max)]);
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
     test "histogram" (fn () =>
       let
         val bytes = List.map (fn x => x mod 200) (host (fn i => i mod 1013 * (i mod 1013) mod 1013))
         val counts = Array.array (256, 0)
         val () = List.app (fn b => Array.update (counts, b, Array.sub (counts, b) + 1)) bytes
       in
         ints (listOf counts, Seq.toList (Seq.histogram 256 (IntSeq.fromList bytes)));
         ints (listOf counts, Seq.toList (Seq.histogram 256 (Word8Seq.fromList (List.map Word8.fromInt bytes))));
         ints ([0, 0, 0], Seq.toList (Seq.histogram 3 (IntSeq.empty ())));
         int (n, Seq.reduce Lambdas.add 0 (Seq.histogram 256 (IntSeq.fromList bytes)))
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
