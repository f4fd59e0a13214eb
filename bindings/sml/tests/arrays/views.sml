(* Views of arrays, next to index arithmetic on lists. ValueTests has more values. *)
structure ViewTests =
struct
  open Arrays

  fun last text = contains (text, Warpfold.lastMessage ())

  fun axes () =
    (test "arrays: wrong shapes" (fn () =>
       (size (fn () => Tensor.broadcast [2, 4] (Tensor.iota [2, 3]));
        last "Tensor.broadcast: s has shape 2 x 3, which cannot be broadcast to 2 x 4"));
     test "arrays: wrong axes" (fn () =>
       let val a = Tensor.iota [3, 4]
       in
         size (fn () => Tensor.permute [0] a);
         subscript (fn () => Tensor.permute [0, 2] a);
         warpfold (Warpfold.Argument, "again") (fn () => Tensor.permute [1, 1] a);
         size (fn () => Tensor.transpose (Tensor.iota [3]));
         size (fn () => Tensor.reshape [5, 5] a);
         contains ("Tensor.reshape: the extents 5 x 5 have 25 elements, but s has shape 3 x 4, 12 elements", Warpfold.lastMessage ());
         int (4, Tensor.extent ~1 a);
         subscript (fn () => Tensor.extent 2 a)
       end))

  fun parts () =
    (test "arrays: parts of three axes" (fn () =>
       each [[3, 17, 4]] (fn (shape, a) =>
         let open Tensor.Part
         in
           isArray ([17, 1, 4], fn [j, _, k] => expected shape [2, 16 - j, k] | _ => 0) (Tensor.slice [At 2, Step (NONE, NONE, ~1), New] a);
           isArray ([1, 15, 2], fn [i, j, k] => expected shape [i + 1, j + 1, k + 1] | _ => 0) (Tensor.slice (List.tabulate (3, fn _ => Range (1, ~1))) a);
           isArray ([1, 17, 4], fn [_, j, k] => expected shape [0, j, k] | _ => 0) (Tensor.slice [Step (NONE, NONE, Option.getOpt (Int.maxInt, 1000))] a);
           isArray ([1, 17, 4], fn [_, j, k] => expected shape [2, j, k] | _ => 0) (Tensor.slice [Step (NONE, NONE, Option.getOpt (Int.minInt, ~1000))] a)
         end));
     test "arrays: slices outside" (fn () =>
       let
         open Tensor.Part
         val (slice, a) = (Tensor.slice, Tensor.iota [3, 4])
         fun isOutside (parts, text) = (subscript (fn () => slice parts a); contains (text, Warpfold.lastMessage ()))
       in
         isOutside ([At 3], "Tensor.slice: index 3 of axis 0 is outside; its extent is 3");
         isOutside ([All, At ~5], "index ~5 of axis 1 is outside; its extent is 4");
         isOutside ([Range (2, 1)], "the range from 2 to 1 of axis 0");
         isOutside ([To 4], "index 4 of axis 0");
         isOutside ([Step (SOME 3, NONE, ~1)], "index 3 of axis 0");
         warpfold (Warpfold.Argument, "the step along axis 1 is 0") (fn () => slice [All, Step (NONE, NONE, 0)] a);
         size (fn () => slice [All, All, All] a);
         isArray ([0, 4], fn _ => 0) (slice [Step (NONE, NONE, ~1)] (Tensor.iota [0, 4]))
       end);
     test "arrays: translate" (fn () =>
       (list (fn (x, y) => Int.toString x ^ Bool.toString y) ([(5, true), (0, true), (1, false)],
          Tensor.toList (Tensor.translate (5, true) [1] (Tensor.zip (Tensor.iota [3], Tensor.map (fn i => Exp.== (i, Exp.int 0)) (Tensor.iota [3])))));
        size (fn () => Tensor.translate 0 [1] (Tensor.iota [3, 4]));
        last "Tensor.translate: ";
        last "3 x 4"));
     test "arrays: strides, conforms" (fn () =>
       (each shapes (fn (shape, a) =>
          (ints (List.tabulate (List.length shape, fn k => List.foldl op * 1 (List.drop (shape, k + 1))), Tensor.strides a);
           bool (true, Tensor.conforms (a, Tensor.map (Exp.cast Type.real) a));
           bool (false, Tensor.conforms (a, Tensor.iota (2 :: shape)))));
        bool (false, Tensor.conforms (Tensor.iota [2, 3], Tensor.iota [3, 2]));
        ints ([2, 1], Tensor.strides (Tensor.transpose (Tensor.iota [2, 3])))));
     test "arrays: flips along two axes, and a wrong split" (fn () =>
       (ints ([5, 4, 3, 2, 1, 0], Tensor.toList (Tensor.flip [~1, 0] (Tensor.iota [2, 3])));
        size (fn () => Tensor.split 1 [1, 2] (Tensor.iota [3, 4]));
        contains ("the sum of the parts is 3, but axis 1 has the extent 4 in the shape 3 x 4", Warpfold.lastMessage ());
        size (fn () => Tensor.split 0 [~1, 4] (Tensor.iota [3, 4]));
        contains ("Tensor.split: the extent of a part is ~1", Warpfold.lastMessage ())));
     test "arrays: diagonals and windows outside" (fn () =>
       (each [[17, 17], [3, 17], [0, 0]] (fn (shape as [r, c], a) =>
            List.app (fn k => isArray ([0], fn _ => 0) (Tensor.diagonal k a)) [c, c + 1, ~r, ~r - 1, Option.getOpt (Int.maxInt, 1000)]
          | _ => raise Match);
        subscript (fn () => Tensor.view {offset = 50, shape = [2], strides = [1]} (Tensor.iota [3, 17]));
        size (fn () => Tensor.windows [4] (Tensor.iota [3]));
        last "the windows are 4, but the shape is 3"));
     test "arrays: views share a pass, and memory" (fn () =>
       let
         val a = example ([31, 57], true)
         val b = Tensor.slice [Tensor.Part.From 1] a
         val sum = Tensor.Infix.+ (Tensor.transpose a, Tensor.flip [0] (Tensor.transpose a))
       in
         contains ("1 kernel\n", Seq.explain [Tensor.any sum]);
         bool (true, Seq.isComputed (Tensor.toSeq b))
       end))

  fun run () = (axes (); parts ())
end
