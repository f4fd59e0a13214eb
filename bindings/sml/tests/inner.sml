(* Sequences inside lambdas: each name, loops and reductions inside each other, special values, errors. *)
structure InnerTests =
struct
  open Check
  infix 4 ==
  infix 3 &&
  infix 2 ||

  fun noise n = List.tabulate (n, fn i => (i mod 40009 * 7919 + i mod 1013 * (i mod 1013)) mod 2003 - 1001)
  fun upTo n = List.tabulate (n, fn i => i)
  fun sumOver (first, last, f) = List.foldl op + 0 (List.tabulate (Int.max (last - first, 0), fn k => f (first + k)))
  fun row (s, i, m) = let open Exp.Infix in Inner.subseq (Inner.seq s) (i * I m, I m) end

  fun elements () =
    (test "a filtered sequence and a scalar are captured" (fn () =>
       let
         val values = noise 1000
         val s = IntSeq.fromList values
         val positive = Seq.filter (fn x => Exp.> (x, Exp.int 0)) s
         fun f x = Inner.sum (Inner.map (fn y => Exp.* (y, x)) (Inner.seq positive))
         val total = List.foldl op + 0 (List.filter (fn x => x > 0) values)
       in
         ints (List.map (fn x => x * total) values, Seq.toList (Seq.map f s))
       end);
     test "a reduction in a loop, a loop in a reduction, and terms that they share" (fn () =>
       let
         val s = IntSeq.fromList (noise 101)
         (* The first n for which the sum of the squares of 0, ..., n - 1 is at least x. *)
         fun squares n = let open Exp in Inner.sum (Inner.map (fn k => k * k) (Inner.range (int 0, n))) end
         fun search x = let open Exp in loop {start = int 0, continue = fn n => squares n < x, next = fn n => n + int 1} end
         fun halvings x =
           let open Exp
           in #2 (unpair (loop {start = pair (x, int 0), continue = fn p => #1 (unpair p) > int 0,
                                next = fn p => let val (y, k) = unpair p in pair (quot (y, int 2), k + int 1) end})) end
         fun all x = let open Exp val shared = x * x + int 1
                     in shared + Inner.sum (Inner.map (fn y => halvings (abs y) * shared + shared) (Inner.seq s)) end
         fun halvingsOnHost y = if y = 0 then 0 else 1 + halvingsOnHost (y div 2)
         fun searchOnHost (x, n) = if sumOver (0, n, fn k => k * k) < x then searchOnHost (x, n + 1) else n
       in
         ints (List.tabulate (500, fn x => searchOnHost (x, 0)), Seq.toList (Seq.tabulate search 500));
         ints (List.tabulate (500, fn x => (x * x + 1) * (102 + List.foldl op + 0 (List.map (halvingsOnHost o Int.abs) (noise 101)))),
               Seq.toList (Seq.tabulate all 500))
       end);
     test "an index of an element that is not combined does not count" (fn () =>
       let
         val s = IntSeq.fromList [1, 2, 3]
         (* s[x], used twice in a reduction of 3 - x elements *)
         fun f x = let open Exp in Inner.sum (Inner.tabulate (fn _ => let val e = at (s, x) in e * e end) (int 3 - x)) end
         fun guarded x = let open Exp in cond (x < int 3, Inner.nth (Inner.seq s) x, int 0) end
         (* The same, in branches that no step chooses *)
         fun branch x =
           let open Exp val e = at (s, x)
           in Inner.sum (Inner.tabulate (fn j => cond (x < int 3, e * e + j, int 0)) (int 2)) end
       in
         ints ([3, 8, 9, 0, 0], Seq.toList (Seq.tabulate f 5));
         ints ([3, 9, 19, 0, 0], Seq.toList (Seq.tabulate branch 5));
         ints ([1, 2, 3, 0, 0], Seq.toList (Seq.tabulate guarded 5))
       end))

  (* Each name prints its form: on the rows 3 1 4 1 5 and 9 2 6 5 3, for i = 0 and 1. The library's own tests have other lengths. *)
  fun names () =
    let
      val s = IntSeq.fromList [3, 1, 4, 1, 5, 9, 2, 6, 5, 3]
      fun row i = let open Exp.Infix in Inner.subseq (Inner.seq s) (i * I 5, I 5) end
      fun check (name, expected, f) = test ("Inner." ^ name) (fn () => ints (expected, Seq.toList (Seq.tabulate f 2)))
      fun digits s = Inner.iterate Type.int (fn (state, x) => Exp.+ (Exp.* (state, Exp.int 10), x)) 0 s
      fun view (name, expected, f) = check (name, expected, digits o f)
      fun truth (name, expected, f) = check (name, expected, Exp.cast Type.int o f)
      fun isLarge x = Exp.> (x, Exp.int 2)
      val large = Inner.filter isLarge o row
      val (zero, one, two, five) = (Exp.int 0, Exp.int 1, Exp.int 2, Exp.int 5)
      val sum = Exp.+
      val xor = Exp.xorb
      fun odd x = Exp.mod (x, two)
    in
      view ("tabulate", [2, 234], fn i => Inner.tabulate (fn j => sum (j, two)) (sum (one, Exp.* (i, two))));
      view ("range", [2345, 345], fn i => Inner.range (sum (i, two), Exp.int 6));
      view ("iota", [0, 12], fn i => Inner.iota (Exp.* (i, Exp.int 3)));
      view ("map", [11011, 1100], fn i => Inner.map (fn x => odd (sum (x, i))) (row i));
      view ("zip", [32, 93], fn i => Inner.map (sum o Exp.unpair) (Inner.zip (Inner.iota two, row i)));
      view ("zipWith", [32, 93], fn i => Inner.zipWith sum (row i, Inner.iota two));
      view ("filter", [345, 9653], large);
      view ("partition", [345, 9653], #1 o Inner.partition isLarge o row);
      view ("partition, the others", [11, 2], #2 o Inner.partition isLarge o row);
      view ("mapIdx", [30621, 93467], Inner.mapIdx xor o row);
      view ("enum", [30621, 93467], Inner.map (xor o Exp.unpair) o Inner.enum o row);
      view ("filterIdx", [345, 9265], Inner.filterIdx (fn (j, x) => Exp.> (x, j)) o row);
      view ("packIndex", [24, 234], Inner.packIndex isLarge o row);
      view ("subseq", [14, 26], fn i => Inner.subseq (row i) (one, two));
      view ("take", [31, 92], fn i => Inner.take (row i) two);
      view ("drop", [415, 653], fn i => Inner.drop (row i) two);
      view ("rev", [51413, 35629], Inner.rev o row);
      view ("append", [31345, 929653], fn i => Inner.append (Inner.take (row i) two, large i));
      view ("concat", [3331, 9992], fn i => let val x = Inner.take (row i) one in Inner.concat x [x, Inner.take (row i) two] end);
      view ("rotate", [53141, 92653], fn i => Inner.rotate (row i) (Exp.- (i, one)));
      view ("interleave", [3115, 9523], fn i => Inner.interleave (Inner.take (row i) two, Inner.drop (row i) (Exp.int 3)));
      view ("update", [71415, 97653], fn i => Inner.update (row i, (i, Exp.int 7)));
      check ("length", [3, 4], Inner.length o large);
      check ("nth", [3, 2], fn i => Inner.nth (row i) i);
      check ("reduce", [7, 15], fn i => Inner.reduce Exp.orb 0 (Inner.map (fn x => Exp.orb (x, i)) (large i)));
      check ("mapReduce", [10, 18], Inner.mapReduce (fn x => Exp.* (x, two)) Exp.max 0 o row);
      check ("sum", [12, 23], Inner.sum o large);
      check ("product", [60, 1620], Inner.product o row);
      check ("dot", [32, 41], fn i => Inner.dot (row i, Inner.iota five));
      check ("minmax", [15, 29], fn i => let val (low, high) = Inner.minmax (row i) in sum (Exp.* (low, Exp.int 10), high) end);
      check ("mean", [4, 5], Exp.cast Type.int o Inner.mean o large);
      check ("count", [3, 4], Inner.count isLarge o row);
      truth ("all", [0, 1], Inner.all (fn x => Exp.> (x, one)) o row);
      truth ("any", [0, 1], Inner.any (fn x => Exp.> (x, five)) o row);
      check ("findIndex", [1, 1], Inner.findIndex (fn x => Exp.&& (Exp.> (x, Exp.int 3), Exp.< (x, Exp.int 9))) o large);
      check ("argmax", [2, 0], Inner.argmax Exp.< o large);
      check ("argmin", [1, 1], Inner.argmin Exp.< o row);
      truth ("isSorted", [1, 0], Inner.isSorted Exp.< o large);
      truth ("equal", [0, 1], fn i => Inner.equal (fn (x, y) => Exp.== (x, sum (y, i))) (row i, Inner.map (fn x => Exp.- (x, one)) (row i)));
      check ("collate", [~1, 1], fn i => Inner.collate Exp.< (row i, Inner.map (fn j => sum (j, Exp.int 4)) (Inner.iota (sum (one, i)))));
      test "a partner of another length" (fn () =>
        let fun part i = Inner.take (Inner.seq s) i
            fun fails f = subscript (fn () => Seq.toList (Seq.tabulate f 3))
        in
          fails (fn i => Inner.dot (part (sum (i, one)), part i));
          fails (fn i => Inner.dot (part i, part (sum (i, one))));
          fails (fn i => Inner.sum (Inner.update (part i, (i, i))))
        end)
    end

  (* Results for no elements, and for five. *)
  fun types () =
    let
      fun reductions (name, ty, values, expected) =
        test ("sum, min and max of " ^ name) (fn () =>
          let
            val s = Seq.fromList ty values
            (* Compilers print 4.0 as 4.0 or 4. *)
            fun show x = let val text = Type.show ty x in if String.isSuffix ".0" text then String.substring (text, 0, String.size text - 2) else text end
            fun results f = List.map show (Seq.toList (Seq.tabulate (fn i => f (Inner.take (Inner.seq s) (Exp.* (i, Exp.int 5)))) 2))
          in
            list (fn text => text) (expected, results Inner.sum @ results Inner.min @ results Inner.max)
          end)
    in
      reductions ("word8s", Type.word8, [0w7, 0w200, 0w3, 0w255, 0w1], ["0", "210", "255", "1", "0", "255"]);
      reductions ("int32s", Type.int32, [~7, 5, 3, ~9, 1], ["0", "~7", "2147483647", "~9", "~2147483648", "5"]);
      reductions ("word32s", Type.word32, [0w7, 0w5, 0w3, 0w9, 0w1], ["0", "25", "4294967295", "1", "0", "9"]);
      reductions ("int64s", Type.int64, [~7, 5, 3, ~9, 1], ["0", "~7", "9223372036854775807", "~9", "~9223372036854775808", "5"]);
      reductions
        ("ints", Type.int, [~7, 5, 3, ~9, 1],
         ["0", "~7", Int.toString (valOf Int.maxInt), "~9", Int.toString (valOf Int.minInt), "5"]);
      reductions ("word64s", Type.word64, [0w7, 0w5, 0w3, 0w9, 0w1], ["0", "25", "18446744073709551615", "1", "0", "9"]);
      reductions ("singles", Type.single, List.map Single.fromReal [0.5, ~1.5, 2.0, 4.0, ~8.0], ["0", "~3", "inf", "~8", "~inf", "4"]);
      reductions ("reals", Type.real, [0.5, ~1.5, 2.0, 4.0, ~8.0], ["0", "~3", "inf", "~8", "~inf", "4"]);
      test "min and max of bools" (fn () =>
        let fun results f =
              Seq.toList (Seq.tabulate (fn i => f (Inner.map (fn k => Exp.== (k, Exp.int 1)) (Inner.range (Exp.int 0, i)))) 3)
        in list Bool.toString ([true, false, false, false, false, true], results Inner.min @ results Inner.max) end)
    end

  fun errors () =
    (test "parts outside raise Subscript" (fn () =>
       let
         val s = IntSeq.fromList [1, 2, 3, 4, 5, 6]
         fun sums (m, n) = Seq.toList (Seq.tabulate (fn i => Inner.sum (row (s, i, m))) n)
         fun two i = Inner.subseq (Inner.seq s) (i, Exp.int 2)
         fun fails f = subscript (fn () => Seq.toList (Seq.tabulate f 2))
       in
         ints ([6, 15], sums (3, 2));
         subscript (fn () => sums (3, 3));
         contains ("6", Warpfold.lastMessage ());
         (* A part of a part stays inside it, although the sequence goes on. *)
         fails (fn i => Inner.sum (Inner.take (two i) (Exp.int 3)));
         fails (fn i => Inner.nth (two i) (Exp.int 2));
         fails (fn i => Inner.sum (Inner.drop (two i) (Exp.int ~1)));
         fails (fn i => Inner.dot (Inner.subseq (Inner.seq s) (i, Exp.int 3), two i));
         ints ([2, 3], Seq.toList (Seq.tabulate (fn i => Inner.nth (two i) (Exp.int 1)) 2));
         ints ([0, 0], Seq.toList (Seq.tabulate (fn i => Inner.sum (Inner.take (two i) (Exp.int ~7))) 2));
         ints ([0, 0], Seq.toList (Seq.tabulate (fn i => Inner.length (Inner.take (two i) (Exp.int ~7))) 2))
       end);
     test "an inner sequence in another lambda" (fn () =>
       let
         val s = IntSeq.fromList [1, 2, 3, 4]
         val kept = ref (Inner.seq s)
         val _ = Seq.tabulate (fn i => (kept := row (s, i, 2); Inner.sum (!kept))) 2
       in
         warpfold (Warpfold.Argument, "outside of the function or loop that it belongs to") (fn () =>
           Seq.tabulate (fn _ => Inner.sum (!kept)) 2);
         warpfold (Warpfold.Argument, "Inner has the functions of Seq") (fn () =>
           Seq.tabulate (fn i => (ignore (Seq.map (fn x => Exp.+ (x, i)) s); i)) 2)
       end);
     test "functions that combine, and filters" (fn () =>
       let
         val s = IntSeq.fromList [1, 2, 3, 4]
         fun fails (text, f) = warpfold (Warpfold.Argument, text) (fn () => Seq.tabulate (fn i => f (i, row (s, i, 2))) 2)
         val more = "Inner.reduce: the function that combines depends on more than its two arguments"
         val large = Inner.filter (fn x => Exp.> (x, Exp.int 1))
       in
         fails (more, fn (i, r) => Inner.reduce (fn (x, y) => Exp.+ (Exp.+ (x, y), i)) 0 r);
         fails (more, fn (_, r) => Inner.reduce (fn (x, y) => Exp.+ (x, Exp.at (s, y))) 0 r);
         fails ("Inner.take: the positions of a filter's elements", fn (_, r) => Inner.sum (Inner.take (large r) (Exp.int 1)));
         fails ("Inner.nth: the positions", fn (_, r) => Inner.nth (large r) (Exp.int 0));
         fails ("Inner.dot: the positions", fn (_, r) => Inner.dot (r, large r));
         warpfold (Warpfold.Type, "`add` has an operand of type (") (fn () =>
           Seq.tabulate (fn i => #1 (Exp.unpair (Inner.sum (Inner.zip (row (s, i, 2), row (s, i, 2)))))) 2)
       end))

  fun run () = (elements (); names (); types (); errors ())
end
