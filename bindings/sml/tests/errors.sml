(* Errors and their messages. *)
structure ErrorTests =
struct
  open Check
  fun three () = IntSeq.fromList [1, 2, 3]

  fun run () =
    (test "a negative length is Size" (fn () =>
       (size (fn () => Seq.tabulate Lambdas.identity ~1);
        contains ("~1", Warpfold.lastMessage ());
        size (fn () => IntSeq.fromFunction Int.abs ~1)));
     test "unequal lengths are Size" (fn () =>
       size (fn () => Seq.zip3 (three (), three (), IntSeq.fromList [1])));
     test "an index outside is Subscript" (fn () =>
       (subscript (fn () => Seq.nth (three ()) 3);
        contains ("3", Warpfold.lastMessage ());
        subscript (fn () => Seq.nth (three ()) ~1);
        subscript (fn () => Seq.take (three ()) 4);
        List.app size [fn () => Seq.take (three ()) ~1, fn () => Seq.drop (three ()) 4, fn () => Seq.subseq (three ()) (1, ~1)];
        contains ("Seq.subseq", Warpfold.lastMessage ());
        subscript (fn () => Seq.drop (three ()) ~1);
        subscript (fn () => Seq.subseq (three ()) (2, 2))));
     test "an operation that does not apply" (fn () =>
       let fun isRefused (text, f, s) = warpfold (Warpfold.Type, text) (fn () => Seq.map f s)
       in
         isRefused ("`sqrt` has an operand of type ", Exp.sqrt, three ());
         isRefused ("`add` has an operand of type bool; expected numbers", Lambdas.double, BoolSeq.fromList [true]);
         isRefused ("`mul` has an operand of type (", fn p => Exp.* (p, p), IntPairSeq.fromList [(1, 2)]);
         isRefused ("(Exp.div and Exp.quot divide integers)", fn x => Exp./ (x, x), three ())
       end);
     test "an Exp outside of its lambda" (fn () =>
       let val kept = ref (Exp.int 0)
       in
         ignore (Seq.map (fn x => (kept := x; x)) (three ()));
         warpfold (Warpfold.Argument, "outside of the function") (fn () => Seq.map (fn x => Exp.+ (x, !kept)) (three ()))
       end);
     test "a loop's Exp outside of its loop" (fn () =>
       let
         fun leaking x =
           let
             val kept = ref x
             val _ = Exp.loop {start = x, continue = fn y => Exp.< (y, x), next = fn y => (kept := y; y)}
           in
             !kept
           end
       in
         warpfold (Warpfold.Argument, "outside of the function") (fn () => Seq.map leaking (three ()))
       end);
     test "an exception in a lambda goes through" (fn () =>
       raises "Fail" (fn Fail "mine" => true | _ => false) (fn () => Seq.map (fn _ => raise Fail "mine") (three ())));
     test "a file that is not there" (fn () =>
       raises "IO.Io"
         (fn IO.Io {name = "/no/such/file", cause = Warpfold.Warpfold {code = Warpfold.Io, ...}, ...} => true | _ => false)
         (fn () => Word8Seq.fromFile "/no/such/file"));
     test "a file of pairs" (fn () => warpfold (Warpfold.Type, "expected a scalar type") (fn () => IntPairSeq.fromFile "/dev/null"));
     test "an unknown context" (fn () => warpfold (Warpfold.Argument, "nonsense") (fn () => Context.create "nonsense"));
     test "a closed context" (fn () =>
       let
         val context = Context.create "cpu"
         val s = Context.within context three
       in
         Context.close context;
         string ("<unusable>", Seq.describe s);
         warpfold (Warpfold.Argument, "closed") (fn () => Seq.toList s)
       end);
     test "sequences of different contexts" (fn () =>
       let val other = Context.within (Context.create "cpu") three
       in warpfold (Warpfold.Argument, "context") (fn () => Seq.zip (three (), other)) end);
     test "release" (fn () =>
       let
         val s = three ()
         val t = Seq.map Lambdas.double s
       in
         Seq.release s;
         Seq.release s;
         ints ([2, 4, 6], Seq.toList t);
         warpfold (Warpfold.Argument, "Seq.toArray: a sequence or scalar was released") (fn () => Seq.toArray s);
         warpfold (Warpfold.Argument, "Seq.toList: a sequence or scalar was released") (fn () => Seq.toList s);
         warpfold (Warpfold.Argument, "Seq.toString: a sequence or scalar was released") (fn () => Seq.toString Int.toString s);
         warpfold (Warpfold.Argument, "Seq.map: a sequence or scalar was released") (fn () => Seq.map Lambdas.double s);
         warpfold (Warpfold.Argument, "Seq.map: a sequence or scalar was released") (fn () =>
           Seq.map (fn x => Exp.at (s, x)) t);
         string ("<released>", Seq.describe s)
       end);
     test "a reader outlives the release of its sequence" (fn () =>
       let
         val n = 1000007
         val s = IntSeq.fromFunction (fn i => 3 * i) n
         val element = Seq.reader s
         val () = Seq.release s
         (* Allocates the memory that would be free now. *)
         val other = IntSeq.fromFunction (fn i => ~1 - i) n
         fun check i = if i >= n then () else (int (3 * i, element i); check (i + 1009))
       in
         check 0;
         int (~n, Seq.nth other (n - 1))
       end);
     test "the length of a filter is computed once" (fn () =>
       let
         val context = Context.create "cpu"
         val kept = Context.within context (fn () => Seq.filter Lambdas.is_even (Seq.tabulate Lambdas.identity 1000007))
       in
         holds "the length is unknown" (not (isSome (Seq.knownLength kept)));
         int (500004, Seq.length kept);
         bool (true, Seq.knownLength kept = SOME 500004);
         Context.failAllocation context 1;
         int (500004, Seq.length kept);
         Context.failAllocation context 0
       end);
     test "messages name the function that was called" (fn () =>
       let
         val s = three ()
         fun names (name, call) = (ignore (call ()) handle _ => (); contains (name ^ ": ", Warpfold.lastMessage ()))
         fun other () = Context.within (Context.create "cpu") three
       in
         names ("Order.topK", fn () => Order.topK ~1 s);
         contains ("expected 0 or more", Warpfold.lastMessage ());
         names ("Seq.map", fn () =>
           let val kept = ref (Exp.int 0)
           in ignore (Seq.map (fn x => (kept := x; x)) s); Seq.map (fn x => Exp.+ (x, !kept)) s end);
         names ("Seq.zip", fn () => Seq.zip (s, other ()));
         names ("Seq.zipWith", fn () => Seq.zipWith Lambdas.add (s, other ()));
         names ("Seq.zip3", fn () => Seq.zip3 (s, s, IntSeq.fromList [1]));
         names ("Scalar.zipWith", fn () =>
           Scalar.zipWith Lambdas.add (Scalar.length s, Scalar.length (other ())));
         names ("Seq.append", fn () => Seq.append (s, other ()));
         names ("Seq.concat", fn () => IntSeq.concat [s, other ()]);
         names ("Seq.subseq", fn () => Seq.subseq s (2, 2));
         names ("Scalar.nth", fn () => Scalar.nth s 3);
         names ("Seq.fill", fn () => IntSeq.fill 0 ~1);
         names ("Seq.fromFunction", fn () => IntSeq.fromFunction Int.abs ~1);
         names ("Context.create", fn () => Context.create "nonsense")
       end);
     test "exnMessage says what was wrong" (fn () =>
       let
         fun says (text, call) = contains (text, (call (); "nothing") handle e => General.exnMessage e)
       in
         says ("nonsense", fn () => ignore (Context.create "nonsense"));
         if Host.tellsOfBasis then says ("Seq.nth: i is 3", fn () => ignore (Seq.nth (three ()) 3)) else ()
       end);
     test "within, nested and left by an exception" (fn () =>
       let
         val (a, b) = (Context.create "cpu", Context.create "cpu")
         fun lives (context, s) =
           Context.within context (fn () => ints ([2, 4, 6], Seq.toList (Seq.zipWith Lambdas.add (s, three ()))))
         val (inB, inA) =
           Context.within a (fn () =>
             let val inB = Context.within b three
             in (Context.within b (fn () => raise Fail "left") handle Fail _ => ()); (inB, three ()) end)
       in
         lives (a, inA);
         lives (b, inB);
         string ("cpu", Context.name a);
         bool (true, Context.same (a, Seq.contextOf (Seq.rev (Context.within a three))));
         bool (false, Context.same (a, b))
       end))
end
