(* Sorts and merges, next to an insertion into lists of equal keys. *)
structure OrderTests =
struct
  open Check

  (* A stable merge sort. *)
  fun mergeLists isBefore ([], ys) = ys
    | mergeLists isBefore (xs, []) = xs
    | mergeLists isBefore (xs, ys) =
        let
          fun go ([], ys, merged) = List.revAppend (merged, ys)
            | go (xs, [], merged) = List.revAppend (merged, xs)
            | go (x :: xs, y :: ys, merged) =
                if isBefore (y, x) then go (x :: xs, ys, y :: merged) else go (xs, y :: ys, x :: merged)
        in go (xs, ys, []) end
  fun sorted isBefore [] = []
    | sorted isBefore [x] = [x]
    | sorted isBefore l =
        let val half = List.length l div 2
        in mergeLists isBefore (sorted isBefore (List.take (l, half)), sorted isBefore (List.drop (l, half))) end

  fun noise n = List.tabulate (n, fn i => (i mod 40009 * 7919 + i mod 1013 * (i mod 1013)) mod 2003 - 1001)
  val lengths = [0, 1, 2, 100007]
  val intPair = Type.pair (Type.int, Type.int)
  val pairs = list (Type.show intPair)
  (* Each number with its position, and with many equal keys. *)
  fun numbered n = ListPair.zip (List.map (fn x => x mod 50) (noise n), List.tabulate (n, fn i => i))
  fun first p = #1 (Exp.unpair p)
  fun second p = #2 (Exp.unpair p)

  fun run () =
    (test "sorted numbers" (fn () =>
       List.app
         (fn n =>
            let
              val (values, s) = (noise n, IntSeq.fromList (noise n))
              fun remainder x = Exp.mod (x, Exp.int 7)
              fun byRemainder (x, y) = x mod 7 < y mod 7
            in
              ints (sorted op < values, Seq.toList (Seq.ascending s));
              ints (sorted op > values, Seq.toList (Seq.descending s));
              ints (sorted byRemainder values, Seq.toList (Seq.sort (fn (x, y) => Exp.< (remainder x, remainder y)) s));
              ints (sorted byRemainder values, Seq.toList (Seq.ascendingBy remainder s));
              ints (sorted (fn (x, y) => byRemainder (y, x)) values, Seq.toList (Seq.descendingBy remainder s))
            end)
         lengths);
     test "tuples, payloads, and equal elements in their order" (fn () =>
       List.app
         (fn n =>
            let
              val (values, s) = (numbered n, IntPairSeq.fromList (numbered n))
              fun byFirst ((a, _), (b, _)) = a < b
              fun fromFirst ((a, _), (b, _)) = a > (b : int)
              fun both ((a, i), (b, j)) = a < b orelse a = b andalso i > (j : int)
            in
              pairs (sorted byFirst values, Seq.toList (Seq.ascending s));
              pairs (sorted byFirst values, Seq.toList (Seq.ascendingBy first s));
              pairs (sorted fromFirst values, Seq.toList (Seq.descendingBy first s));
              pairs (sorted fromFirst values, Seq.toList (Seq.sort (fn (p, q) => Exp.> (first p, first q)) s));
              pairs (List.rev values, Seq.toList (Seq.descendingBy second s));
              pairs (sorted both values, Seq.toList (Seq.ascendingBy (fn p => Exp.pair (first p, Exp.~ (second p))) s))
            end)
         lengths);
     test "nan, zeros and infinities" (fn () =>
       let
         val values = [0.0 / 0.0, 1.5, ~0.0, Real.posInf, 0.0, ~2.0, ~0.0, Real.negInf, 0.0]
         fun text s = Seq.toString (fn x => if Real.isNan x then "nan" else if Real.== (x, 0.0) then if Real.signBit x then "-0" else "0"
                                            else Real.fmt (StringCvt.FIX (SOME 1)) x) s
       in
         string ("<~inf,~2.0,-0,-0,0,0,1.5,inf,nan>", text (Seq.ascending (RealSeq.fromList values)));
         string ("<nan,inf,1.5,0,0,-0,-0,~2.0,~inf>", text (Seq.descending (RealSeq.fromList values)));
         list Bool.toString ([false, false, true], Seq.toList (Seq.ascending (BoolSeq.fromList [true, false, false])));
         list Word8.toString ([0wxff, 0w7, 0w0], Seq.toList (Seq.descending (Word8Seq.fromList [0w7, 0w0, 0wxff])))
       end);
     test "merges" (fn () =>
       List.app
         (fn n =>
            let
              val (a, b) = (noise n, noise (n div 2 + 3))
              val (s, t) = (IntSeq.fromList a, IntSeq.fromList b)
              val merged = sorted op < (a @ b)
              fun tagged (s, tag) = Seq.map (fn x => Exp.pair (Exp.mod (x, Exp.int 7), Exp.int tag)) s
              val (u, v) = (Seq.ascending (tagged (s, 1)), Seq.ascending (tagged (t, 2)))
              fun isBefore ((x, _), (y, _)) = x < (y : int)
            in
              ints (merged, Seq.toList (Seq.mergeAscending (Seq.ascending s, Seq.ascending t)));
              ints (sorted op > merged, Seq.toList (Seq.mergeDescending (Seq.descending s, Seq.descending t)));
              pairs (sorted isBefore (Seq.toList u @ Seq.toList v), Seq.toList (Seq.merge (fn (p, q) => Exp.< (first p, first q)) (u, v)))
            end)
         lengths);
     test "results are sequences, and errors" (fn () =>
       let
         val s = Seq.descending (Seq.filter Lambdas.is_even (Seq.tabulate Lambdas.identity 100000))
         val other = Context.within (Context.create "cpu") (fn () => IntSeq.fromList [1])
         val released = IntSeq.fromList [1]
       in
         int (50000, Seq.length s);
         int (99998 + 99996 + 99994, Seq.reduce Lambdas.add 0 (Seq.take s 3));
         Seq.release released;
         warpfold (Warpfold.Argument, "Seq.sort: ") (fn () => Seq.sort (fn (x, y) => Exp.< (Exp.+ (x, Exp.at (s, x)), y)) s);
         warpfold (Warpfold.Argument, "Seq.mergeAscending: ") (fn () => Seq.mergeAscending (s, other));
         warpfold (Warpfold.Argument, "Seq.descendingBy: a sequence or scalar was released") (fn () => Seq.descendingBy Lambdas.double released);
         warpfold (Warpfold.Argument, "Seq.merge: a sequence or scalar was released") (fn () => Seq.merge Exp.< (s, released))
       end))
end
