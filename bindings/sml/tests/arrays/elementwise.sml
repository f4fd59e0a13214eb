(* Elementwise functions of arrays, with broadcasting. *)
structure ElementwiseTests =
struct
  open Arrays

  (* The element of an array that is broadcast to an index list *)
  fun spread shape indices =
    let val own = List.drop (indices, List.length indices - List.length shape)
    in expected shape (ListPair.map (fn (n, i) => if n = 1 then 0 else i) (shape, own)) end

  fun run () =
    (test "arrays: operators with broadcasting" (fn () =>
       List.app
         (fn (left, right, shape) =>
            List.app
              (fn isStored =>
                 let
                   val (a, b) = (example (left, isStored), example (right, not isStored))
                   fun both f indices = f (spread left indices, spread right indices)
                   open Tensor.Infix
                 in
                   isArray (shape, both (fn (x, y) => Int.- (x, y))) (a - b);
                   isArray (shape, both (fn (x, y) => Int.+ (Int.* (x, y), Int.* (2, x)))) (a * b + I 2 * a);
                   isArray (shape, both (fn (x, y) => if Int.< (x, y) then 1 else 0)) (Tensor.map (Exp.cast Type.int) (a < b));
                   isArray (shape, both Int.max) (Tensor.cond (a >= b, a, b));
                   isArray (shape, both (fn (x, y) => Int.+ (y, x))) (Tensor.map (fn p => Exp.+ (Exp.unpair p)) (Tensor.zip (a, b)))
                 end)
              [false, true])
         [([], [], []), ([3], [], [3]), ([], [2, 3], [2, 3]), ([17, 1], [257], [17, 257]), ([1, 3], [17, 1], [17, 3]),
          ([2, 1, 5], [3, 1], [2, 3, 5]), ([4, 0], [1, 1], [4, 0]), ([0], [1], [0]), ([2, 3], [2, 3], [2, 3])]);
     test "arrays: clamp, rectify, pos" (fn () =>
       (each shapes (fn (shape, a) =>
          let val b = Tensor.Infix.- (a, Tensor.Infix.I 500)
              fun from f indices = f (expected shape indices - 500)
          in
            isArray (shape, from (fn x => Int.max (~100, Int.min (200, x)))) (Tensor.clamp (~100, 200) b);
            isArray (shape, from (fn _ => 5)) (Tensor.clamp (5, ~5) b);
            isArray (shape, from (fn x => Int.max (0, x))) (Tensor.rectify b);
            isArray (shape, from (fn x => x)) (Tensor.pos b)
          end);
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
         | _ => raise Match));
     test "arrays: one pass, early, late and together" (fn () =>
       let
         val n = 1000003
         fun step a = Tensor.zipWith (fn (x, y) => Exp.mod (Exp.+ (x, y), Exp.int 1009)) (a, Tensor.flip [0] a)
         val a = Tensor.fromSeq [n, 1] (Seq.map (fn i => Exp.mod (Exp.* (i, Exp.int 7), Exp.int 1009)) (Seq.iota n))
         fun value i = i * 7 mod 1009
         fun once i = (value i + value (n - 1 - i)) mod 1009
         val early = step a
         val () = Seq.force [Tensor.any early]
         val (late, other) = (step a, step early)
         val () = Seq.force [Tensor.any late, Tensor.any other]
         val (x, y, z) = (Tensor.reader early, Tensor.reader late, Tensor.reader other)
       in
         List.app (fn i => (int (once i, x [i, 0]); int (once i, y [i, 0]); int ((once i + once (n - 1 - i)) mod 1009, z [i, 0])))
           [0, 1, 4095, 4096, 100007, n div 2, n - 2, n - 1]
       end))
end
