(* Elements of all types in and out, tuples, scalars, plans. ValueTests has the values of the primitives. *)
structure PrimitiveTests =
struct
  open Check
  fun intsOf s = Seq.toList s
  val six = [3, ~1, 4, 1, ~5, 9]
  fun numbers () = IntSeq.fromList six
  fun pairs () = Seq.zip (numbers (), RealSeq.fromList [0.5, 1.5, 2.5, 3.5, 4.5, 5.5])
  fun odd x = Exp.== (Exp.andb (x, Exp.int 1), Exp.int 1)

  fun transfers () =
    (test "ints in and out" (fn () => ints (six, intsOf (numbers ())));
     test "the largest and smallest int" (fn () =>
       let val extremes = [Option.valOf Int.minInt, ~1, 0, 1, Option.valOf Int.maxInt]
       in ints (extremes, intsOf (IntSeq.fromList extremes)) end);
     test "an empty sequence" (fn () => ints ([], intsOf (IntSeq.empty ())));
     test "bools in and out" (fn () =>
       list Bool.toString ([true, false, true], Seq.toList (BoolSeq.fromList [true, false, true])));
     test "bytes in and out" (fn () =>
       list Word8.toString ([0w0, 0wx7f, 0wxff], Seq.toList (Word8Seq.fromList [0w0, 0wx7f, 0wxff])));
     test "int32s in and out" (fn () =>
       list Int32.toString ([~2147483648, ~7, 2147483647], Seq.toList (Int32Seq.fromList [~2147483648, ~7, 2147483647])));
     test "word32s in and out" (fn () =>
       list Word32.toString ([0w0, 0wxffffffff], Seq.toList (Word32Seq.fromList [0w0, 0wxffffffff])));
     test "word64s in and out" (fn () =>
       list Word64.toString ([0w1, 0wxfedcba9876543210], Seq.toList (Word64Seq.fromList [0w1, 0wxfedcba9876543210])));
     test "int64s in and out, and their sum" (fn () =>
       let val values = [~9223372036854775808, ~1, 0, 4294967296, 9223372036854775807] : Int64.int list
       in
         list Int64.toString (values, Seq.toList (Int64Seq.fromList values));
         list Int64.toString ([7000000014], [Seq.reduce Lambdas.add 0 (Int64Seq.fromList [7000000000, 14])]);
         string ("i64", Type.name Type.int64);
         string ("9223372036854775807", Type.show Type.int64 9223372036854775807)
       end);
     test "reals in and out" (fn () =>
       let val values = [0.1, ~0.0, 1E300, ~4.9E~324, Real.posInf, Real.negInf, 0.0 / 0.0]
       in reals (values, Seq.toList (RealSeq.fromList values)) end);
     test "singles are rounded" (fn () =>
       reals ([0.100000001490116119384765625, 16777216.0],
              List.map Single.toReal (Seq.toList (SingleSeq.fromList (List.map Single.fromReal [0.1, 16777217.0])))));
     test "pairs in and out" (fn () =>
       let val values = [(1, 2), (~3, 4)]
       in list (Type.show (Type.pair (Type.int, Type.int))) (values, Seq.toList (IntPairSeq.fromList values)) end);
     test "nested tuples in and out" (fn () =>
       let
         val ty =
           Type.triple (Type.int, Type.pair (Type.bool, Type.word8), Type.quadruple (Type.int, Type.bool, Type.int, Type.int))
         val values = [(1, (true, 0w2), (3, false, 4, 5)), (~1, (false, 0w255), (~3, true, ~4, ~5))]
       in
         list (Type.show ty) (values, Seq.toList (Seq.fromList ty values));
         string ("(~1,(false,255),(~3,true,~4,~5))", Type.show ty (List.nth (values, 1)));
         string ("(i64, (bool, u8), (i64, bool, i64, i64))",
                 String.translate (fn c => if c = #"3" then "6" else if c = #"2" then "4" else String.str c) (Type.name ty))
       end);
     test "arrays in and out" (fn () =>
       let val a = Array.tabulate (1000, fn i => Real.fromInt i / 8.0)
       in reals (Array.foldr op :: [] a, Array.foldr op :: [] (Seq.toArray (Seq.fromArray Type.real a))) end);
     test "from a function of the host" (fn () =>
       ints ([0, 1, 4, 9], intsOf (IntSeq.fromFunction (fn i => i * i) 4)));
     test "a reader" (fn () =>
       let val element = Seq.reader (Seq.map (fn x => Exp.* (x, x)) (numbers ()))
       in
         ints ([9, 81], [element 0, element 5]);
         subscript (fn () => element 6);
         subscript (fn () => element ~1)
       end);
     test "toString" (fn () => string ("<3,~1,4,1,~5,9>", Seq.toString Int.toString (numbers ()))))

  fun elementwise () =
    (test "tabulate of pairs" (fn () =>
       list (fn (i, r) => Int.toString i ^ " " ^ Int.toString r) ([(0, 0), (1, ~1)],
         Seq.toList (Seq.tabulate (fn i => Exp.pair (i, Exp.~ i)) 2)));
     test "fill" (fn () => ints ([7, 7, 7], intsOf (Seq.fill Type.int 7 3)));
     test "singleton" (fn () => reals ([2.5], Seq.toList (RealSeq.singleton 2.5)));
     test "map to another type" (fn () =>
       reals (List.map (fn x => Real.fromInt x / 2.0) six,
              Seq.toList (Seq.map (fn x => Exp./ (Exp.cast Type.real x, Exp.real 2.0)) (numbers ()))));
     test "map over pairs" (fn () =>
       reals ([1.5, ~1.5, 10.0, 3.5, ~22.5, 49.5],
              Seq.toList (Seq.map (fn p => let val (i, r) = Exp.unpair p in Exp.* (Exp.cast Type.real i, r) end) (pairs ()))));
     test "map of empty" (fn () => ints ([], intsOf (Seq.map (fn x => x) (IntSeq.empty ()))));
     test "zip and unzip" (fn () =>
       let val (a, b) = Seq.unzip (pairs ())
       in ints (six, intsOf a); reals ([0.5, 1.5, 2.5, 3.5, 4.5, 5.5], Seq.toList b) end);
     test "zip3 and unzip3" (fn () =>
       let
         val flags = Seq.map (fn x => Exp.> (x, Exp.int 0)) (numbers ())
         val (a, b, c) = Seq.unzip3 (Seq.zip3 (numbers (), pairs (), flags))
       in
         ints (six, intsOf a);
         reals ([0.5, 1.5, 2.5, 3.5, 4.5, 5.5], List.map #2 (Seq.toList b));
         list Bool.toString (List.map (fn x => x > 0) six, Seq.toList c)
       end);
     test "zip4 and unzip4" (fn () =>
       let
         fun plus k = Seq.map (fn x => Exp.+ (x, Exp.int k)) (numbers ())
         val (a, b, c, d) = Seq.unzip4 (Seq.zip4 (plus 0, plus 1, plus 2, plus 3))
       in
         List.app (fn (k, s) => ints (List.map (fn x => x + k) six, intsOf s)) [(0, a), (1, b), (2, c), (3, d)]
       end))

  fun folds () =
    (test "reduce of empty is the identity" (fn () => int (0, Seq.reduce Lambdas.add 0 (IntSeq.empty ())));
     test "scan of empty" (fn () =>
       let val (prefixes, total) = Seq.scan Lambdas.add 0 (IntSeq.empty ())
       in ints ([], intsOf prefixes); int (0, total) end);
     test "the length of a filter" (fn () =>
       let val s = Seq.filter odd (numbers ())
       in bool (true, Seq.knownLength s = NONE); int (5, Seq.length s) end))

  fun parts () =
    (test "length" (fn () => int (6, Seq.length (numbers ())));
     test "nth" (fn () => ints ([3, 9], [Seq.nth (numbers ()) 0, Seq.nth (numbers ()) 5]));
     test "nth of pairs" (fn () =>
       let val (i, r) = Seq.nth (pairs ()) 4
       in int (~5, i); reals ([4.5], [r]) end);
     test "concat of nothing" (fn () => ints ([], intsOf (IntSeq.concat []))))

  fun computing () =
    (test "match in one kernel" (fn () =>
       let
         val (depths, last) = Scalar.scanIncl Exp.+ 0 (IntSeq.fromList [1, 1, ~1, 1, ~1, ~1])
         val lowest = Scalar.reduce Exp.min 0 depths
         val both = [Scalar.any last, Scalar.any lowest]
       in
         contains ("1 kernel\n", Seq.explain both);
         contains ("digraph", Seq.explainDot both);
         Seq.force both;
         ints ([0, 0], [Scalar.value last, Scalar.value lowest])
       end);
     test "scalars" (fn () =>
       let
         val s = numbers ()
         val (prefixes, total) = Scalar.scan Lambdas.add 0 s
         val mean = Scalar.zipWith (fn (x, n) => Exp./ (Exp.cast Type.real x, Exp.cast Type.real n)) (total, Scalar.length s)
       in
         reals ([11.0 / 6.0], [Scalar.value mean]);
         int (22, Scalar.value (Scalar.map (fn x => Exp.+ (x, x)) total));
         int (4, Scalar.value (Scalar.nth s 2));
         int (7, Seq.nth prefixes 4);
         int (3, Scalar.value (Scalar.length (Seq.filter (fn x => Exp.> (x, Exp.int 2)) s)))
       end);
     test "force, and known properties" (fn () =>
       let val s = Seq.map Lambdas.double (numbers ())
       in
         bool (false, Seq.isComputed s);
         contains ("not computed", Seq.describe s);
         Seq.wait [];
         Seq.wait [Seq.any s, Seq.any (pairs ())];
         bool (true, Seq.isComputed s);
         string ("<6,~2,8,2,~10,18>", Seq.describe s);
         string ("<0,1,2,3,4,...,95,96,97,98,99> of 100", Seq.describe (let val t = Seq.iota 100 in Seq.force [Seq.any t]; t end));
         Seq.force []
       end);
     test "a file" (fn () =>
       let
         val path = OS.FileSys.tmpName ()
         val file = TextIO.openOut path
         val () = (TextIO.output (file, "(()))"); TextIO.closeOut file)
         val s = Word8Seq.fromFile path
       in
         int (5, Seq.length s);
         list Word8.toString ([0w40, 0w40, 0w41, 0w41, 0w41], Seq.toList s);
         OS.FileSys.remove path
       end))

  fun run () = (transfers (); elementwise (); folds (); parts (); computing ())
end
