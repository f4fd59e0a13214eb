(* Arrays of any rank: making, element access, printing. `Arrays` has functions for all tests of arrays. *)
structure Arrays =
struct
  open Check

  val shapeText = listOf Int.toString
  (* All index lists of a shape in row-major order *)
  fun indexLists [] = [[]]
    | indexLists (n :: shape) =
        let val rest = indexLists shape
        in List.concat (List.tabulate (n, fn i => List.map (fn indices => i :: indices) rest)) end

  (* The array must have this shape, and f indices at each place. *)
  fun isArray (shape, f) a =
    (list Int.toString (shape, Tensor.shape a);
     ints (List.map f (indexLists shape), Tensor.toList a))
  fun areReals (shape, f) a =
    (list Int.toString (shape, Tensor.shape a);
     reals (List.map f (indexLists shape), Tensor.toList a))

  (* 7 i mod 1009 at the row-major index i, stored or delayed *)
  fun example (shape, isStored) =
    let val a = Tensor.map (fn x => Exp.mod (Exp.* (x, Exp.int 7), Exp.int 1009)) (Tensor.iota shape)
    in if isStored then Seq.force [Tensor.any a] else (); a end
  fun expected shape indices =
    ListPair.foldl (fn (n, i, k) => k * n + i) 0 (shape, indices) * 7 mod 1009
  fun real x = Real.fromInt x
  fun ofReals a = Tensor.map (Exp.cast Type.real) a

  val vectors = [[0], [1], [2], [3], [17], [257]]
  val matrices = [[0, 3], [3, 0], [1, 1], [1, 17], [17, 1], [2, 3], [17, 257], [257, 3]]
  val others = [[0, 2, 3], [2, 0, 3], [1, 1, 1], [2, 3, 17], [3, 17, 2], [5, 1, 7, 2]]
  val shapes = [] :: vectors @ matrices @ others

  (* f of each example, stored and delayed *)
  fun each shapes f = List.app (fn shape => List.app (fn isStored => f (shape, example (shape, isStored))) [false, true]) shapes
end

