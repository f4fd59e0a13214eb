(* The library's functions of small lambdas are kept, and found again by their terms. *)
structure TraceTests =
struct
  open Check

  fun run () =
    (test "a trace without end" (fn () =>
       let fun power (x, k) = let open Exp in cond (== (k, int 0), int 1, x * power (x, k - int 1)) end
       in
         warpfold (Warpfold.Argument, "Exp.loop repeats") (fn () => Seq.tabulate (fn i => power (i, i)) 3);
         ints ([0, 1], Seq.toList (Seq.tabulate (fn i => i) 2))
       end);
     test "lambdas that differ in one place, in turns" (fn () =>
       let
         val s = IntPairSeq.fromList [(7, 3), (~40, 1003)]
         fun two f = Seq.toList (Seq.map f s)
         fun operand f = two (fn p => let val (a, b) = Exp.unpair p in f (a, b) end)
         fun onHost f = [f (7, 3), f (~40, 1003)]
         fun round k =
           (ints (onHost (fn (a, b) => a - b + k), operand (fn (a, b) => Exp.+ (Exp.- (a, b), Exp.int k)));
            ints (onHost (fn (a, b) => b - a + k), operand (fn (a, b) => Exp.+ (Exp.- (b, a), Exp.int k)));
            ints (onHost (fn (a, _) => a - a + k), operand (fn (a, _) => Exp.+ (Exp.- (a, a), Exp.int k)));
            ints (onHost (fn (a, b) => (a - b) * k), operand (fn (a, b) => Exp.* (Exp.- (a, b), Exp.int k))))
         val pairs = list (Type.show (Type.pair (Type.int, Type.int)))
       in
         List.app (fn k => (round k; round (k mod 7))) (List.tabulate (700, fn k => 1000 * k));
         pairs ([(7, 3), (~40, 1003)], two (fn p => p));
         pairs ([(3, 7), (1003, ~40)], two (fn p => let val (a, b) = Exp.unpair p in Exp.pair (b, a) end));
         pairs ([(7, 7), (~40, ~40)], two (fn p => let val (a, _) = Exp.unpair p in Exp.pair (a, a) end))
       end);
     test "one lambda over elements of two types" (fn () =>
       let
         fun twice x = Exp.+ (x, x)
       in
         List.app (fn _ =>
           (list Word8.toString ([0wx90], Seq.toList (Seq.map twice (Word8Seq.fromList [0wxc8])));
            ints ([400], Seq.toList (Seq.map twice (IntSeq.fromList [200])));
            reals ([0.5], Seq.toList (Seq.map twice (RealSeq.fromList [0.25]))))) [1, 2]
       end);
     test "chains of 1 to 40 operations, with and without a captured sequence" (fn () =>
       let
         val captured = IntSeq.fromList [5, 11]
         fun chain (n, last) x = if n = 0 then last else Exp.+ (Exp.* (x, Exp.int n), chain (n - 1, last) x)
         fun onHost (n, last) x = if n = 0 then last else x * n + onHost (n - 1, last) x
         fun check n =
           (ints (List.map (onHost (n, n)) [2, 9], Seq.toList (Seq.map (chain (n, Exp.int n)) (IntSeq.fromList [2, 9])));
            ints (List.map (onHost (n, 11)) [2, 9],
                  Seq.toList (Seq.map (chain (n, Exp.at (captured, Exp.int 1))) (IntSeq.fromList [2, 9]))))
       in
         List.app (fn _ => List.app check (List.tabulate (41, fn n => n))) [1, 2]
       end);
     test "an Exp of another lambda is refused in a small one" (fn () =>
       let
         val kept = ref (Exp.int 0)
         val s = IntSeq.fromList [1, 2]
       in
         ignore (Seq.map (fn x => (kept := x; Exp.+ (x, Exp.int 1))) s);
         warpfold (Warpfold.Argument, "Seq.map: an Exp was used outside") (fn () => Seq.map (fn _ => Exp.+ (!kept, Exp.int 1)) s)
       end))
end
