(* The constructs of lambdas. ValueTests has the values of operations. *)
structure ExpressionTests =
struct
  open Check

  val someInts = [7, ~7, 0, 1, ~1, 12, 1000]
  val otherInts = [3, 3, 5, ~2, ~1, ~5, 0]
  fun orZero f (x, 0) = 0
    | orZero f (x, y) = f (x, y)

  fun logic () =
    (test "div and mod as in the Basis" (fn () =>
       let val (s, t) = (IntSeq.fromList someInts, IntSeq.fromList otherInts)
       in
         ints (ListPair.map (orZero (op div)) (someInts, otherInts), Seq.toList (Seq.zipWith Exp.div (s, t)));
         ints (ListPair.map (orZero (op mod)) (someInts, otherInts), Seq.toList (Seq.zipWith Exp.mod (s, t)))
       end);
     test ">> of a signed number copies the sign" (fn () =>
       list Int32.toString ([~4], Seq.toList (Seq.map (fn x => Exp.>> (x, Exp.const Type.int32 1)) (Int32Seq.fromList [~8]))));
     test "&&, ||, not" (fn () =>
       let
         val (s, t) = (BoolSeq.fromList [true, true, false, false], BoolSeq.fromList [true, false, true, false])
         fun bools (expected, f) = list Bool.toString (expected, Seq.toList (Seq.zipWith f (s, t)))
       in
         bools ([true, false, false, false], Exp.&&);
         bools ([true, true, true, false], Exp.||);
         bools ([false, false, true, true], fn (x, _) => Exp.not x)
       end);
     test "cond of tuples" (fn () =>
       let
         fun order p =
           let val (x, y) = Exp.unpair p
           in Exp.cond (Exp.<= (x, y), p, Exp.pair (y, x)) end
       in
         list (Type.show (Type.pair (Type.int, Type.int))) ([(1, 2), (3, 4)],
           Seq.toList (Seq.map order (IntPairSeq.fromList [(2, 1), (3, 4)])))
       end))

  (* ---- casts, captures, loops, sharing *)

  fun casts () =
    (test "cast" (fn () =>
       let val s = RealSeq.fromList [1.9, ~1.9, 300.0, 0.0 / 0.0]
       in
         ints ([1, ~1, 300, 0], Seq.toList (Seq.map (Exp.cast Type.int) s));
         list Word8.toString ([0w1, 0w0, 0w255, 0w0], Seq.toList (Seq.map (Exp.cast Type.word8) s));
         list Bool.toString ([true, false], Seq.toList (Seq.map (Exp.cast Type.bool) (IntSeq.fromList [5, 0])));
         reals ([0.25], List.map Single.toReal (Seq.toList (Seq.map (Exp.cast Type.single) (RealSeq.fromList [0.25]))))
       end);
     test "constants of every type" (fn () =>
       let
         fun one show ty x = list show ([x], Seq.toList (Seq.tabulate (fn _ => Exp.const ty x) 1))
       in
         one Int.toString Type.int (Option.valOf Int.minInt);
         one Int32.toString Type.int32 ~2147483648;
         one Word32.toString Type.word32 0wxffffffff;
         one Word64.toString Type.word64 0wxffffffffffffffff;
         one Word8.toString Type.word8 0wxff;
         one Bool.toString Type.bool true;
         List.app (fn x => reals ([x], Seq.toList (Seq.tabulate (fn _ => Exp.real x) 1)))
           [0.1, ~1E~300, 4.9E~324, 1.7976931348623157E308, Real.posInf, Real.negInf, 0.0 / 0.0];
         holds "-0 keeps its sign" (Real.signBit (List.hd (Seq.toList (Seq.tabulate (fn _ => Exp.real ~0.0) 1))))
       end))

  fun captures () =
    (test "a captured sequence" (fn () =>
       let
         val s = IntSeq.fromList [1, 2, 3, 2, 1]
         val isPalindrome =
           Seq.reduce Lambdas.both true
             (Seq.tabulate (fn i => Exp.== (Exp.at (s, i), Exp.at (s, Exp.- (Exp.- (Exp.length s, Exp.int 1), i)))) 5)
       in
         bool (true, isPalindrome)
       end);
     test "captured tuples and numbers" (fn () =>
       let
         val s = Seq.zip (IntSeq.fromList [1, 2], RealSeq.fromList [0.5, 1.5])
         val k = 10
         fun f i = let val (n, x) = Exp.unpair (Exp.at (s, i)) in Exp.+ (Exp.cast Type.real (Exp.+ (n, Exp.int k)), x) end
       in
         reals ([11.5, 13.5], Seq.toList (Seq.tabulate f 2))
       end);
     test "an index that is not chosen does not count" (fn () =>
       let val s = IntSeq.fromList [5, 6]
       in
         ints ([5, 6, 0], Seq.toList (Seq.tabulate (fn i => Exp.cond (Exp.< (i, Exp.int 2), Exp.at (s, i), Exp.int 0)) 3));
         subscript (fn () => Seq.toList (Seq.tabulate (fn i => Exp.at (s, i)) 3))
       end))

  fun collatz n =
    let
      fun next p =
        let val (n, k) = Exp.unpair p
        in
          Exp.pair
            (Exp.cond (Lambdas.is_even n, Exp.quot (n, Exp.int 2), Exp.+ (Exp.* (Exp.int 3, n), Exp.int 1)), Exp.+ (k, Exp.int 1))
        end
      fun continue p = Exp.<> (#1 (Exp.unpair p), Exp.int 1)
    in
      #2 (Exp.unpair (Exp.loop {start = Exp.pair (n, Exp.int 0), continue = continue, next = next}))
    end
  (* sums over j < i of sums over k < j of 1 *)
  fun nested i =
    let
      fun below n term =
        #2 (Exp.unpair (Exp.loop
          {start = Exp.pair (Exp.int 0, Exp.int 0), continue = fn p => Exp.< (#1 (Exp.unpair p), n),
           next = fn p => let val (j, sum) = Exp.unpair p in Exp.pair (Exp.+ (j, Exp.int 1), Exp.+ (sum, term j)) end}))
    in
      below i (fn j => below j (fn _ => Exp.int 1))
    end

  fun loops () =
    (test "a loop" (fn () =>
       ints ([0, 1, 7, 2, 5, 8, 16], Seq.toList (Seq.tabulate (fn i => collatz (Exp.+ (i, Exp.int 1))) 7)));
     test "a loop in a loop" (fn () => ints ([0, 0, 1, 3, 6, 10], Seq.toList (Seq.tabulate nested 6)));
     test "an index in a loop that ends at once does not count" (fn () =>
       let
         val s = IntSeq.fromList [1, 2, 3]
         (* the element is used twice, and its index does not depend on the loop *)
         fun f x =
           Exp.loop {start = Exp.int 0, continue = fn k => Exp.< (k, Exp.- (Exp.int 3, x)),
                     next = fn k => let val e = Exp.at (s, x) in Exp.+ (k, Exp.* (e, e)) end}
       in
         ints ([3, 4, 0, 0], Seq.toList (Seq.map f (IntSeq.fromList [0, 1, 3, 7])))
       end);
     test "terms shared inside and outside of a loop" (fn () =>
       let
         (* (x + 1)^2 is used before, in and after the loop; in the loop y + 1 is used twice *)
         fun f x =
           let
             val square = Exp.* (Exp.+ (x, Exp.int 1), Exp.+ (x, Exp.int 1))
             val y =
               Exp.loop {start = square, continue = fn y => Exp.< (y, Exp.* (square, Exp.int 10)),
                         next = fn y => let val z = Exp.+ (y, Exp.int 1) in Exp.+ (Exp.+ (z, z), square) end}
           in
             Exp.+ (y, square)
           end
         fun expected x =
           let
             val square = (x + 1) * (x + 1)
             fun go y = if y < square * 10 then go (2 * (y + 1) + square) else y
           in
             go square + square
           end
       in
         ints (List.tabulate (9, expected), Seq.toList (Seq.tabulate f 9))
       end);
     test "shared terms are written once" (fn () =>
       let fun doubled (x, 0) = x
             | doubled (x, k) = doubled (Exp.+ (x, x), k - 1)
       in
         (* 2^60 uses of x *)
         list Word64.toString
           ([0wx1000000000000000], Seq.toList (Seq.map (fn x => doubled (x, 60)) (Word64Seq.fromList [0w1])))
       end);
     test "a chain of 20000 operations" (fn () =>
       let fun more (x, 0) = x
             | more (x, k) = more (Exp.xorb (Exp.+ (x, Exp.int k), Exp.int 1), k - 1)
           fun expected (x, 0) = x
             | expected (x, k) = let val y = x + k in expected (if y mod 2 = 0 then y + 1 else y - 1, k - 1) end
       in
         (* on the CPU: a GPU's compiler would take minutes *)
         Context.within (Context.create "cpu") (fn () =>
           ints ([expected (3, 10000)], Seq.toList (Seq.map (fn x => more (x, 10000)) (IntSeq.fromList [3]))))
       end);
     test "pairs taken apart and put together again 30 times" (fn () =>
       let
         fun step p = let val (a, b) = Exp.unpair p in Exp.pair (b, Exp.+ (a, b)) end
         fun steps (p, 0) = p
           | steps (p, k) = steps (step p, k - 1)
       in
         list (Type.show (Type.pair (Type.int, Type.int))) ([(832040, 1346269)],
           Seq.toList (Seq.map (fn p => steps (p, 30)) (IntPairSeq.fromList [(0, 1)])))
       end))

  (* Infix operators; the operators of the Basis are still accessible. *)
  infix 5 << >>
  infix 4 ==
  infix 3 &&
  infix 2 ||
  fun operators () =
    (test "operators of one open" (fn () =>
       let
         fun f x =
           let open Exp in cond (x > I 2 && x < I 9 || x == I 0, x * x - I 1, (x << I 1) div I 3) end
         fun onHost x = if x > 2 andalso x < 9 orelse x = 0 then x * x - 1 else 2 * x div 3
         val xs = List.tabulate (1007, fn i => i - 20)
       in
         ints (List.map onHost xs, Seq.toList (Seq.map f (IntSeq.fromList xs)))
       end);
     test "Exp.Infix beside the host's arithmetic" (fn () =>
       let
         fun power (_, 0) = Exp.R 1.0
           | power (x, k) = let open Exp.Infix in x * power (x, Int.- (k, 1)) end
         fun f x = let open Exp.Infix in power (x, 3) / R 2.0 + ~ (abs ~1.0 * x) end
         and abs x = Exp.real (Real.abs x)
       in
         reals ([~0.5, 2.0], Seq.toList (Seq.map f (RealSeq.fromList [1.0, 2.0])))
       end);
     test "the left operand of && and || guards the right one" (fn () =>
       let
         val s = IntSeq.fromList [0, 1, 2, 7]
         fun bools f = Seq.toList (Seq.map f s)
       in
         list Bool.toString ([false, true, true, false], bools (fn i => let open Exp in i < length s && at (s, i) > I 0 end));
         list Bool.toString ([false, true, true, true], bools (fn i => let open Exp in i >= length s || at (s, i) > I 0 end));
         subscript (fn () => bools (fn i => let open Exp in at (s, i) > I 0 && i < length s end))
       end);
     test "logic has the order of the source in the written form" (fn () =>
       let
         val s = IntSeq.fromList [0, 1, 2]
         fun written f = Seq.explain [Seq.any (Seq.map f s)]
       in
         contains ("(or (lt ", written (fn i => let open Exp in i < I 1 || i > I 2 end))
       end))

  fun run () = (logic (); casts (); captures (); loops (); operators ())
end
