(* Values made by declarations of the top level. In a program made by polyc, and in a process that loaded a saved state, another process
   made them. This file contains the declarations and their tests. *)
structure Inherited =
struct
  open Check

  val n = 100007
  val list = List.tabulate (n, fn i => i * 7 mod 1000)
  val s = IntSeq.fromList list
  val doubled = Seq.map Lambdas.double s
  val () = Seq.force [Seq.any doubled]
  val array = Array.fromList [1.5, 2.5]
  val ofArray = RealSeq.fromArray array
  val () = Array.update (array, 0, 7.0)
  val pairs = IntPairSeq.fromList (List.tabulate (n, fn i => (i, ~i)))
  val (firsts, seconds) = Seq.unzip pairs
  val ofFunction = Word8Seq.fromFunction (fn i => Word8.fromInt (i mod 251)) n
  val captured = Seq.tabulate (fn i => Exp.at (doubled, Exp.- (Exp.int (n - 1), i))) n
  val rowSums = Seq.tabulate (fn i => Inner.sum (Inner.subseq (Inner.seq doubled) (Exp.* (i, Exp.int 7), Exp.int 7))) (n div 7)
  val inOrder = Seq.mergeAscending (Seq.ascending s, Seq.sort Exp.< doubled)
  val rows = Segments.split (s, IntSeq.fromList [7, 0, n - 7])
  val groups = Segments.groupBy (fn x => Exp.mod (x, Exp.int 3)) s
  val kept = Segments.filter Lambdas.is_even rows
  val changed = Seq.inject (s, IntPairSeq.fromList [(5, ~5), (n - 1, ~1)])
  val states = Seq.iteratePrefixesIncl Type.int (fn (b, x) => Exp.mod (Exp.+ (Exp.+ (b, b), x), Exp.int 1009)) 1 s
  val even = Seq.filter Lambdas.is_even s
  val evenCount = Seq.length even
  val total = Scalar.reduce Lambdas.add 0 s
  val half = Scalar.map (fn x => Exp.div (x, Exp.int 2)) total
  val (prefixes, scanTotal) = Scalar.scanIncl Lambdas.add 0 s
  val (before_, beforeTotal) = Seq.scan Lambdas.add 0 s
  val parts = IntSeq.concat [Seq.take s 3, Seq.rev (Seq.drop s (n - 3)), Seq.subseq s (5, 2)]
  val element = Seq.reader doubled
  val context = Context.create "cpu"
  val there = Context.within context (fn () => IntSeq.fromList [1, 2, 3])
  val released = IntSeq.fromList [1]
  val () = Seq.release released
  val large = IntSeq.fromFunction (fn i => i) 2000000
  val largeArray = IntSeq.fromArray (Array.array (2000000, 1))
  val root = Native.c {name = "sqrtf", address = CFunctions.sqrtf, parameters = Type.single, result = Type.single}
  val matrix = IntMatrix.fromList [[1, 2, 3], [4, 5, 6]]
  val twice = let open Tensor.Infix in Tensor.transpose matrix * I 2 end
  val sums = Along.sum [1] twice
  fun chain (t, 0) = t
    | chain (t, k) = chain (Seq.map (fn x => Exp.+ (x, Exp.int 1)) t, k - 1)
  val long = chain (s, 900)
  fun dot (s, t) = Scalar.reduce Exp.+ 0.0 (Seq.zipWith Exp.* (s, t))
  val (slope, otherSlope) = Gradient.grad (Jit.pair (Jit.seq, Jit.seq)) dot (ofArray, RealSeq.fromList [10.0, 20.0])
  val reversed = Jit.jit (Jit.seq, Jit.seq) Seq.rev
  val reversedHere = reversed s

  val sum = List.foldl op + 0 list

  (* `isOther` is true if another process made the values. *)
  fun run (name, isOther) =
    let
      fun test what body = Check.test (name ^ ": " ^ what) body
      fun check (text, body) = if isOther then warpfold (Warpfold.Argument, text) body else body ()
      val notWritten = "made by the process that compiled or saved this program"
    in
      test "lists, arrays, functions" (fn () =>
        (int (sum, Seq.reduce Lambdas.add 0 s);
         ints (List.map (fn x => 2 * x) list, Seq.toList doubled);
         reals ([1.5, 2.5], Seq.toList ofArray);
         int (n - 1, Seq.nth firsts (n - 1));
         int (~5, Seq.nth seconds 5);
         bool (true, Seq.toList (Seq.take pairs 2) = [(0, 0), (1, ~1)]);
         int ((n - 1) mod 251, Word8.toInt (Seq.nth ofFunction (n - 1)));
         int (1999999, Seq.nth large 1999999)));
      test "captures, filters, scalars, scans, parts" (fn () =>
        (ints (List.rev (List.map (fn x => 2 * x) list), Seq.toList captured);
         int (2 * List.foldl op + 0 (List.take (List.drop (list, 7), 7)), Seq.nth rowSums 1);
         int (2 * List.foldl Int.max 0 list, Seq.nth inOrder (2 * n - 1));
         int (evenCount, Seq.length (Seq.filter Lambdas.is_even s));
         ints (List.filter (fn x => x mod 2 = 0) list, Seq.toList even);
         int (sum div 2, Scalar.value half);
         int (sum, Scalar.value total);
         int (sum, Scalar.value scanTotal);
         int (sum, Seq.nth prefixes (n - 1));
         int (beforeTotal, sum);
         int (0, Seq.nth before_ 0);
         ints (List.map (fn i => List.nth (list, i)) [0, 1, 2, n - 1, n - 2, n - 3, 5, 6], Seq.toList parts);
         int (List.hd list + 900, Seq.nth long 0)));
      test "sequences of sequences, scattered elements, states" (fn () =>
        let
          val first = List.take (list, 7)
          fun ofKey k = List.filter (fn x => x mod 3 = k) list
        in
          ints (first, Seq.toList (Seq.nth rows 0));
          ints ([7, 0, n - 7], Seq.toList (Segments.lengths rows));
          ints (list, Seq.toList (Seq.flatten rows));
          ints (ofKey 1, Seq.toList (#2 (Seq.nth groups 1)));
          ints (List.filter (fn x => x mod 2 = 0) first, Seq.toList (Seq.nth kept 0));
          ints ([~5, ~1], [Seq.nth changed 5, Seq.nth changed (n - 1)]);
          int (List.foldl (fn (x, b) => (2 * b + x) mod 1009) 1 list, Seq.nth states (n - 1))
        end);
      test "arrays" (fn () =>
        (ints ([2, 8, 4, 10, 6, 12], Tensor.toList twice);
         ints ([10, 14, 18], Tensor.toList sums);
         int (5, Matrix.sub (matrix, 1, 1));
         bool (true, [[2, 4, 6], [8, 10, 12]] = Matrix.toList (Tensor.Infix.+ (matrix, matrix)))));
      test "gradients" (fn () => (reals ([1.5, 2.5], Seq.toList otherSlope); reals ([10.0, 20.0], Seq.toList slope)));
      test "values derived from them here" (fn () =>
        int (3 * sum, Seq.reduce Lambdas.add 0 (Seq.zipWith Lambdas.add (s, doubled))));
      test "a reader" (fn () => (int (2 * List.nth (list, n - 1), element (n - 1)); subscript (fn () => element n)));
      test "a context" (fn () =>
        (string ("cpu", Context.name context);
         ints ([2, 4, 6], Seq.toList (Seq.zipWith Lambdas.add (there, Context.within context (fn () => IntSeq.fromList [1, 2, 3]))))));
      test "a released sequence" (fn () =>
        (string ("<released>", Seq.describe released);
         warpfold (Warpfold.Argument, "Seq.toList: a sequence or scalar was released") (fn () => Seq.toList released)));
      test "a function of jit" (fn () => (ints (List.rev list, Seq.toList (reversed s)); ints (List.rev list, Seq.toList (reversed s))));
      test "values that are not recorded" (fn () =>
        (check (notWritten, fn () => ignore (Seq.nth largeArray 0));
         check (notWritten, fn () => ignore (Seq.nth reversedHere 0));
         string (if isOther then "<made by another process>" else "<1,1,1,1,1,...,1,1,1,1,1> of 2000000", Seq.describe largeArray);
         check (notWritten, fn () => ignore (Native.map root (SingleSeq.fromList [Single.fromReal 4.0])))))
    end
end
