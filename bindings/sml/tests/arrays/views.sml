(* Views of arrays, next to index arithmetic on lists. ValueTests has more values. *)
structure ViewTests =
struct
  open Arrays

  fun swapLast indices =
    case List.rev indices of
      j :: i :: front => List.rev (i :: j :: front)
    | _ => indices

  fun axes () =
    (test "arrays: reshape" (fn () =>
       each [[12], [3, 4], [2, 3, 2]] (fn (shape, a) =>
         List.app
           (fn other =>
              isArray (other, fn indices => 7 * ListPair.foldl (fn (n, i, k) => k * n + i) 0 (other, indices)) (Tensor.reshape other a))
           [[12], [4, 3], [1, 12, 1], [2, 2, 3]]));
     test "arrays: transpose and permute" (fn () =>
       each (matrices @ others) (fn (shape, a) =>
         let
           val n = List.length shape
           val axes = List.tabulate (n, fn k => (k + 1) mod n)
           (* axis k of the result is axis k + 1 of a *)
           fun back indices = List.last indices :: List.take (indices, n - 1)
           val b = Tensor.permute axes a
         in
           isArray (swapLast shape, fn indices => expected shape (swapLast indices)) (Tensor.transpose a);
           isArray (tl shape @ [hd shape], fn indices => expected shape (back indices)) b;
           isArray (shape, expected shape) (Tensor.transpose (Tensor.transpose a))
         end));
     test "arrays: broadcast" (fn () =>
       (each [[1, 3], [3], [1]] (fn (shape, a) =>
          isArray ([2, 17, 3], fn [_, _, k] => if shape = [1] then 0 else 7 * k | _ => 0) (Tensor.broadcast [2, 17, 3] a));
        size (fn () => Tensor.broadcast [2, 4] (Tensor.iota [2, 3]));
        contains ("Tensor.broadcast: s has shape 2 x 3, which cannot be broadcast to 2 x 4", Warpfold.lastMessage ())));
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

  (* The indices of a Python slice *)
  fun steps (from, to, step) =
    if (step > 0 andalso from >= to) orelse (step < 0 andalso from <= to) then [] else from :: steps (from + step, to, step)

  fun parts () =
    (test "arrays: slice" (fn () =>
       each [[17, 257], [17, 5], [3, 17, 4]] (fn (shape, a) =>
         let
           open Tensor.Part
           val slice = Tensor.slice
           val n = hd shape
           fun first (part, kept) =
             isArray (List.length kept :: tl shape, fn i :: rest => expected shape (List.nth (kept, i) :: rest) | [] => 0) (slice [part] a)
           fun upTo n = List.tabulate (n, fn i => i)
           val rest = tl shape
         in
           first (All, upTo n);
           first (From 1, List.drop (upTo n, 1));
           first (From ~2, [n - 2, n - 1]);
           first (To 2, [0, 1]);
           first (To ~1, upTo (n - 1));
           first (Range (1, ~1), List.drop (upTo (n - 1), 1));
           first (Range (n, n), []);
           first (Step (NONE, NONE, 2), steps (0, n, 2));
           first (Step (NONE, NONE, ~1), List.rev (upTo n));
           first (Step (SOME 1, SOME n, 3), steps (1, n, 3));
           first (Step (SOME ~1, SOME 0, ~2), steps (n - 1, 0, ~2));
           first (Step (SOME 0, SOME 2, ~1), []);
           first (Step (NONE, NONE, Option.getOpt (Int.maxInt, 1000)), [0]);
           first (Step (NONE, NONE, Option.getOpt (Int.minInt, ~1000)), [n - 1]);
           isArray (rest, fn indices => expected shape (1 :: indices)) (slice [At 1] a);
           isArray (rest, fn indices => expected shape (n - 1 :: indices)) (slice [At ~1] a);
           isArray (1 :: shape, fn _ :: indices => expected shape indices | [] => 0) (slice [New] a);
           isArray (hd rest :: 1 :: tl rest, fn i :: _ :: indices => expected shape (2 :: hd rest - 1 - i :: indices) | _ => 0)
             (slice [At 2, Step (NONE, NONE, ~1), New] a);
           isArray (List.map (fn n => n - 2) shape, fn indices => expected shape (List.map (fn i => i + 1) indices))
             (slice (List.map (fn _ => Range (1, ~1)) shape) a);
           isArray (List.map (fn n => (n + 1) div 2) shape, fn indices => expected shape (ListPair.map (fn (n, i) => n - 1 - 2 * i) (shape, indices)))
             (slice (List.map (fn _ => Step (NONE, NONE, ~2)) shape) a)
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
       (each (matrices @ [[2, 3], [3, 2]]) (fn (shape as [r, c], a) =>
            List.app
              (fn (dy, dx) =>
                 let
                   fun moved outside [i, j] =
                         if i - dy >= 0 andalso i - dy < r andalso j - dx >= 0 andalso j - dx < c then expected shape [i - dy, j - dx] else outside
                     | moved _ _ = 0
                 in
                   isArray (shape, moved 0) (Tensor.translate 0 [dy, dx] a);
                   isArray (shape, moved ~7) (Tensor.translate ~7 [dy, dx] a)
                 end)
              [(0, 0), (1, ~2), (~1, 0), (0, 256), (1000, 3)]
          | _ => raise Match);
        each vectors (fn (shape as [n], a) =>
            isArray (shape, fn [i] => if i >= 2 then expected shape [i - 2] else ~1 | _ => 0) (Tensor.translate ~1 [2] a)
          | _ => raise Match);
        list (fn (x, y) => Int.toString x ^ Bool.toString y) ([(5, true), (0, true), (1, false)],
          Tensor.toList (Tensor.translate (5, true) [1] (Tensor.zip (Tensor.iota [3], Tensor.map (fn i => Exp.== (i, Exp.int 0)) (Tensor.iota [3])))));
        size (fn () => Tensor.translate 0 [1] (Tensor.iota [3, 4]));
        contains ("Tensor.translate: ", Warpfold.lastMessage ());
        contains ("3 x 4", Warpfold.lastMessage ())));
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
     test "arrays: diagonals" (fn () =>
       each [[17, 17], [3, 17], [17, 3], [1, 1], [0, 0]] (fn (shape as [r, c], a) =>
           (List.app
              (fn k =>
                 if k > ~r andalso k < c then
                   let val n = if k >= 0 then Int.min (r, c - k) else Int.min (r + k, c)
                   in isArray ([n], fn [i] => expected shape [i + Int.max (0, ~k), i + Int.max (0, k)] | _ => 0) (Tensor.diagonal k a) end
                 else ())
              [0, 1, 2, ~1, ~2];
            List.app (fn k => isArray ([0], fn _ => 0) (Tensor.diagonal k a)) [c, c + 1, ~r, ~r - 1, Option.getOpt (Int.maxInt, 1000)])
         | _ => raise Match));
     test "arrays: windows and other views" (fn () =>
       (each [[17], [257]] (fn (shape as [n], a) =>
            isArray ([n - 2, 3], fn [i, j] => expected shape [i + j] | _ => 0) (Tensor.windows [3] a)
          | _ => raise Match);
        each [[17, 5], [3, 4]] (fn (shape as [r, c], a) =>
            isArray ([r - 1, c - 2, 2, 3], fn [i, j, k, l] => expected shape [i + k, j + l] | _ => 0) (Tensor.windows [2, 3] a)
          | _ => raise Match);
        each [[3, 17]] (fn (shape, a) =>
          (isArray ([3, 15, 3], fn [i, j, k] => expected shape [i, j + k] | _ => 0) (Tensor.windows [3] a);
           isArray ([4, 2], fn [i, j] => 7 * (50 - 5 * i - j) | _ => 0) (Tensor.view {offset = 50, shape = [4, 2], strides = [~5, ~1]} a);
           subscript (fn () => Tensor.view {offset = 50, shape = [2], strides = [1]} a)));
        size (fn () => Tensor.windows [4] (Tensor.iota [3]));
        contains ("the windows are 4, but the shape is 3", Warpfold.lastMessage ())));
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
