(* Order and Numbers: equal elements, special values, errors. ValueTests has their values. *)
structure SearchTests =
struct
  open Check

  val pairType = Type.pair (Type.int, Type.int)
  fun second p = #2 (Exp.unpair p)
  fun tens (x, y) = Exp.< (Exp.div (x, Exp.I 10), Exp.div (y, Exp.I 10))

  fun orders () =
    (test "unique: the first of equal elements" (fn () =>
       list (Type.show pairType) ([(3, 1), (0, 10), (2, 25)],
          Seq.toList (Order.unique (fn (p, q) => tens (second p, second q))
            (Seq.enum (IntSeq.% [10, 19, 25, 1, 2, 11, 29])))));
     test "sets prefer the first sequence's elements" (fn () =>
       let
         fun tagged (l, tag) = Seq.fromList pairType (List.map (fn x => (tag, x)) l)
         fun by (p, q) = Exp.< (second p, second q)
         val (s, t) = (tagged ([1, 3, 5], 1), tagged ([1, 2, 5, 6], 2))
         fun are (expected, s) = list (Type.show pairType) (expected, Seq.toList s)
       in
         are ([(1, 1), (2, 2), (1, 3), (1, 5), (2, 6)], Order.union by (s, t));
         are ([(1, 1), (1, 5)], Order.intersection by (s, t));
         are ([(1, 3)], Order.difference by (s, t))
       end))

  fun sums () =
    (test "numbers of other types, of none, and NaN" (fn () =>
       (ints (List.map Option.valOf [Int.maxInt, Int.minInt], let val (low, high) = Numbers.minmax (IntSeq.empty ()) in [low, high] end);
        reals ([6.0, 1.0, 0.0], [Numbers.product (RealSeq.% [2.0, 3.0]), Numbers.product (RealSeq.empty ()), Numbers.sum (RealSeq.empty ())]);
        holds "the mean of nothing is nan" (Real.isNan (Numbers.mean (IntSeq.empty ())));
        list Word8.toString ([0w6], [Numbers.sum (Word8Seq.% [0w255, 0w7])]);
        reals ([~1.5, 4.0], let val (low, high) = Numbers.minmax (RealSeq.% [4.0, ~1.5, 0.0 / 0.0]) in [low, high] end);
        size (fn () => Numbers.dot (IntSeq.% [1, 2, 3], IntSeq.% [2, ~2]))));
     test "wrong types" (fn () =>
       (warpfold (Warpfold.Type, "`add` has an operand of type (") (fn () => Numbers.sum (Seq.enum (Seq.iota 3)));
        warpfold (Warpfold.Type, "`mul` has an operand of type bool") (fn () => Numbers.product (BoolSeq.% [true])))))

  fun run () = (orders (); sums ())
end
