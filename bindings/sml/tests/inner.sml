(* Reductions inside lambdas, next to loops of the host. *)
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
  fun kernels s = Seq.explain [Seq.any s]

  fun rows () =
    (test "sums of rows" (fn () =>
       List.app
         (fn (n, m) =>
            let
              val values = Array.fromList (noise (n * m))
              val s = IntSeq.fromArray values
            in
              ints (List.tabulate (n, fn i => sumOver (0, m, fn j => Array.sub (values, i * m + j))),
                    Seq.toList (Seq.tabulate (fn i => Inner.sum (row (s, i, m))) n))
            end)
         [(10007, 7), (1, 10007), (0, 3), (3, 0), (300, 1009)]);
     test "a sparse matrix times a vector, with empty rows" (fn () =>
       let
         val (n, columns) = (10007, 501)
         val starts = Array.array (n + 1, 0)
         val () = List.app (fn r => Array.update (starts, r + 1, Array.sub (starts, r) + r mod 6)) (upTo n)
         val entries = Array.sub (starts, n)
         val col = Array.tabulate (entries, fn k => k * 77 mod columns)
         val v = Array.tabulate (entries, fn k => k mod 9 - 4)
         val x = Array.fromList (noise columns)
         val (rs, cs, vs, xs) = (IntSeq.fromArray starts, IntSeq.fromArray col, IntSeq.fromArray v, IntSeq.fromArray x)
         fun entry k = let open Exp in at (vs, k) * at (xs, at (cs, k)) end
         fun product r = let open Exp in Inner.sum (Inner.map entry (Inner.range (at (rs, r), at (rs, r + int 1)))) end
         val y = Seq.tabulate product n
       in
         contains ("1 kernel\n", kernels y);
         contains ("(fold ", kernels y);
         ints (List.tabulate (n, fn r => sumOver (Array.sub (starts, r), Array.sub (starts, r + 1), fn k =>
                 Array.sub (v, k) * Array.sub (x, Array.sub (col, k)))), Seq.toList y)
       end);
     test "views of rows" (fn () =>
       let
         val (n, m) = (1000, 9)
         val values = Array.fromList (noise (n * m))
         val s = IntSeq.fromArray values
         fun at (i, j) = Array.sub (values, i * m + j)
         (* 1 * the last one + 2 * the one before + ..., without the first two *)
         fun weighted i =
           let val back = Inner.rev (Inner.drop (row (s, i, m)) (Exp.int 2))
           in Inner.dot (back, Inner.tabulate (fn k => Exp.+ (k, Exp.int 1)) (Inner.length back)) end
         fun four i = Inner.take (row (s, i, m)) (Exp.int 4)
         fun opposite i = Inner.dot (four i, four (Exp.- (Exp.int (n - 1), i)))
       in
         ints (List.tabulate (n, fn i => sumOver (2, m, fn j => (m - j) * at (i, j))), Seq.toList (Seq.tabulate weighted n));
         ints (List.tabulate (n, fn i => sumOver (0, 4, fn j => at (i, j) * at (n - 1 - i, j))), Seq.toList (Seq.tabulate opposite n));
         ints (List.tabulate (n, fn i => at (i, i mod m)),
               Seq.toList (Seq.tabulate (fn i => Inner.nth (row (s, i, m)) (Exp.mod (i, Exp.int m))) n))
       end))

  fun elements () =
    (test "filters and maps that use the outer element" (fn () =>
       let
         val values = noise 2003
         val s = IntSeq.fromList values
         fun larger x = Inner.filter (fn y => Exp.> (y, x)) (Inner.seq s)
         fun onHost f = List.map (fn x => f (List.filter (fn y => y > x) values)) values
         fun tripled x = Inner.map (fn y => Exp.* (y, Exp.int 3)) (Inner.filter (fn y => Exp.< (y, Exp.int 500)) (larger x))
       in
         ints (onHost List.length, Seq.toList (Seq.map (Inner.length o larger) s));
         ints (onHost (fn l => 3 * List.foldl op + 0 (List.filter (fn y => y < 500) l)), Seq.toList (Seq.map (Inner.sum o tripled) s));
         ints (onHost (List.foldl Int.max ~5000), Seq.toList (Seq.map (fn x => Inner.reduce Exp.max ~5000 (Inner.rev (larger x))) s));
         ints (onHost List.length, Seq.toList (Seq.map (fn x => Inner.count (fn y => Exp.> (y, x)) (Inner.seq s)) s));
         list Bool.toString (List.map (fn x => List.all (fn y => y <= x + 900) values) values,
           Seq.toList (Seq.map (fn x => Inner.all (fn y => Exp.<= (y, Exp.+ (x, Exp.int 900))) (Inner.seq s)) s));
         list Bool.toString (List.map (fn x => List.exists (fn y => y = 2 * x) values) values,
           Seq.toList (Seq.map (fn x => Inner.any (fn y => Exp.== (y, Exp.* (x, Exp.int 2))) (Inner.seq s)) s))
       end);
     test "a filtered sequence and a scalar are captured" (fn () =>
       let
         val values = noise 1000
         val s = IntSeq.fromList values
         val positive = Seq.filter (fn x => Exp.> (x, Exp.int 0)) s
         fun f x = Inner.sum (Inner.map (fn y => Exp.* (y, x)) (Inner.seq positive))
         val total = List.foldl op + 0 (List.filter (fn x => x > 0) values)
       in
         ints (List.map (fn x => x * total) values, Seq.toList (Seq.map f s))
       end);
     test "pairs are reduced: the largest element and its first position" (fn () =>
       let
         val (n, m) = (3001, 5)
         val values = Array.fromList (noise (n * m))
         val s = IntSeq.fromArray values
         fun better (p, q) =
           let open Exp val ((x, i), (y, j)) = (unpair p, unpair q)
           in cond (x > y || x == y && i < j, p, q) end
         fun best i = Inner.reduce better (~10000, 10000) (Inner.zip (row (s, i, m), Inner.range (Exp.int 0, Exp.int m)))
         fun onHost i =
           List.foldl (fn (j, (x, k)) => let val y = Array.sub (values, i * m + j) in if y > x then (y, j) else (x, k) end)
             (~10000, 10000) (upTo m)
       in
         list (Type.show (Type.pair (Type.int, Type.int))) (List.tabulate (n, onHost), Seq.toList (Seq.tabulate best n))
       end);
     test "a reduction in a reduction: the largest row sum of a product of matrices" (fn () =>
       let
         val k = 23
         val values = Array.fromList (noise (k * k))
         val s = IntSeq.fromArray values
         fun entry (i, j) =
           let open Exp in Inner.sum (Inner.tabulate (fn l => at (s, i * int k + l) * at (s, l * int k + j)) (int k)) end
         val f = fn i => Inner.max (Inner.tabulate (fn j => entry (i, j)) (Exp.int k))
         fun at (i, j) = Array.sub (values, i * k + j)
         fun onHost i =
           List.foldl Int.max (Option.valOf Int.minInt)
             (List.tabulate (k, fn j => sumOver (0, k, fn l => at (i, l) * at (l, j))))
       in
         ints (List.tabulate (k, onHost), Seq.toList (Seq.tabulate f k))
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

  (* Rows of different lengths, a view of views of them, and filtered rows, next to lists. Functions that need positions refuse a filtered row. *)
  fun functions () =
    let
      val lengths = [0, 1, 2, 7, 63, 64, 65, 0, 129, 300, 3, 24]
      val n = List.length lengths
      val starts = List.rev (List.foldl (fn (m, sums as sum :: _) => sum + m :: sums | (_, []) => []) [0] lengths)
      val values = List.map (fn x => x mod 50 - 25) (noise (List.last starts))
      val (s, first) = (IntSeq.fromList values, IntSeq.fromList starts)
      fun row i = let open Exp.Infix in Inner.subseq (Inner.seq s) (Exp.at (first, i), Exp.at (first, i + I 1) - Exp.at (first, i)) end
      fun host r = List.take (List.drop (values, List.nth (starts, r)), List.nth (lengths, r))
      fun prefix r = List.take (values, r)
      fun part i = Inner.take (Inner.seq s) i
      fun flagged b = if b then 1 else 0
      fun flag b = Exp.cast Type.int b
      fun total l = List.foldl op + 0 l
      fun weighed l = total (ListPair.map op * (List.tabulate (List.length l, fn j => j + 1), l))
      fun weigh s = let open Exp.Infix in Inner.sum (Inner.mapIdx (fn (j, x) => (j + I 1) * x) s) end
      fun position f l = let fun go (_, []) = ~1 | go (j, x :: rest) = if f x then j else go (j + 1, rest) in go (0, l) end
      fun first_ better l = position (fn x => List.all (fn y => Bool.not (better (y, x))) l) l
      fun cut (k, l) = List.take (l, Int.min (k, List.length l))
      fun halves l = (List.take (l, List.length l div 2), List.drop (l, List.length l div 2))
      fun rotated (k, l) =
        if List.null l then [] else let val k = k mod List.length l in List.drop (l, k) @ List.take (l, k) end
      fun ascends less l = List.null l orelse Bool.not (ListPair.exists (fn (x, y) => less (y, x)) (l, List.tl l))
      fun sign order = case order of LESS => ~1 | EQUAL => 0 | GREATER => 1
      fun coarse i s = Inner.map (fn x => Exp.div (x, Exp.+ (Exp.int 30, i))) s
      fun coarsely r l = List.map (fn x => x div (30 + r)) l
      val three = IntSeq.fromList [3, ~4, 5]
      fun both (isFiltered, view, viewed) =
        let
          fun check (expected, f) =
            ints (List.tabulate (n, fn r => expected (r, viewed (r, host r))), Seq.toList (Seq.tabulate (fn i => f (i, view (i, row i))) n))
          fun positions (expected, f) =
            if isFiltered then warpfold (Warpfold.Argument, "the positions of a filter's elements") (fn () => Seq.tabulate (fn i => f (i, view (i, row i))) n)
            else check (expected, f)
        in
          positions (fn (r, l) => weighed (l @ prefix r @ l), fn (i, s) => weigh (Inner.concat s [part i, s]));
          check (fn (r, l) => total l + List.length l + 7, fn (i, s) =>
            let val both = Inner.append (s, Inner.seq three) in Exp.+ (Inner.sum both, Inner.length both) end);
          positions (fn (r, l) => weighed (ListPair.map (fn (x, y) => x - 2 * y) (l, prefix r)), fn (i, s) =>
            weigh (let open Exp.Infix in Inner.zipWith (fn (x, y) => x - I 2 * y) (s, part i) end));
          positions (fn (r, l) => weighed (ListPair.map op * (prefix r, l)), fn (i, s) =>
            weigh (Inner.map (Exp.* o Exp.unpair) (Inner.zip (part i, s))));
          positions (fn (_, l) => total (ListPair.map (fn (j, x) => x * (j - 3)) (upTo (List.length l), l)), fn (_, s) =>
            let open Exp.Infix
            in Inner.sum (Inner.map (fn p => let val (j, x) = Exp.unpair p in x * (j - I 3) end) (Inner.enum s)) end);
          positions (fn (_, l) => total (ListPair.map (fn (j, x) => if (x + j) mod 3 = 0 then x else 0) (upTo (List.length l), l)), fn (_, s) =>
            Inner.sum (Inner.filterIdx (fn (j, x) => Exp.== (Exp.mod (Exp.+ (x, j), Exp.int 3), Exp.int 0)) s));
          positions (fn (_, l) => total (ListPair.map (fn (j, x) => if x > 5 then j else 0) (upTo (List.length l), l)), fn (_, s) =>
            Inner.sum (Inner.packIndex (fn x => Exp.> (x, Exp.int 5)) s));
          check (fn (_, l) => total (List.map (fn x => if x < 7 then 3 * x else ~x) l), fn (_, s) =>
            let open Exp.Infix
                val (low, high) = Inner.partition (fn x => Exp.< (x, Exp.int 7)) s
            in I 3 * Inner.sum low - Inner.sum high end);
          check (fn (r, _) => r * (r - 1) div 2, fn (i, _) => Inner.sum (Inner.iota i));
          positions (fn (r, l) => weighed (rotated (r - 70, l)), fn (i, s) => weigh (Inner.rotate s (Exp.- (i, Exp.int 70))));
          positions (fn (_, l) => weighed (List.concat (List.map (fn x => [x, ~x]) l)), fn (_, s) => weigh (Inner.interleave (s, Inner.map Exp.~ s)));
          positions (fn (r, l) => weighed (let val k = r mod (List.length l + 3) in
                       List.take (l @ [3, ~4, 5], k) @ [r] @ List.drop (l @ [3, ~4, 5], k + 1) end),
                     fn (i, s) => let val longer = Inner.append (s, Inner.seq three)
                                  in weigh (Inner.update (longer, (Exp.mod (i, Inner.length longer), i))) end);
          positions (fn (_, l) => let val (a, b) = halves l in weighed a - weighed b end, fn (_, s) =>
            let val half = Exp.div (Inner.length s, Exp.int 2) in Exp.- (weigh (Inner.take s half), weigh (Inner.drop s half)) end);
          check (fn (_, l) => List.foldl (fn (x, p) => x mod 3 * p mod 2) 1 l, fn (_, s) =>
            Exp.mod (Inner.product (Inner.map (fn x => Exp.mod (x, Exp.int 3)) s), Exp.int 2));
          check (fn (_, l) => if List.null l then 0 else Real.floor (1000.0 * real (total l) / real (List.length l) + 0.5), fn (_, s) =>
            Exp.cond (Exp.> (Inner.length s, Exp.int 0),
                      Exp.cast Type.int (Exp.floor (Exp.+ (Exp.* (Exp.real 1000.0, Inner.mean s), Exp.real 0.5))), Exp.int 0));
          check (fn (_, l) => if List.null l then ~1 else List.foldl Int.max (hd l) l - List.foldl Int.min (hd l) l, fn (_, s) =>
            let val (low, high) = Inner.minmax s in Exp.cond (Exp.> (Inner.length s, Exp.int 0), Exp.- (high, low), Exp.int ~1) end);
          check (fn (_, l) => List.foldl (fn (x, m) => Int.max (2 * x, m)) ~100 l, fn (_, s) =>
            Inner.mapReduce (fn x => Exp.* (Exp.int 2, x)) Exp.max ~100 s);
          check (fn (r, l) => List.foldl (fn (x, state) => (state * 31 + x + r) mod 1009) 7 l, fn (i, s) =>
            Inner.iterate Type.int (fn (state, x) => let open Exp.Infix in Exp.mod (state * I 31 + x + i, I 1009) end) 7 s);
          check (fn (r, l) => position (fn x => x mod 7 = r mod 7) l, fn (i, s) =>
            Inner.findIndex (fn x => Exp.== (Exp.mod (x, Exp.int 7), Exp.mod (i, Exp.int 7))) s);
          check (fn (_, l) => first_ op > l, fn (_, s) => Inner.argmax Exp.< s);
          check (fn (_, l) => first_ op < l, fn (_, s) => Inner.argmin Exp.< s);
          check (fn (r, l) => flagged (ascends op < (coarsely r l)) + 2 * flagged (ascends op > (coarsely r l)), fn (i, s) =>
            Exp.+ (flag (Inner.isSorted Exp.< (coarse i s)), Exp.* (Exp.int 2, flag (Inner.isSorted Exp.> (coarse i s)))));
          positions (fn (r, l) => flagged (coarsely r l = List.rev (coarsely r l)), fn (i, s) =>
            flag (Inner.equal Exp.== (coarse i s, Inner.rev (coarse i s))));
          positions (fn (r, l) => flagged (r = List.length l), fn (i, s) => flag (Inner.equal (fn _ => Exp.B true) (s, part i)));
          positions (fn (r, l) => sign (List.collate Int.compare (coarsely r l, coarsely r (prefix r))), fn (i, s) =>
            Inner.collate Exp.< (coarse i s, coarse i (part i)));
          positions (fn (_, l) => sign (List.collate (fn (x, y) => Int.compare (y, x)) (l, List.rev l)), fn (_, s) =>
            Inner.collate Exp.> (s, Inner.rev s))
        end
    in
      test "functions of rows" (fn () => both (false, #2, #2));
      test "functions of views of rows" (fn () =>
        both (false, fn (i, s) => Inner.rev (Inner.map (fn x => Exp.- (x, i)) s), fn (r, l) => List.rev (List.map (fn x => x - r) l)));
      test "functions of filtered rows" (fn () =>
        both (true, fn (_, s) => Inner.filter (fn x => Exp.> (x, Exp.int ~10)) s, fn (_, l) => List.filter (fn x => x > ~10) l));
      test "a partner of another length" (fn () =>
        (ints ([0, 1, 6, 9, 9, 11], Seq.toList (Seq.tabulate (fn i =>
           let val row = Inner.take (Inner.seq (IntSeq.fromList [4, ~1, 7, 2, 9])) i
           in Inner.length (Inner.range (Inner.min row, Exp.+ (Inner.max row, Exp.int 1))) end) 6));
         subscript (fn () => Seq.toList (Seq.tabulate (fn i => Inner.dot (part (Exp.+ (i, Exp.int 1)), part i)) 3));
         subscript (fn () => Seq.toList (Seq.tabulate (fn i => Inner.dot (part i, part (Exp.+ (i, Exp.int 1)))) 3));
         subscript (fn () => Seq.toList (Seq.tabulate (fn i => Inner.sum (Inner.update (part i, (i, i)))) 3))))
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

  fun run () = (rows (); elements (); functions (); types (); errors ())
end