structure MakingTests =
struct
  open Arrays

  fun making () =
    (test "arrays: iota, fill, tabulate, mapi" (fn () =>
       each shapes (fn (shape, a) =>
         (isArray (shape, expected shape) a;
          isArray (shape, fn _ => 5) (IntTensor.fill 5 shape);
          isArray (shape, List.foldl (fn (i, k) => 10 * k + i) 3)
            (Tensor.tabulate (List.foldl (fn (i, k) => Exp.+ (Exp.* (Exp.int 10, k), i)) (Exp.int 3)) shape);
          isArray (shape, fn indices => List.foldl op + (expected shape indices) indices)
            (Tensor.mapi (fn (indices, x) => List.foldl Exp.+ x indices) a))));
     test "arrays: DLPack" (fn () =>
       (each shapes (fn (shape, a) => isArray (shape, expected shape) (Tensor.fromDlpack Type.int (Tensor.toDlpack a)));
        warpfold (Warpfold.Type, "Tensor.fromDlpack: the tensor has elements of another type; expected f32")
          (fn () => Tensor.fromDlpack Type.single (Tensor.toDlpack (Tensor.iota [2, 3])));
        warpfold (Warpfold.Type, "Tensor.fromDlpack") (fn () => Tensor.fromDlpack (Type.pair (Type.int, Type.int)) (Tensor.toDlpack (Tensor.iota [2, 3])))));
     test "arrays: lists and arrays" (fn () =>
       (isArray ([2, 3], fn indices => expected [2, 3] indices) (IntTensor.fromList [2, 3] [0, 7, 14, 21, 28, 35]);
        isArray ([3, 2], fn indices => expected [3, 2] indices) (IntTensor.fromArray [3, 2] (Array.fromList [0, 7, 14, 21, 28, 35]));
        isArray ([], fn [] => 9 | _ => 0) (IntTensor.fromList [] [9]);
        size (fn () => IntTensor.fromList [2, 3] [1, 2]);
        contains ("Tensor.fromList: there are 2 elements for the shape 2 x 3; expected 6", Warpfold.lastMessage ());
        size (fn () => IntTensor.fill 1 [2, ~1]);
        contains ("not negative", Warpfold.lastMessage ());
        size (fn () => Tensor.iota [1000000000, 1000000000, 1000000000]);
        size (fn () => IntTensor.fill 0 [1, 1, 1, 1, 1, 1, 1, 1, 1])));
     test "arrays: a sequence and back" (fn () =>
       let
         val s = Seq.iota 24
         val even = Seq.filter Lambdas.is_even s
       in
         isArray ([2, 3, 4], fn indices => ListPair.foldl (fn (n, i, k) => k * n + i) 0 ([2, 3, 4], indices)) (Tensor.fromSeq [2, ~1, 4] s);
         ints (List.tabulate (24, fn i => i), Seq.toList (Tensor.toSeq (Tensor.fromSeq [4, 6] s)));
         isArray ([3, 4], fn [i, j] => 8 * i + 2 * j | _ => 0) (Tensor.fromSeq [3, 4] even);
         size (fn () => Tensor.fromSeq [5, 5] s);
         contains ("Tensor.fromSeq: the extents 5 x 5 have 25 elements", Warpfold.lastMessage ());
         int (276, Tensor.value (Tensor.fromScalar (Scalar.reduce Exp.+ 0 s)))
       end);
     test "arrays: memory of C, of any layout" (fn () =>
       let
         val memory = Host.allocate (8 * 35)
         val () = Seq.toPointers (RealSeq.fromList (List.tabulate (35, real))) [memory]
         val columns = RealTensor.fromPointers {shape = [5, 7], strides = [1, 5]} [memory]
         val every = RealTensor.fromPointers {shape = [2, 6], strides = [0, 3]} [memory]
         val () = Host.free memory
       in
         areReals ([5, 7], fn [i, j] => real (i + 5 * j) | _ => 0.0) columns;
         areReals ([2, 6], fn [_, j] => real (3 * j) | _ => 0.0) every;
         size (fn () => RealTensor.fromPointers {shape = [5, 7], strides = [1]} [memory]);
         warpfold (Warpfold.Argument, "expected one per column") (fn () => RealTensor.fromPointers {shape = [5], strides = [1]} [])
       end);
     test "arrays: join and stack of unequal shapes" (fn () =>
       let val (a, b) = (Tensor.iota [2, 3], Tensor.iota [3, 2])
       in
         size (fn () => Tensor.join 0 [a, b]);
         contains ("Tensor.join", Warpfold.lastMessage ());
         size (fn () => Tensor.stack 0 [a, b]);
         contains ("Tensor.stack: the shapes are 2 x 3 and 3 x 2; expected equal shapes", Warpfold.lastMessage ());
         subscript (fn () => Tensor.stack 3 [a, a]);
         contains ("Tensor.stack: the new axis is 3, but the shape is 2 x 3; expected an axis from ~3 to 2", Warpfold.lastMessage ());
         ints ([2, 3, 2], Tensor.shape (Tensor.stack ~1 [a, a]));
         size (fn () => Tensor.fromList Type.int [2, 2] [1]);
         contains ("Tensor.fromList: there is 1 element for the shape 2 x 2; expected 4", Warpfold.lastMessage ());
         subscript (fn () => Tensor.join 2 [a, a]);
         contains ("Tensor.join: the axis is 2, but the shape is 2 x 3; expected an axis from ~2 to 1", Warpfold.lastMessage ());
         warpfold (Warpfold.Argument, "Tensor.join: there are no arrays") (fn () => Tensor.join 0 ([] : int Tensor.t list))
       end))

  fun values () =
    (test "arrays: elements" (fn () =>
       each matrices (fn (shape, a) =>
         List.app
           (fn indices =>
              (int (expected shape indices, Tensor.reader a indices);
               if List.all (fn i => i mod 5 = 1) indices then int (expected shape indices, Tensor.sub (a, indices)) else ()))
           (if Tensor.length a > 100 then [[1, 1], [16, 256], [256, 2]] else indexLists shape)
         handle Subscript => if Tensor.length a > 100 then () else raise Subscript));
     test "arrays: indices outside" (fn () =>
       each [[2, 3]] (fn (_, a) =>
         (subscript (fn () => Tensor.sub (a, [0, 3]));
          contains ("Tensor.sub: index 1 is 3, but the extent of axis 1 is 3 in the shape 2 x 3", Warpfold.lastMessage ());
          subscript (fn () => Tensor.sub (a, [~1, 0]));
          size (fn () => Tensor.sub (a, [1]));
          contains ("there is 1 index for the shape 2 x 3; expected 2", Warpfold.lastMessage ());
          size (fn () => Tensor.value a))));
     test "arrays: equal" (fn () =>
       let fun same (a, b) = Tensor.equal Exp.== (a, b)
       in
         List.app (fn shape => bool (true, same (example (shape, false), example (shape, true)))) shapes;
         bool (false, same (example ([17, 3], false), Tensor.iota [17, 3]));
         bool (false, same (Tensor.iota [2, 3], Tensor.iota [3, 2]))
       end);
     test "arrays: as text" (fn () =>
       let
         fun computed a = (Seq.force [Tensor.any a]; Tensor.describe a)
         fun named shape = "<" ^ shape ^ " x " ^ Type.name Type.int
         fun lines text = List.length (String.fields (fn c => c = #"\n") text)
       in
         string (named "2 x 3" ^ ", not computed>", Tensor.describe (Tensor.iota [2, 3]));
         string (named "2 x 3" ^ ">\n[[0  7 14]\n [0 70 84]]",
                 computed (IntTensor.fromList [2, 3] [0, 7, 14, 0, 70, 84]));
         string ("<2 x 2 x f64>\n[[    0.5 1.0]\n [0.33333 nan]]", computed (RealTensor.fromList [2, 2] [0.5, 1.0, 0.33333, 0.0 / 0.0]));
         string ("[0 1 2]", computed (Tensor.iota [3]));
         string ("[0 1 2 3 4 ... 95 96 97 98 99]", computed (Tensor.iota [100]));
         string ("7", Tensor.describe (IntTensor.scalar 7));
         string ("[]", computed (Tensor.iota [0]));
         string (named "2 x 0" ^ ">\n[[]\n []]", computed (Tensor.iota [2, 0]));
         string (named "0 x 2" ^ ">\n[]", computed (Tensor.iota [0, 2]));
         string (named "2 x 1 x 2" ^ ">\n[[[0 1]]\n\n [[2 3]]]", computed (Tensor.iota [2, 1, 2]));
         int (12, lines (computed (Tensor.iota [100, 100])));
         contains ("[9900 9901 9902 9903 9904 ... 9995 9996 9997 9998 9999]]", computed (Tensor.iota [100, 100]));
         string ("[[(0,~0) (1,~1)]\n [(2,~2) (3,~3)]]",
                 Tensor.toString (fn (x, y) => "(" ^ Int.toString x ^ ",~" ^ Int.toString y ^ ")")
                   (Tensor.zip (Tensor.iota [2, 2], Tensor.iota [2, 2])));
         int (100, lines (Tensor.toString Int.toString (Tensor.iota [100, 2])))
       end))

  fun run () = (making (); values ())
end
