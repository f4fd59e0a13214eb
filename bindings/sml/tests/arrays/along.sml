(* Functions along several axes; special values, errors. ValueTests has values along one axis. *)
structure AlongTests =
struct
  open Arrays

  fun reductions () =
    (test "arrays: sums along several axes, and of another function in order" (fn () =>
       each [[2, 3, 4]] (fn (shape, a) =>
         let
           fun sum f = List.foldl op + 0 (List.map (expected shape) (List.filter f (indexLists shape)))
           (* x -> p x + q, composed from left to right modulo a prime *)
           fun compose (f, g) =
             let val ((p, q), (r, s)) = (Exp.unpair f, Exp.unpair g)
             in Exp.pair (Exp.mod (Exp.* (p, r), Exp.int 1009), Exp.mod (Exp.+ (Exp.* (q, r), s), Exp.int 1009)) end
           fun composed l = List.foldl (fn (x, (p, q)) => (2 * p mod 1009, (2 * q + x) mod 1009)) (1, 0) l
           val maps = Tensor.map (fn x => Exp.pair (Exp.int 2, x)) a
           fun row (i, j) = List.tabulate (4, fn k => expected shape [i, j, k])
         in
           isArray ([3], fn [j] => sum (fn l => List.nth (l, 1) = j) | _ => 0) (Along.sum [0, 2] a);
           isArray ([1, 3, 1], fn [_, j, _] => sum (fn l => List.nth (l, 1) = j) | _ => 0) (Keep.sum [2, 0] a);
           isArray ([], fn _ => sum (fn _ => true)) (Along.sum [0, 1, 2] a);
           isArray (shape, expected shape) (Along.sum [] a);
           isArray ([3, 4], fn [j, k] => expected shape [1, j, k] | _ => 0) (Along.max [0] a);
           list (Type.show (Type.pair (Type.int, Type.int))) (List.map (composed o row) [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)],
             Tensor.toList (Along.reduce compose (1, 0) [2] maps))
         end));
     test "arrays: extremes of no elements" (fn () =>
       let fun three x = [x, x, x]
       in
         ints (three (valOf Int.maxInt), Tensor.toList (Along.min [0] (Tensor.iota [0, 3])));
         ints (three (valOf Int.minInt), Tensor.toList (Keep.max [0] (Tensor.iota [0, 3])));
         reals (three (1.0 / 0.0), Tensor.toList (Along.min [0] (RealTensor.fromList [0, 3] [])));
         list Int64.toString
           (three 9223372036854775807, Tensor.toList (Along.min [0] (Tensor.map (Exp.cast Type.int64) (Tensor.iota [0, 3]))))
       end);
     test "arrays: means and variances along two axes" (fn () =>
       let val x = RealTensor.fromList [2, 1, 2] [1.0, 2.0, 3.0, 6.0]
       in
         reals ([3.0], Tensor.toList (Along.mean [0, 2] x));
         ints ([1, 1, 1], Tensor.shape (Keep.variance [0, 2] x));
         reals ([3.5], Tensor.toList (Keep.variance [0, 2] x));
         bool (true, Real.abs (Math.sqrt 50.0 - Tensor.value (Along.norm [0, 1, 2] x)) < 1E~12);
         ints ([1], Tensor.toList (Along.count [0, 2] (Tensor.map (fn x => Exp.> (x, Exp.real 3.0)) x)))
       end))

  fun vectors () =
    (test "arrays: places of sorted elements" (fn () =>
       let val a = IntTensor.fromList [2, 3] [3, 1, 3, 2, 2, 5]
       in
         ints ([1, 0, 2, 0, 1, 2], Tensor.toList (Along.ascendingIndices 1 a));
         ints ([0, 2, 1, 2, 0, 1], Tensor.toList (Along.descendingIndices ~1 a));
         ints ([1, 0, 0, 0, 1, 1], Tensor.toList (Along.ascendingIndices 0 a))
       end);
     test "arrays: wrong axes of reductions" (fn () =>
       let
         val a = Tensor.iota [3, 4]
         val int = Type.name Type.int
       in
         subscript (fn () => Along.sum [2] a);
         contains ("Along.sum", Warpfold.lastMessage ());
         warpfold (Warpfold.Argument, "again") (fn () => Along.sum [1, ~1] a);
         subscript (fn () => Keep.mean [2] (ofReals a));
         contains ("Keep.mean: axis is 2, but s has shape 3 x 4", Warpfold.lastMessage ());
         subscript (fn () => Along.cumulativeSum 2 a);
         subscript (fn () => Along.ascending ~3 a);
         warpfold (Warpfold.Type, "`add` has an operand of type bool") (fn () => Along.sum [0] (Tensor.map (fn x => Exp.> (x, Exp.int 1)) a));
         (* Functions of floats name themselves. *)
         warpfold (Warpfold.Type, "Along.mean: `mean` has an operand of type " ^ int) (fn () => Along.mean [0] a);
         warpfold (Warpfold.Type, "Keep.norm: `norm` has an operand of type " ^ int) (fn () => Keep.norm [0] a);
         warpfold (Warpfold.Type, "Along.softmax: `softmax` has an operand of type " ^ int) (fn () => Along.softmax [0] a);
         warpfold (Warpfold.Type, "Along.sum: `add`") (fn () => Along.sum [0] (Tensor.map (fn x => Exp.> (x, Exp.int 1)) a));
         warpfold (Warpfold.Type, "Tensor./: `div` has an operand of type " ^ int) (fn () => Tensor.Infix./ (a, a));
         subscript (fn () => Along.argmax 0 (Tensor.iota [0, 3]));
         contains ("Along.argmax: shape 0 x 3 has no elements along axis 0", Warpfold.lastMessage ())
       end);
     test "arrays: rows that are divided by their sum are one kernel" (fn () =>
       let
         val x = ofReals (example ([300, 200], true))
         val () = Seq.force [Tensor.any x]
         val rows = Tensor.Infix./ (x, Keep.sum [1] x)
       in
         contains ("1 kernel\n", Seq.explain [Tensor.any rows]);
         Seq.force [Tensor.any rows];
         bool (true, List.all (fn s => Real.abs (s - 1.0) < 1E~12) (Tensor.toList (Along.sum [1] rows)))
       end))

  fun run () = (reductions (); vectors ())
end
