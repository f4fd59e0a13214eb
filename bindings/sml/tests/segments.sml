(* Sequences of sequences, next to lists of lists. ValueTests has more values. *)
structure SegmentTests =
struct
  open Check

  val n = 100007
  fun noise n = List.tabulate (n, fn i => (i mod 40009 * 7919 + i mod 1013 * (i mod 1013)) mod 2003 - 1001)
  fun numbers n = IntSeq.fromList (noise n)
  val pairType = Type.pair (Type.int, Type.int)
  val lists = list (listOf Int.toString)
  fun listsOf s = List.map Seq.toList (Seq.toList s)

  (* Lengths with many zeros, also at both ends, and a few long sequences; their sum is n. *)
  val lengths =
    let
      fun go (left, k) =
        if left = 0 then [0, 0]
        else
          let val length = Int.min (left, if k mod 3 = 0 then 0 else if k mod 101 = 1 then 5000 + k else k * 7919 mod 13)
          in length :: go (left - length, k + 1) end
    in
      go (n, 0)
    end
  fun cut ([], []) = []
    | cut (l, k :: lengths) = List.take (l, k) :: cut (List.drop (l, k), lengths)
    | cut _ = raise Failed "the lengths do not fit"
  val parts = cut (noise n, lengths)
  fun rows () = Segments.split (numbers n, IntSeq.fromList lengths)
  fun total row = Inner.sum (Inner.row row)
  (* The same text if an int has 32 bits *)
  fun unsized text =
    let val (before_, after) = Substring.position "i32" (Substring.full text)
    in if Substring.isEmpty after then text else Substring.string before_ ^ "i64" ^ unsized (Substring.string (Substring.triml 3 after)) end
  fun sum l = List.foldl op + 0 l

  fun shapes () =
    (test "flatten o split = id" (fn () =>
       (ints (noise n, Seq.toList (Seq.flatten (rows ())));
        ints (lengths, Seq.toList (Segments.lengths (rows ())));
        lists (parts, listsOf (rows ()));
        ints ([], Seq.toList (Seq.flatten (Segments.split (IntSeq.empty (), IntSeq.empty ()))));
        lists ([[], []], listsOf (Segments.split (IntSeq.empty (), IntSeq.% [0, 0])))));
     test "flatten of rows that are not one after another" (fn () =>
       (ints (List.concat (List.rev parts), Seq.toList (Seq.flatten (Seq.rev (rows ()))));
        ints (List.concat (List.filter (fn l => sum l > 0) parts),
              Seq.toList (Seq.flatten (Seq.filter (fn row => Exp.> (total row, Exp.I 0)) (rows ()))));
        ints (List.concat (List.drop (List.take (parts, 2000), 5)), Seq.toList (Seq.flatten (Seq.drop (Seq.take (rows ()) 2000) 5)));
        ints (List.concat (parts @ parts), Seq.toList (Seq.flatten (let val s = rows () in Seq.append (s, s) end)))));
     test "flatten of pairs, and of sequences of sequences of sequences" (fn () =>
       let
         val pairs = Seq.enum (numbers n)
         val rows = Seq.rev (Segments.split (pairs, IntSeq.fromList lengths))
         val nested = Segments.chunks 2 (Segments.fromLists Type.int [[1], [], [2, 3], [4, 5, 6], [7]])
       in
         ints (List.concat (List.rev parts), List.map #2 (Seq.toList (Seq.flatten rows)));
         string ("<<<1>,<>>,<<2,3>,<4,5,6>>,<<7>>>", Seq.toString (Seq.toString (Seq.toString Int.toString)) nested);
         ints ([7, 2, 3, 4, 5, 6, 1], Seq.toList (Seq.flatten (Seq.flatten (Seq.rev nested))))
       end);
     test "tabulate" (fn () =>
       let val s = Segments.tabulate (fn (i, j) => Exp.- (Exp.* (i, Exp.I 10000), j)) (IntSeq.fromList lengths)
       in
         lists (List.tabulate (List.length lengths, fn i => List.tabulate (List.nth (lengths, i), fn j => i * 10000 - j)), listsOf s);
         size (fn () => Segments.tabulate #1 (IntSeq.% [2, ~1]));
         contains ("Segments.tabulate: a length is negative", Warpfold.lastMessage ())
       end);
     test "append" (fn () =>
       (lists (parts @ List.rev parts @ [[1], []],
               listsOf (Segments.append (rows (), Segments.append (Seq.rev (rows ()), Segments.fromLists Type.int [[1], []]))));
        warpfold (Warpfold.Argument, "Segments.append") (fn () => Seq.append (rows (), rows ()))));
     test "lexicographic order, and orders within sequences" (fn () =>
       let
         fun digit x = Exp.mod (x, Exp.I 10)
         val rows = Segments.fromLists Type.int [[31, 4, 15, 92], [], [65, 35], [8], [35, 65]]
         open Segments.ByContent
         fun words l = Segments.fromList Type.char (List.map CharSeq.fromString l)
         fun are (expected, s) = list (fn s => s) (expected, List.map CharSeq.implode (Seq.toList s))
         val (s, t) = (words ["the", "cat", "then", "", "a", "cat", "an"], words ["an", "bee", "the"])
         fun number order = case order of LESS => ~1 | EQUAL => 0 | GREATER => 1
       in
         are (["", "a", "an", "cat", "cat", "the", "then"], sort s);
         are (["", "a", "an", "cat", "the", "then"], unique s);
         are (["", "a", "an", "an", "bee", "cat", "cat", "the", "the", "then"], merge (sort s, t));
         ints ([0, 1, ~1, 1, ~1], List.map (number o collate) [(s, s), (s, t), (t, s), (s, Seq.take s 3), (Seq.take s 3, s)]);
         ints ([2, 2, 0], [argmax s, argmax t, argmax (Seq.take t 1)]);
         ints ([2, 3, 5], Seq.toList (binarySearch (sort s, t)));
         lists ([[], []], listsOf (Segments.lexicographic (Segments.fromLists Type.int [[], []])));
         lists ([[], [8], [31, 4, 15, 92], [35, 65], [65, 35]], listsOf (Segments.lexicographic rows));
         lists ([[92, 31, 15, 4], [], [65, 35], [8], [65, 35]], listsOf (Segments.descending rows));
         lists ([[31, 92, 4, 15], [], [65, 35], [8], [35, 65]], listsOf (Segments.sort (fn (x, y) => Exp.< (digit x, digit y)) rows));
         lists ([[35, 65], [8], [35, 65], [], [4, 15, 31, 92]], listsOf (Segments.ascending (Seq.rev rows)))
       end);
     test "fromList, fromLists, nth, zip" (fn () =>
       let
         val s = Segments.fromList Type.int [IntSeq.% [1, 2], IntSeq.empty (), Seq.iota 3]
         val zipped = Seq.zip (Seq.iota 3, s)
         val (_, again) = Seq.unzip zipped
       in
         lists ([[1, 2], [], [0, 1, 2]], listsOf s);
         ints ([0, 1, 2], Seq.toList (Seq.nth s 2));
         ints ([1, 2], Seq.toList (#2 (Seq.nth zipped 0)));
         lists ([[1, 2], [], [0, 1, 2]], listsOf again);
         string ("(2,<0,1,2>)", unsized (Type.show (Seq.typeOf zipped) (Seq.nth zipped 2)));
         string ("<<1,2>,<3>>", Seq.describe (let val s = Segments.fromLists Type.int [[1, 2], [3]] in Seq.force [Seq.any s]; s end));
         string ("(i64, i64 seq)", unsized (Type.name (Seq.typeOf zipped)));
         subscript (fn () => Seq.nth s 3);
         lists ([], listsOf (Segments.fromLists Type.int []))
       end))

  fun rowwise () =
    (test "scans in each, of pairs and of rows in another order" (fn () =>
       let
         (* Not commutative: digits from left to right, modulo a prime *)
         fun join (p, q) =
           let val ((a, i), (b, j)) = (Exp.unpair p, Exp.unpair q)
           in Exp.pair (Exp.mod (Exp.+ (Exp.* (a, j), b), Exp.I 1009), Exp.mod (Exp.* (i, j), Exp.I 1009)) end
         fun digits s = Segments.map (fn x => Exp.pair (Exp.mod (x, Exp.I 10), Exp.I 10)) s
         val rows = Segments.fromLists Type.int [[1, 2, 3], [], [4, 5]]
         val joined = Segments.map (#1 o Exp.unpair) (Segments.scanIncl join (0, 1) (digits rows))
       in
         lists ([[1, 12, 123], [], [4, 45]], listsOf joined);
         lists ([[4, 9], [], [1, 3, 6]], listsOf (Segments.scanIncl Exp.+ 0 (Seq.rev rows)));
         lists ([[0, 4], [], [0, 1, 3]], listsOf (#1 (Segments.scan Exp.+ 0 (Seq.rev rows))));
         lists ([], listsOf (Segments.scanIncl Exp.+ 0 (Segments.fromLists Type.int [])))
       end);
     test "a lambda of rows, in the row kernel" (fn () =>
       let
         val s = rows ()
         fun spread row =
           let val row = Inner.row row
           in Exp.cond (Exp.== (Inner.length row, Exp.I 0), Exp.I 0, Exp.- (Inner.max row, Inner.min row)) end
         fun onHost [] = 0
           | onHost l = List.foldl Int.max ~5000 l - List.foldl Int.min 5000 l
         val sums = Seq.map total s
       in
         ints (List.map onHost parts, Seq.toList (Seq.map spread s));
         Seq.force [Seq.any s];
         contains ("1 kernel", Seq.explain [Seq.any sums])
       end);
     test "an element outside of its row" (fn () =>
       subscript (fn () => Seq.toList (Seq.map (fn row => Inner.nth (Inner.row row) (Exp.I 1)) (Segments.fromLists Type.int [[1, 2], [3]]))));
     test "sequences as states, conditions and elements of other sequences" (fn () =>
       let
         val s = Segments.fromLists Type.int [[1, 5], [9], [2, 2, 2]]
         fun longer (a, b) = Exp.cond (Exp.< (Inner.length (Inner.row a), Inner.length (Inner.row b)), b, a)
       in
         lists ([[1, 5], [2, 2, 2], [2, 2, 2]], listsOf (Seq.zipWith longer (s, Seq.rotate s 1)));
         lists ([[2, 2, 2], [9], [1, 5]], listsOf (Seq.map (fn i => Exp.at (s, Exp.- (Exp.I 2, i))) (Seq.iota 3)));
         lists ([[1, 5], [2, 2, 2], [9]], listsOf (Seq.ascendingBy total s))
       end);
     test "argmax and argmin of sequences" (fn () =>
       let
         fun length i = (i * 37 + 5) mod 1009
         val s = Segments.split (Seq.iota (sum (List.tabulate (2000, length))), Seq.fromList Type.int (List.tabulate (2000, length)))
         fun first k = Option.valOf (List.find (fn i => length i = k) (List.tabulate (2000, fn i => i)))
         fun less (a, b) = Exp.< (Inner.length (Inner.row a), Inner.length (Inner.row b))
       in
         ints ([first 1008, first 0], [Seq.argmax less s, Seq.argmin less s]);
         warpfold (Warpfold.Argument, "Seq.argmax: f captures 1 sequence")
           (fn () => Seq.argmax (fn (a, b) => Exp.< (total a, total b)) s);
         subscript (fn () => Seq.argmax less (Seq.take s 0))
       end);
     test "what sequences of sequences refuse" (fn () =>
       let val (s, t) = (Segments.fromLists Type.int [[1]], Segments.fromLists Type.int [[2]])
       in
         warpfold (Warpfold.Argument, "Seq.append: sequences of sequences that have different values") (fn () => Seq.append (s, t));
         warpfold (Warpfold.Argument, "a sequence cannot be a constant") (fn () => Seq.fill (Seq.typeOf s) (IntSeq.% [1]) 3);
         List.app (fn (name, f) => warpfold (Warpfold.Type, name ^ ": sequences have no order of their own") (fn () => f s))
           [("Seq.ascending", ignore o Seq.ascending), ("Seq.descendingBy", ignore o Seq.descendingBy (fn row => row)),
            ("Seq.mergeAscending", fn s => ignore (Seq.mergeAscending (s, s))), ("Order.topK", ignore o Order.topK 1),
            ("Segments.groupBy", ignore o Segments.groupBy (fn row => row)), ("Segments.runLengths", ignore o Segments.runLengths),
            ("Segments.reduceByKey", fn s => ignore (Segments.reduceByKey Exp.+ 0 (Seq.zip (s, Seq.iota 1))))];
         warpfold (Warpfold.Argument, "Exp.cond") (fn () => Seq.zipWith (fn (a, b) => Exp.cond (Exp.B true, a, b)) (s, t));
         size (fn () => Segments.split (Seq.iota 3, IntSeq.% [1, 1]));
         size (fn () => Segments.split (Seq.iota 3, IntSeq.% [4, ~1]));
         size (fn () => Segments.expand (Seq.fromList pairType [(7, 4), (8, ~1)]));
         contains ("the sum of the lengths is 2; expected the sequence's length, 3",
                   (ignore (Segments.split (Seq.iota 3, IntSeq.% [1, 1])) handle Size => (); Warpfold.lastMessage ()))
       end))

  fun grouping () =
    (test "keys of two columns" (fn () =>
       let
         fun key x = Exp.pair (Exp.mod (x, Exp.I 2), Exp.< (x, Exp.I 0))
         val s = Segments.groupBy key (IntSeq.% [3, ~2, 4, ~3, 5, ~4])
         fun shown ((k, b), l) = Int.toString k ^ Bool.toString b ^ Seq.toString Int.toString l
       in
         list (fn s => s) (["0false<4>", "0true<~2,~4>", "1false<3,5>", "1true<~3>"], List.map shown (Seq.toList s))
       end);
     test "runLengths and expand" (fn () =>
       let
         fun both l =
           let val s = Segments.runLengths (IntSeq.fromList l)
           in ints (l, Seq.toList (Segments.expand s)) end
       in
         List.app both [[], [5], [5, 5], [5, 6], List.map (fn x => x div 300) (noise n), List.tabulate (n, fn _ => 4)];
         ints ([7, 7, 9], Seq.toList (Segments.expand (Seq.fromList pairType [(5, 0), (7, 2), (8, 0), (9, 1), (3, 0)])))
       end))

  fun run () = (shapes (); rowwise (); grouping ())
end
