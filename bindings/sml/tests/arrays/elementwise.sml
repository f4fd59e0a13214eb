(* Elementwise functions of arrays, with broadcasting. *)
structure ElementwiseTests =
struct
  open Arrays

  fun run () =
    (test "arrays: broadcasting of several ranks" (fn () =>
       let val (a, b) = (Tensor.iota [2, 1, 5], Tensor.iota [3, 1])
           open Tensor.Infix
       in
         isArray ([2, 3, 5], fn [i, j, k] => Int.- (Int.+ (Int.* (5, i), k), j) | _ => 0) (a - b);
         isArray ([4, 0], fn _ => 0) (Tensor.iota [4, 0] + Tensor.iota [1, 1]);
         isArray ([2, 3], fn _ => 7) (I 7 + Tensor.iota [2, 3] * I 0)
       end);
     test "arrays: clamp, rectify, pos" (fn () =>
       (ints ([5, 5, 5], Tensor.toList (Tensor.clamp (5, ~5) (Tensor.iota [3])));
        ints ([0, 1, 2], Tensor.toList (Tensor.pos (Tensor.iota [3])));
        areReals ([3], fn [i] => List.nth ([~1.0, 0.5, 2.0], i) | _ => 0.0) (Tensor.clamp (~1.0, 2.0) (RealTensor.fromList [3] [~9.0, 0.5, 0.0 / 0.0]));
        areReals ([], fn _ => 2.0) (Tensor.clamp (~1.0, 2.0) (RealTensor.scalar 7.0));
        warpfold (Warpfold.Type, "Tensor.clamp") (fn () => Tensor.clamp ((0, 0), (1, 1)) (Tensor.zip (Tensor.iota [3], Tensor.iota [3])))));
     test "arrays: operators and constants" (fn () =>
       let
         open Tensor.Infix
         val a = Tensor.iota [17]
         val x = ofReals a
         fun isBools f b = list Bool.toString (List.tabulate (17, f), Tensor.toList b)
       in
         isArray ([17], fn [i] => Int.- (i, Int.* (2, Int.div (i, 3))) | _ => 0) (a - I 2 * (a div I 3));
         isArray ([17], fn [i] => Int.mod (Int.~ i, 5) | _ => 0) (~ a mod I 5);
         areReals ([17], fn [i] => Real./ (1.0, Real.+ (real i, 1.0)) | _ => 0.0) (R 1.0 / (x + R 1.0));
         isBools (fn i => i = 7 orelse Int.<= (i, 1)) (|| (&& (a > I 3, == (a, I 7)), a <= I 1));
         isBools (fn i => not (i = 5)) (a <> I 5);
         int (5, Tensor.value (I 2 + I 3));
         list Int.toString ([], Tensor.shape (I 2 + I 3))
       end);
     test "arrays: of three" (fn () =>
       each [[17, 3]] (fn (shape, a) =>
         (isArray (shape, fn indices => Int.min (Int.max (expected shape indices, 100), 500))
            (Tensor.zipWith3 (fn (x, low, high) => Exp.min (Exp.max (x, low), high)) (a, IntTensor.scalar 100, IntTensor.scalar 500));
          let val (b, c) = Tensor.unzip (Tensor.zip (a, IntTensor.scalar 3))
          in isArray (shape, expected shape) b; isArray (shape, fn _ => 3) c end)));
     test "arrays: shapes that do not fit" (fn () =>
       (size (fn () => Tensor.Infix.+ (Tensor.iota [3, 4], Tensor.iota [2, 4]));
        contains ("Tensor.+: the shapes are 3 x 4 and 2 x 4: axis ~2 has the extents 3 and 2; expected equal extents, or 1",
                  Warpfold.lastMessage ());
        size (fn () => Tensor.zipWith Exp.* (Tensor.iota [3], Tensor.iota [4]));
        warpfold (Warpfold.Type, "`sqrt`") (fn () => Tensor.map Exp.sqrt (Tensor.iota [3]))));
     test "arrays: captured" (fn () =>
       each [[17, 3]] (fn (shape as [r, c], a) =>
           (isArray ([c, r], fn [j, i] => expected shape [i, j] | _ => 0)
              (Matrix.tabulate (fn (j, i) => Tensor.at (a, [i, j])) (c, r));
            isArray ([r], fn [i] => List.foldl op + 0 (List.tabulate (c, fn j => expected shape [i, j])) | _ => 0)
              (Tensor.fromSeq [r] (Seq.tabulate (fn i => Inner.sum (Tensor.inner (a, [i]))) r));
            subscript (fn () => Seq.toList (Seq.tabulate (fn i => Tensor.at (a, [i, Exp.int c])) 2));
            size (fn () => Seq.tabulate (fn i => Tensor.at (a, [i])) 2))
         | _ => raise Match)))
end
