(* Results of the example programs, next to the same on lists. *)
structure ProgramTests =
struct
  open Check

  fun text s = Word8Seq.fromList (List.map Byte.charToByte (String.explode s))
  fun readFile path =
    let val file = TextIO.openIn path
    in TextIO.inputAll file before TextIO.closeIn file end

  (* The words of a text, with their numbers, by merging equal neighbours of the sorted list. *)
  fun wordCounts text =
    let
      val words = List.map (String.map Char.toLower) (String.tokens (not o Char.isAlpha) text)
      fun split (a :: b :: l) = let val (l, r) = split l in (a :: l, b :: r) end
        | split l = (l, [])
      fun merge ([], r) = r
        | merge (l, []) = l
        | merge ((a, i) :: l, (b, j) :: r) =
            case String.compare (a, b) of
              EQUAL => (a, i + j) :: merge (l, r)
            | LESS => (a, i) :: merge (l, (b, j) :: r)
            | GREATER => (b, j) :: merge ((a, i) :: l, r)
      fun sort [] = [] | sort [w] = [(w, 1)]
        | sort words = let val (l, r) = split words in merge (sort l, sort r) end
    in
      sort words
    end

  fun big f (a, b) = BigNumbers.toString (f (BigNumbers.fromString a, BigNumbers.fromString b))
  fun large k n = "9" ^ String.implode (List.tabulate (n, fn i => Char.chr (48 + i * k mod 10)))
  fun onHost f (a, b) = IntInf.toString (f (Option.valOf (IntInf.fromString a), Option.valOf (IntInf.fromString b)))
  fun close (x, y) = Real.abs (x - y) <= 1E~9 * Real.max (1.0, Real.abs x)
  fun areClose (expected, actual) =
    holds ("close: " ^ listOf Real.toString expected ^ " and " ^ listOf Real.toString actual) (ListPair.allEq close (expected, actual))

  fun run () =
    (test "primes" (fn () =>
       (ints ([2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47], Seq.toList (Primes.below 50));
        List.app (fn (n, count) => int (count, Seq.length (Primes.below n))) [(0, 0), (2, 0), (3, 1), (4, 2), (10000, 1229), (1000000, 78498)]));
     test "word_counts" (fn () =>
       let
         val content = readFile (OS.Path.concat (Option.getOpt (OS.Process.getEnv "WARPFOLD_SML", "."), "README.md"))
         val expected = wordCounts content
         val actual = WordCounts.top 100000 (text content)
         fun find word = Option.map #2 (List.find (fn (w, _) => w = word) actual)
       in
         int (List.length expected, List.length actual);
         List.app (fn (word, k) => bool (true, find word = SOME k)) expected;
         ints (List.map #2 actual, Seq.toList (Seq.descending (IntSeq.fromList (List.map #2 actual))));
         list (fn (w, k) => w ^ " " ^ Int.toString k) ([("the", 3)], WordCounts.top 1 (text "The cat, the dog; THE end."));
         int (0, List.length (WordCounts.top 3 (text " 12 ")))
       end);
     test "sorts" (fn () =>
       List.app
         (fn n =>
            let val s = Sorts.noise n
                fun same t = bool (true, Seq.equal Exp.== (Seq.ascending s, t))
            in same (Sorts.quicksort 100 Exp.< s); same (Sorts.samplesort 16 Exp.< s) end)
         [0, 1, 127, 128, 20011]);
     test "sparse_product" (fn () =>
       let
         val n = 10007
         fun row i = List.tabulate (i mod 8, fn k => Real.fromInt (i + k + 1) * Real.fromInt ((7 * i + 13 * k) mod n))
       in
         areClose (List.tabulate (n, fn i => List.foldl op + 0.0 (row i)),
                   Seq.toList (Sparse.times (Sparse.example n) (Seq.map (Exp.cast Type.real) (Seq.iota n))))
       end);
     test "n_body" (fn () =>
       let
         val two = Seq.fromList (Seq.typeOf (NBody.example 1)) [((0.0, 0.0, 0.0), (0.0, 0.0, 0.0)), ((2.0, 0.0, 0.0), (0.0, 0.0, 0.0))]
         val moved = List.map (#1 o #2) (Seq.toList (NBody.step 0.5 two))
         val (x, y, z) = NBody.momentum (NBody.step 0.01 (NBody.example 500))
       in
         holds "each is pulled by a quarter" (ListPair.all (fn (a, b) => Real.abs (a - b) < 1E~6) ([0.125, ~0.125], moved));
         holds "the momentum is 0" (List.all (fn p => Real.abs p < 1E~6) [x, y, z])
       end);
     test "run_lengths" (fn () =>
       let
         fun decoded s = Seq.toList (RunLengths.decode (RunLengths.encode s))
         fun both l = list Word8.toString (l, decoded (Word8Seq.fromList l))
       in
         list (fn (n, b) => Word8.toString n ^ Word8.toString b) ([(0w3, 0w7), (0w1, 0w0), (0w2, 0w7)],
           Seq.toList (RunLengths.encode (Word8Seq.% [0w7, 0w7, 0w7, 0w0, 0w7, 0w7])));
         ints ([255, 255, 90, 1], List.map (Word8.toInt o #1)
           (Seq.toList (RunLengths.encode (Word8Seq.fromList (List.tabulate (601, fn i => if i < 600 then 0w1 else 0w2))))));
         both [];
         both (List.tabulate (100007, fn i => Word8.fromInt (i div 300 mod 3)))
       end);
     test "moving_average" (fn () =>
       (reals ([2.0, 3.0], Seq.toList (MovingAverage.byWindows 3 (RealSeq.% [1.0, 2.0, 3.0, 4.0])));
        reals ([], Seq.toList (MovingAverage.byPrefixes 3 (RealSeq.% [1.0])));
        let val s = MovingAverage.example 20011
        in areClose (Seq.toList (MovingAverage.byWindows 64 s), Seq.toList (MovingAverage.byPrefixes 64 s)) end));
     test "big_numbers" (fn () =>
       List.app
         (fn pair =>
            (string (onHost IntInf.+ pair, big BigNumbers.add pair); string (onHost IntInf.* pair, big BigNumbers.multiply pair)))
         [("0", "0"), ("1", "9"), ("99999", "1"), ("5000", "4999"), ("123456789", "987654321"), (large 7 1000, large 3 900)]);
     test "page_rank" (fn () =>
       let
         val n = 1009
         val links = PageRank.example n
         val host = Array.fromList (List.map Seq.toList (Seq.toList links))
         fun step ranks =
           let
             val next = Array.array (n, 0.0)
             val lost = ref 0.0
             fun pass (i, []) = lost := !lost + Array.sub (ranks, i)
               | pass (i, targets) =
                   List.app (fn j => Array.update (next, j, Array.sub (next, j) + Array.sub (ranks, i) / Real.fromInt (List.length targets))) targets
           in
             Array.appi pass host;
             Array.modify (fn r => (1.0 - 0.85 + 0.85 * !lost) / Real.fromInt n + 0.85 * r) next;
             next
           end
         fun iterate (ranks, 0) = ranks
           | iterate (ranks, k) = iterate (step ranks, k - 1)
       in
         areClose (Array.foldr (op ::) [] (iterate (Array.array (n, 1.0 / Real.fromInt n), 150)), Seq.toList (PageRank.ranks links));
         areClose ([1.0], [Numbers.sum (PageRank.ranks (Segments.fromLists Type.int [[1], [2], []]))])
       end);
     test "bfs" (fn () =>
       let
         val edges = Bfs.edges (text "0 1\n1 2\n2 3\n 3 0\n5 4\n2 2\n")
         val n = 2003
         (* A ring with chords of 50 *)
         val ring = Seq.append (Seq.map (fn i => Exp.pair (i, Exp.mod (Exp.+ (i, Exp.I 1), Exp.I n))) (Seq.iota n),
                                Seq.map (fn i => Exp.pair (i, Exp.mod (Exp.+ (i, Exp.I 50), Exp.I n))) (Seq.iota n))
         fun relax d =
           let
             val d' = Array.tabulate (n, fn i => Array.sub (d, i))
             fun edge (i, j) = (Array.update (d', j, Int.min (Array.sub (d', j), Array.sub (d, i) + 1));
                                Array.update (d', i, Int.min (Array.sub (d', i), Array.sub (d, j) + 1)))
             val () = Array.appi (fn (i, _) => (edge (i, (i + 1) mod n); edge (i, (i + 50) mod n))) d
           in
             if Array.all (fn x => x) (Array.tabulate (n, fn i => Array.sub (d, i) = Array.sub (d', i))) then d else relax d'
           end
       in
         ints ([0, 1, 2, 1, ~1, ~1], Seq.toList (Bfs.distances (Bfs.graph 6 edges) 0));
         ints ([~1, ~1, ~1, ~1, 1, 0], Seq.toList (Bfs.distances (Bfs.graph (Bfs.size edges) edges) 5));
         ints (Array.foldr (op ::) [] (relax (Array.tabulate (n, fn i => if i = 7 then 0 else n))),
               Seq.toList (Bfs.distances (Bfs.graph n ring) 7))
       end);
     test "nearest_neighbours" (fn () =>
       let val points = Seq.fromList (Type.pair (Type.real, Type.real)) [(0.0, 0.0), (3.0, 0.0), (1.0, 1.0), (0.5, 0.0), (0.0, 3.0)]
       in
         ints ([0, 3, 2], Nearest.neighbours 3 points (0.1, 0.0));
         ints ([1, 2], Nearest.neighbours 2 points (2.6, 0.2));
         int (5, List.length (Nearest.neighbours 5 (Nearest.example 100007) (0.5, 0.5)))
       end);
     test "autofuse" (fn () =>
       let val s = IntSeq.fromList (List.tabulate (100007, fn i => i mod 7))
           val sum = Autofuse.fused s
           val expected = 128 * List.foldl op + 0 (List.tabulate (100007, fn i => i mod 7))
       in
         contains ("1 kernel\n", Seq.explain [Scalar.any sum]);
         ints ([expected, expected], [Scalar.value sum, Autofuse.stored s])
       end);
     test "convex_hull" (fn () =>
       let
         val point = Type.pair (Type.real, Type.real)
         fun hull l = ConvexHull.hull (Seq.fromList point l)
         val square = [(0.0, 1.0), (1.0, 0.0), (0.5, 0.5), (0.0, 0.0), (1.0, 1.0), (0.25, 0.5), (0.0, 0.5)]
         val points = ConvexHull.example 100007
         val found = ConvexHull.hull points
         fun sides (p :: (l as q :: _)) = (p, q) :: sides l
           | sides _ = []
         fun isRight side r = Exp.<= (ConvexHull.area side r, Exp.R 1E~12)
         val show = listOf (Type.show point)
       in
         string (show [(0.0, 0.0), (0.0, 1.0), (1.0, 1.0), (1.0, 0.0)], show (hull square));
         string ("[]", show (hull []));
         string (show [(2.0, 3.0)], show (hull [(2.0, 3.0), (2.0, 3.0)]));
         string (show [(0.0, 0.0), (2.0, 2.0)], show (hull [(1.0, 1.0), (2.0, 2.0), (0.0, 0.0)]));
         List.app (fn side => bool (true, Search.all (isRight side) points)) (sides (found @ [List.hd found]))
       end);
     test "k_means" (fn () =>
       let
         val lines = "0.5,-1\n10,12.25\n1.5,1\n-2,0\n12,11.75\n-20.125,3\n"
         val points = KMeans.points lines
         val means = Seq.toList (KMeans.means (2, 5) points)
         (* Three clusters of 3000 points each, around the first three *)
         val large = Seq.tabulate (fn i =>
           let val (k, d) = (Exp.mod (i, Exp.I 3), Exp./ (Exp.cast Type.real (Exp.mod (Exp.mod (i, Exp.I 997), Exp.I 7)), Exp.R 70.0))
           in Exp.pair (Exp.+ (Exp.* (Exp.R 10.0, Exp.cast Type.real k), d), Exp.- (Exp.R 1.0, d)) end) 9000
         fun sumOf k = List.foldl (fn (i, s) => s + Real.fromInt (i mod 997 mod 7) / 70.0) 0.0 (List.tabulate (3000, fn j => 3 * j + k))
       in
         areClose ([0.5, ~1.0, 10.0, 12.25, 1.5, 1.0, ~2.0, 0.0, 12.0, 11.75, ~20.125, 3.0],
                   List.concat (List.map (fn (x, y) => [x, y]) (Seq.toList points)));
         areClose ([~5.03125, 0.75, 11.0, 12.0], List.concat (List.map (fn (x, y) => [x, y]) means));
         areClose (List.concat (List.map (fn k => [10.0 * Real.fromInt k + sumOf k / 3000.0, 1.0 - sumOf k / 3000.0]) [0, 1, 2]),
                   List.concat (List.map (fn (x, y) => [x, y]) (Seq.toList (KMeans.means (3, 3) large))))
       end);
     test "equalize" (fn () =>
       let
         val (from, to) = (OS.FileSys.tmpName (), OS.FileSys.tmpName ())
         val pixels = List.tabulate (601, fn i => Char.chr (100 + i * i mod 17))
         val file = BinIO.openOut from
         val () = (BinIO.output (file, Byte.stringToBytes ("P5\n601 1\n255\n" ^ String.implode pixels)); BinIO.closeOut file)
         val () = Equalize.run (from, to)
         fun rank c = List.length (List.filter (fn d => d <= c) pixels)
       in
         string ("P5\n601 1\n255\n" ^ String.implode (List.map (fn c => Char.chr (rank c * 255 div 601)) pixels), readFile to);
         raises "Fail" (fn Fail why => String.isSubstring "not a binary graymap" why | _ => false)
           (fn () => (ignore (Equalize.parts "/dev/null")));
         OS.FileSys.remove from;
         OS.FileSys.remove to
       end);
     test "monte_carlo" (fn () =>
       let
         val key = Random.key 2026
         fun near (right, (found, error)) = holds "an estimate" (Real.abs (found - right) < 4.0 * error)
       in
         holds "Black and Scholes" (Real.abs (MonteCarlo.blackScholes () - 10.69249) < 1E~5);
         near (Math.pi, MonteCarlo.pi (Random.split key 0) 1000000);
         near (MonteCarlo.blackScholes (), MonteCarlo.callOption (Random.split key 1) 1000000)
       end);
     test "particle_filter" (fn () =>
       let val (distance, deviation) = ParticleFilter.distanceFromKalman (100000, 20)
       in
         holds "near Kalman's filter" (distance < 0.01);
         holds "its deviation" (Real.abs (deviation - 0.4537) < 1E~3)
       end);
     test "metropolis" (fn () =>
       let val (mean, variance, rate) = Metropolis.run (Random.key 2026, 20000, 100)
       in
         holds "mean" (Real.abs (mean - 3.0) < 0.08);
         holds "variance" (Real.abs (variance - 3.0) < 0.3);
         holds "rate" (rate > 0.3 andalso rate < 0.7)
       end);
     test "ising" (fn () =>
       (holds "of an infinite square" (Real.abs (Ising.ofInfiniteSquare () - 0.9736) < 1E~4);
        holds "magnetization" (Real.abs (Ising.magnetization (128, 100) - Ising.ofInfiniteSquare ()) < 0.01)));
     test "random_walk" (fn () =>
       let
         val key = Random.key 2026
         val (x, y) = (RandomWalk.walk (Random.split key 0) 500, RandomWalk.walk (Random.split key 1) 500)
         val picture = RandomWalk.picture (x, y)
       in
         contains (RandomWalk.fixed (Seq.nth x 499) ^ "," ^ RandomWalk.fixed (Seq.nth y 499) ^ "\n\"/>\n</svg>\n", picture);
         int (503, List.length (String.fields (fn c => c = #"\n") picture) - 1)
       end))
end
