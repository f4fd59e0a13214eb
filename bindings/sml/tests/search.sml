(* Search, Order and Numbers, next to lists. *)
structure SearchTests =
struct
  open Check

  val n = 100007
  val lengths = [0, 1, 2, 3, n]
  fun noise n = List.tabulate (n, fn i => (i mod 40009 * 7919 + i mod 1013 * (i mod 1013)) mod 2003 - 1001)
  fun numbers n = IntSeq.fromList (noise n)
  fun forAll test = List.app (fn n => test (noise n, numbers n)) lengths
  val pairType = Type.pair (Type.int, Type.int)
  fun second p = #2 (Exp.unpair p)
  fun above k x = Exp.> (x, Exp.I k)
  fun enumerated l = ListPair.zip (List.tabulate (List.length l, fn i => i), l)
  fun optional show (expected, actual) =
    equal (fn NONE => "NONE" | SOME x => "SOME " ^ show x) (expected, actual)
  fun range call = raises "Range" (fn Seq.Range => true | _ => false) call

  fun searches () =
    (test "any, all, count, find, findIndex, packIndex" (fn () =>
       forAll (fn (l, s) =>
         List.app
           (fn k =>
              let fun isAbove x = x > k
              in
                bool (List.exists isAbove l, Search.any (above k) s);
                bool (List.all isAbove l, Search.all (above k) s);
                int (List.length (List.filter isAbove l), Search.count (above k) s);
                optional Int.toString (List.find isAbove l, Search.find (above k) s);
                optional Int.toString (Option.map #1 (List.find (isAbove o #2) (enumerated l)), Search.findIndex (above k) s);
                ints (List.map #1 (List.filter (isAbove o #2) (enumerated l)), Seq.toList (Search.packIndex (above k) s))
              end)
           [~1002, 0, 995, 1001]));
     test "find of pairs and in a filter" (fn () =>
       let val s = Seq.filter (fn p => Exp.> (second p, Exp.I 900)) (Seq.enum (numbers n))
       in
         optional (Type.show pairType) (List.find (fn (i, x) => x > 900 andalso i > 50000) (enumerated (noise n)),
           Search.find (fn p => Exp.> (#1 (Exp.unpair p), Exp.I 50000)) s)
       end);
     test "binarySearch" (fn () =>
       List.app
         (fn m =>
            let
              val (l, needles) = (Seq.toList (Seq.ascending (numbers m)), noise n)
              val a = Array.fromList l
              fun lower (low, high, x) =
                if low = high then low
                else let val k = (low + high) div 2
                     in if Array.sub (a, k) < x then lower (k + 1, high, x) else lower (low, k, x) end
              fun places l = List.map (fn x => lower (0, m, x)) l
            in
              ints (places needles, Seq.toList (Search.binarySearch Exp.< (Seq.ascending (numbers m), numbers n)));
              ints (places [~5000, 5000], Seq.toList (Search.binarySearch Exp.< (Seq.ascending (numbers m), IntSeq.% [~5000, 5000])))
            end)
         lengths))

  (* The elements of a sorted list, one of equal ones. *)
  fun distinct (x :: (rest as y :: _)) = if x = y then distinct rest else x :: distinct rest
    | distinct l = l
  fun tens (x, y) = Exp.< (Exp.div (x, Exp.I 10), Exp.div (y, Exp.I 10))

  fun orders () =
    (test "isSorted" (fn () =>
       (forAll (fn (l, s) =>
          (bool (ListPair.all (fn (x, y) => x <= y) (l, if List.null l then [] else List.tl l), Order.isSorted Exp.< s);
           bool (true, Order.isSorted Exp.< (Seq.ascending s));
           bool (true, Order.isSorted Exp.> (Seq.descending s))));
        bool (false, Order.isSorted Exp.< (Seq.update (Seq.iota n, (70001, 0))));
        bool (true, Order.isSorted Exp.< (Seq.fill Type.int 3 n));
        bool (false, Order.isSorted Exp.< (Seq.append (Seq.iota n, IntSeq.% [n - 2])))));
     test "topK" (fn () =>
       forAll (fn (_, s) =>
         List.app
           (fn k =>
              let val all = Seq.toList (Seq.descending s)
              in ints (List.take (all, Int.min (k, List.length all)), Seq.toList (Order.topK k s)) end)
           [0, 1, 10, 1000]));
     test "unique: the first of equal elements" (fn () =>
       (forAll (fn (_, s) => ints (distinct (Seq.toList (Seq.ascending s)), Seq.toList (Order.unique Exp.< s)));
        list (Type.show pairType) ([(3, 1), (0, 10), (2, 25)],
          Seq.toList (Order.unique (fn (p, q) => tens (second p, second q))
            (Seq.enum (IntSeq.% [10, 19, 25, 1, 2, 11, 29]))))));
     test "union, intersection and difference" (fn () =>
       List.app
         (fn (m, k) =>
            let
              val (a, b) = (Seq.ascending (numbers m), Seq.map (fn x => Exp.* (x, Exp.I 3)) (Seq.ascending (numbers k)))
              fun counts l =
                let val a = Array.array (8001, 0)
                in List.app (fn x => Array.update (a, x + 4000, Array.sub (a, x + 4000) + 1)) l; a end
              val (ofA, ofB) = (counts (Seq.toList a), counts (Seq.toList b))
              fun those f =
                List.concat (List.tabulate (8001, fn i => List.tabulate (f (Array.sub (ofA, i), Array.sub (ofB, i)), fn _ => i - 4000)))
            in
              ints (those Int.max, Seq.toList (Order.union Exp.< (a, b)));
              ints (those Int.min, Seq.toList (Order.intersection Exp.< (a, b)));
              ints (those (fn (j, k) => Int.max (j - k, 0)), Seq.toList (Order.difference Exp.< (a, b)))
            end)
         [(0, 0), (0, 7), (7, 0), (1, 1), (n, 50001), (2, n)]);
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
    (test "sum, product, mean, minmax, dot" (fn () =>
       (forAll (fn (l, s) =>
          (int (List.foldl op + 0 l, Numbers.sum s);
           if List.null l then ints (List.map Option.valOf [Int.maxInt, Int.minInt], let val (low, high) = Numbers.minmax s in [low, high] end)
           else
             let val (low, high) = Numbers.minmax s
             in
               int (List.foldl Int.min 5000 l, low);
               int (List.foldl Int.max ~5000 l, high);
               holds "the mean is close" (Real.abs (Numbers.mean s - Real.fromInt (List.foldl op + 0 l) / Real.fromInt (List.length l)) < 1E~9)
             end));
        int (120, Numbers.product (Seq.map (fn i => Exp.+ (i, Exp.I 1)) (Seq.iota 5)));
        reals ([6.0, 1.0, 0.0], [Numbers.product (RealSeq.% [2.0, 3.0]), Numbers.product (RealSeq.empty ()), Numbers.sum (RealSeq.empty ())]);
        holds "the mean of nothing is nan" (Real.isNan (Numbers.mean (IntSeq.empty ())));
        list Word8.toString ([0w6], [Numbers.sum (Word8Seq.% [0w255, 0w7])]);
        reals ([~1.5, 4.0], let val (low, high) = Numbers.minmax (RealSeq.% [4.0, ~1.5, 0.0 / 0.0]) in [low, high] end);
        int (~2, Numbers.dot (IntSeq.% [1, 2, 3], IntSeq.% [2, ~2, 0]));
        size (fn () => Numbers.dot (IntSeq.% [1, 2, 3], IntSeq.% [2, ~2]))));
     test "wrong types" (fn () =>
       (warpfold (Warpfold.Type, "`add` has an operand of type (") (fn () => Numbers.sum (Seq.enum (numbers 3)));
        warpfold (Warpfold.Type, "`mul` has an operand of type bool") (fn () => Numbers.product (BoolSeq.% [true])))))

  fun run () = (searches (); orders (); sums ())
end
