(* 15-210's SEQUENCE: its exceptions, views, states of several columns, fusion. ValueTests has its values. *)
structure TheSignature : SEQUENCE = Seq
structure TheFusedFunctions : EXTRA = Seq

structure SequenceTests =
struct
  open Check Seq

  val n = 100007
  fun noise n = List.tabulate (n, fn i => (i mod 40009 * 7919 + i mod 1013 * (i mod 1013)) mod 2003 - 1001)
  fun numbers n = IntSeq.fromList (noise n)
  val pairType = Type.pair (Type.int, Type.int)
  val pairs = Check.list (Type.show pairType)
  fun first p = #1 (Exp.unpair p)
  fun odd x = Exp.== (Exp.andb (x, Exp.I 1), Exp.I 1)
  fun isOdd x = x mod 2 = 1
  fun range call = raises "Range" (fn Range => true | _ => false) call

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
     test "zip and zipWith of filters" (fn () =>
       let val a = numbers n
       in
         ints (ListPair.map op + (List.filter isOdd (noise n), noise 70001), toList (zipWith Exp.+ (filter odd a, numbers 70001)));
         ints (List.map (fn x => 2 * x) (List.filter isOdd (noise n)), let val s = filter odd a in toList (zipWith Exp.+ (s, s)) end);
         int (0, length (zip (a, empty Type.real)))
       end);
     test "update" (fn () =>
       (range (fn () => update (numbers 7, (7, 0)));
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
       end))

  fun iterations () =
    (test "iteratePrefixes with a captured sequence and a state of two columns" (fn () =>
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
    (test "argmax and argmin of none: Range" (fn () =>
       (range (fn () => argmax Exp.< (numbers 0));
        range (fn () => argmin Exp.< (numbers 0));
        range (fn () => argmax Exp.< (filter (fn _ => Exp.B false) (numbers n))))))

  fun laws () =
    (test "fusion: one kernel" (fn () =>
       let
         val s = numbers n
         val sum = Scalar.reduce Exp.+ 0 (mapIdx Exp.* (zipWith (fn (x, p) => Exp.+ (x, first p)) (s, update (enum s, (3, (1, 2))))))
       in
         contains ("1 kernel\n", Seq.explain [Scalar.any sum])
       end))

  fun run () = (making (); parts (); iterations (); orders (); laws ())
end
