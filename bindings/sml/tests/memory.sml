(* Memory, which the garbage collectors do not see: budgets, exhaustion, and a million sequences that nobody releases. *)
structure MemoryTests =
struct
  open Check
  val budget = 256 * 1048576

  fun inBudget body =
    let val context = Context.create "cpu"
    in Context.setLimit context (SOME budget); Context.within context (fn () => body context) end

  (* Each sequence uses some of the budget, and becomes garbage. *)
  fun drop n = Seq.force [Seq.any (Seq.map Lambdas.double (Seq.tabulate Lambdas.identity n))]
  fun times (0, _) = ()
    | times (k, f) = (f (); times (k - 1, f))

  (* Resident memory of this process in MiB. *)
  fun resident () =
    let
      val file = TextIO.openIn "/proc/self/statm"
      val pages = List.nth (String.tokens Char.isSpace (Option.valOf (TextIO.inputLine file)), 1)
    in
      TextIO.closeIn file;
      Option.valOf (Int.fromString pages) div 256
    end

  fun run () =
    (test "a million short-lived sequences, never released" (fn () =>
       inBudget (fn context =>
         let
           val s = IntSeq.fromList [1, 2, 3]
           fun use () = int (12, Seq.reduce Lambdas.add 0 (Seq.map Lambdas.double s))
           val () = times (10000, use)
           val start = resident ()
         in
           times (240000, fn () => ignore (Seq.rev (Seq.map Lambdas.double (Seq.map Lambdas.double (Seq.rev s)))));
           times (10000, use);
           holds ("memory stays bounded: " ^ Int.toString start ^ " to " ^ Int.toString (resident ()) ^ " MiB")
             (resident () < start + 256);
           holds "the budget was kept" (#peak (Context.memory context) <= budget)
         end));
     test "sequences of 32 MiB, never released, in 256 MiB" (fn () =>
       inBudget (fn context =>
         (times (200, fn () => drop 4000000);
          holds "the budget was kept" (#peak (Context.memory context) <= budget);
          holds "memory stays bounded" (resident () < 2048))));
     test "more than the budget is Warpfold Memory, and changes nothing" (fn () =>
       inBudget (fn context =>
         let val s = Seq.tabulate Lambdas.identity 100000000
         in
           warpfold (Warpfold.Memory, "exhausted") (fn () => Seq.force [Seq.any s]);
           int (99999999, Seq.nth s 99999999);
           bool (true, #limit (Context.memory context) = SOME budget)
         end));
     test "an allocation that fails once is tried again" (fn () =>
       inBudget (fn context =>
         let val s = IntSeq.fromList [1, 2, 3]
         in
           Context.failAllocation context 1;
           ints ([2, 4, 6], Seq.toList (Seq.map Lambdas.double s));
           Context.failAllocation context 0
         end));
     test "trim and peak" (fn () =>
       inBudget (fn context =>
         let val s = Seq.map Lambdas.double (Seq.tabulate Lambdas.identity 1000000)
         in
           Seq.force [Seq.any s];
           holds "live" (#live (Context.memory context) >= 1000000);
           Seq.release s;
           holds "trimmed" (Context.trim context > 0);
           int (0, #cached (Context.memory context));
           Context.resetPeak context;
           holds "the peak is new" (#peak (Context.memory context) < 1000000)
         end)))
end
