(* 15-210's SEQUENCE: each function next to its definition on lists, and the laws that define it. *)
structure TheSignature : SEQUENCE = Seq
structure TheFusedFunctions : EXTRA = Seq

structure SequenceTests =
struct
  open Check Seq

  val n = 100007
  val lengths = [0, 1, 2, 7, n]
  fun noise n = List.tabulate (n, fn i => (i mod 40009 * 7919 + i mod 1013 * (i mod 1013)) mod 2003 - 1001)
  fun numbers n = IntSeq.fromList (noise n)
  fun enumerated l = ListPair.zip (List.tabulate (List.length l, fn i => i), l)
  val pairType = Type.pair (Type.int, Type.int)
  val pairs = Check.list (Type.show pairType)
  fun first p = #1 (Exp.unpair p)
  fun second p = #2 (Exp.unpair p)
  fun forAll test = List.app (fn n => test (noise n, numbers n)) lengths
  fun odd x = Exp.== (Exp.andb (x, Exp.I 1), Exp.I 1)
  fun isOdd x = x mod 2 = 1
  fun range call = raises "Range" (fn Range => true | _ => false) call
  fun tens (x, y) = Exp.< (Exp.div (x, Exp.I 10), Exp.div (y, Exp.I 10))

  fun making () =
    (test "empty, singleton, $, %" (fn () =>
       (ints ([], toList (empty Type.int));
        ints ([7], toList (singleton Type.int 7));
        pairs ([(7, 8)], toList ($ pairType (7, 8)));
        ints ([3, 1, 2], toList (% Type.int [3, 1, 2]));
        ints ([3, 1, 2], toList (IntSeq.% [3, 1, 2]));
        string ("<(1,2),(3,4)>", toString (Type.show pairType) (% pairType [(1, 2), (3, 4)]))));
     test "exceptions are those of the Basis" (fn () =>
       (range (fn () => nth (numbers 7) 7);
        subscript (fn () => nth (numbers 7) ~1);
        raises "Size" (fn Seq.Size => true | _ => false) (fn () => tabulate (fn i => i) ~1);
        Check.size (fn () => iota ~1)));
     test "iota, enum, enumerate" (fn () =>
       (ints (List.tabulate (n, fn i => i), toList (iota n));
        forAll (fn (l, s) =>
          (pairs (enumerated l, toList (enum s));
           pairs (enumerated (List.filter isOdd l), toList (enumerate (filter odd s)))))));
     test "mapIdx, filterIdx" (fn () =>
       forAll (fn (l, s) =>
         let fun kept (i, x) = x > i mod 100
         in
           ints (List.map (fn (i, x) => 3 * i - x) (enumerated l), toList (mapIdx (fn (i, x) => Exp.- (Exp.* (Exp.I 3, i), x)) s));
           ints (List.map #2 (List.filter kept (enumerated l)),
                 toList (filterIdx (fn (i, x) => Exp.> (x, Exp.mod (i, Exp.I 100))) s));
           pairs (List.filter kept (enumerated l),
                  toList (filterIdx (fn (i, p) => Exp.> (second p, Exp.mod (i, Exp.I 100))) (enum s)))
         end));
     test "zip and zipWith, to the shorter length" (fn () =>
       let val (a, b) = (numbers n, numbers 70001)
       in
         int (70001, length (zip (a, b)));
         pairs (ListPair.zip (noise n, noise 70001), toList (zip (b, a)));
         ints (ListPair.map op - (noise 7, noise n), toList (zipWith Exp.- (numbers 7, numbers n)));
         ints (ListPair.map op + (List.filter isOdd (noise n), noise 70001), toList (zipWith Exp.+ (filter odd a, b)));
         ints (List.map (fn x => 2 * x) (List.filter isOdd (noise n)),
               let val s = filter odd a in toList (zipWith Exp.+ (s, s)) end);
         int (0, length (zip (a, empty Type.real)))
       end);
     test "update" (fn () =>
       (ints (List.map (fn (i, x) => if i = 70001 then ~5 else x) (enumerated (noise n)), toList (update (numbers n, (70001, ~5))));
        pairs ([(0, 5), (9, 8), (2, 7)], toList (update (% pairType [(0, 5), (1, 6), (2, 7)], (1, (9, 8)))));
        range (fn () => update (numbers 7, (7, 0)));
        range (fn () => update (empty Type.int, (0, 0)));
        contains ("Seq.update: i is ~1", (ignore (update (numbers 7, (~1, 0))) handle Range => (); Warpfold.lastMessage ())))))

  fun parts () =
    (test "splitHead and splitMid" (fn () =>
       let
         fun ofView NIL = [] | ofView (CONS (x, rest)) = x :: ofView (splitHead rest)
         fun leaves EMPTY = [] | leaves (ONE x) = [x] | leaves (PAIR (l, r)) = leaves (splitMid l) @ leaves (splitMid r)
       in
         ints (noise 12, ofView (splitHead (numbers 12)));
         ints (noise 13, leaves (splitMid (numbers 13)));
         case splitMid (numbers n) of
           PAIR (l, r) => (int (n div 2, length l); ints (noise n, toList (append (l, r))))
         | _ => raise Failed "no pair";
         case splitHead (enum (numbers n)) of
           CONS ((0, ~1001), rest) => int (n - 1, length rest)
         | _ => raise Failed "no head"
       end);
     test "partition, rotate, interleave" (fn () =>
       (forAll (fn (l, s) =>
          let val (odds, evens) = partition odd s
          in ints (List.filter isOdd l, toList odds); ints (List.filter (not o isOdd) l, toList evens) end);
        forAll (fn (l, s) => ints (l, toList (rotate (rotate s 3) ~3)));
        ints ([3, 4, 0, 1, 2], toList (rotate (iota 5) 13));
        ints ([0, 9, 1, 8, 2, 7], toList (interleave (iota 3, IntSeq.% [9, 8, 7])));
        size (fn () => interleave (iota 3, IntSeq.% [9, 8, 7, 6]));
        ints (List.concat (List.map (fn x => [x, ~x]) (noise n)), toList (interleave (numbers n, map Exp.~ (numbers n)))))))

  (* f (b, x) = 3 b + x modulo 1009: neither associative nor commutative *)
  fun step (b, x) = Exp.mod (Exp.+ (Exp.* (Exp.I 3, b), x), Exp.I 1009)
  fun hostStep (b, x) = (3 * b + x) mod 1009
  fun states (b, l) = List.rev (List.foldl (fn (x, states) => hostStep (List.hd states, x) :: states) [b] l)

  fun iterations () =
    (test "iterate" (fn () =>
       (forAll (fn (l, s) => int (List.last (states (5, l)), iterate Type.int step 5 s));
        int (List.last (states (5, List.filter isOdd (noise n))), iterate Type.int step 5 (filter odd (numbers n)));
        (* the state has another type than the elements *)
        let val (count, last) = iterate (Type.pair (Type.real, Type.int))
              (fn (b, x) => Exp.pair (Exp.+ (first b, Exp.R 0.5), x)) (0.0, ~1) (map Lambdas.double (numbers n))
        in reals ([0.5 * Real.fromInt n], [count]); int (2 * List.last (noise n), last) end));
     test "iteratePrefixes, iteratePrefixesIncl" (fn () =>
       List.app
         (fn n =>
            let
              val (l, s) = (noise n, numbers n)
              val all = states (5, l)
              val (prefixes, last) = iteratePrefixes Type.int step 5 s
            in
              ints (List.take (all, n), toList prefixes);
              int (List.last all, last);
              ints (List.tl all, toList (iteratePrefixesIncl Type.int step 5 s))
            end)
         [0, 1, 2, 3, 4, 5, 8, 1023, 1024, 1025, n]);
     test "iteratePrefixes with a captured sequence and a state of two columns" (fn () =>
       let
         val weights = IntSeq.fromList (List.tabulate (1009, fn i => i * i mod 31))
         fun next (state, x) =
           let val (sum, count) = Exp.unpair state
           in Exp.pair (Exp.mod (Exp.+ (Exp.+ (sum, sum), Exp.* (x, Exp.at (weights, sum))), Exp.I 1009), Exp.+ (count, Exp.R 1.0)) end
         fun hostNext (x, (sum, count)) = ((2 * sum + x * (sum * sum mod 31)) mod 1009, count + 1.0)
         val (prefixes, (sum, count)) = iteratePrefixes (Type.pair (Type.int, Type.real)) next (5, 0.0) (numbers n)
         val states = List.rev (List.foldl (fn (x, l) => hostNext (x, List.hd l) :: l) [(5, 0.0)] (noise n))
       in
         ints (List.map #1 (List.take (states, n)), toList (#1 (unzip prefixes)));
         reals (List.map #2 (List.take (states, n)), toList (#2 (unzip prefixes)));
         int (#1 (List.last states), sum);
         reals ([Real.fromInt n], [count])
       end))

  fun orders () =
    (test "equal" (fn () =>
       forAll (fn (_, s) =>
         (bool (true, equal Exp.== (s, s));
          bool (length s = 0, equal Exp.== (s, take (append (s, s)) (length s div 2)));
          if length s = 0 then () else bool (false, equal Exp.== (s, update (s, (length s - 1, 5000)))))));
     test "collate is lexicographic" (fn () =>
       let
         fun compare (a, b) = collate Exp.< (IntSeq.% a, IntSeq.% b)
         fun are (expected, pair) = bool (true, compare pair = expected)
         val s = numbers n
       in
         List.app are
           [(EQUAL, ([], [])), (LESS, ([], [1])), (GREATER, ([1], [])), (LESS, ([1, 2], [1, 2, 0])), (GREATER, ([1, 3], [1, 2, 9])),
            (LESS, ([1, 2, 9], [1, 3])), (EQUAL, ([4, 4], [4, 4]))];
         List.app (fn (a, b) => are (List.collate Int.compare (a, b), (a, b)))
           (List.tabulate (40, fn k => (noise (k mod 7), List.drop (noise (k mod 5 + k mod 3), k mod 3))));
         bool (true, collate Exp.< (s, s) = EQUAL);
         bool (true, collate Exp.< (update (s, (100001, 5000)), s) = GREATER);
         bool (true, collate Exp.< (update (s, (100001, ~5000)), s) = LESS);
         bool (true, collate Exp.< (take s (n - 1), s) = LESS)
       end);
     test "argmax and argmin: the first of equals; Range" (fn () =>
       (forAll (fn (l, s) =>
          if List.null l then (range (fn () => argmax Exp.< s); range (fn () => argmin Exp.< s))
          else
            let
              fun hostArg better l =
                #1 (List.foldl (fn ((i, x), (j, y)) => if better (x, y) then (i, x) else (j, y)) (0, List.hd l) (enumerated l))
            in
              int (hostArg op > l, argmax Exp.< s);
              int (hostArg op < l, argmin Exp.< s);
              int (hostArg (fn (x, y) => x div 10 > y div 10) l, argmax tens s);
              int (hostArg (fn ((_, x), (_, y)) => x > y) (enumerated l), argmax (fn (p, q) => Exp.< (second p, second q)) (enum s))
            end);
        range (fn () => argmax Exp.< (filter (fn _ => Exp.B false) (numbers n)))));
     test "sort is a stable permutation; merge of sorted halves is sort" (fn () =>
       forAll (fn (_, s) =>
         let
           val sorted = sort (fn (p, q) => tens (second p, second q)) (enum s)
           val (positions, values) = unzip sorted
           fun inOrder ((i, x), (j, y)) = x div 10 < y div 10 orelse x div 10 = y div 10 andalso i < j
           fun areInOrder (a :: (l as b :: _)) = inOrder (a, b) andalso areInOrder l
             | areInOrder _ = true
           val half = length s div 2
         in
           holds "in order, equal elements by their positions" (areInOrder (toList sorted));
           ints (List.tabulate (length s, fn i => i), toList (ascending positions));
           bool (true, equal Exp.== (values, map (fn i => Exp.at (s, i)) positions));
           ints (toList (sort Exp.< s), toList (merge Exp.< (sort Exp.< (take s half), sort Exp.< (drop s half))))
         end)))

  fun laws () =
    (test "scan's last is reduce" (fn () =>
       forAll (fn (_, s) =>
         let val (prefixes, total) = scan Exp.+ 0 s
         in
           int (reduce Exp.+ 0 s, total);
           let val k = Int.min (1, length s)
           in ints (toList (scanIncl Exp.+ 0 s), toList (append (drop prefixes k, take (singleton Type.int total) k))) end
         end));
     test "rev, append, take, drop" (fn () =>
       forAll (fn (l, s) =>
         (ints (l, toList (rev (rev s)));
          ints (List.rev l @ l, toList (append (rev s, s)));
          ints (l, toList (append (take s (length s div 3), drop s (length s div 3)))))));
     test "the fused functions" (fn () =>
       forAll (fn (_, s) =>
         let
           fun square x = Exp.* (x, x)
           fun same (a, b) = bool (true, equal Exp.== (a, b))
           val (p, total) = mapScan square Exp.+ 0 s
           val (q, total') = scan Exp.+ 0 (map square s)
           val ordered = sort (fn (x, y) => Exp.< (square x, square y)) s
         in
           int (reduce Exp.+ 0 (map square s), mapReduce square Exp.+ 0 s);
           same (p, q);
           int (total, total');
           same (scanIncl Exp.max 0 (map square s), mapScanIncl square Exp.max 0 s);
           same (filter odd (map square s), mapFilter square odd s);
           same (filterIdx (odd o #1) (mapIdx Exp.+ s), mapFilterIdx Exp.+ (odd o #1) s);
           same (merge Exp.< (map square ordered, map square ordered), mapMerge square Exp.< (ordered, ordered))
         end));
     test "fusion: one kernel" (fn () =>
       let
         val s = numbers n
         val sum = Scalar.reduce Exp.+ 0 (mapIdx Exp.* (zipWith (fn (x, p) => Exp.+ (x, first p)) (s, update (enum s, (3, (1, 2))))))
       in
         contains ("1 kernel\n", Seq.explain [Scalar.any sum])
       end))

  fun run () = (making (); parts (); iterations (); orders (); laws ())
end
