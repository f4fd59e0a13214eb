(* Several threads at once, under Poly/ML: their values, their default contexts, their messages, and finalizers in all of them. *)
structure ThreadTests =
struct
  open Check

  (* f 0, ..., f (n - 1), each in a thread; the first exception of one is raised here. *)
  fun inThreads (n, f) =
    let
      open Thread
      val (lock, changed) = (Mutex.mutex (), ConditionVar.conditionVar ())
      val (running, raised) = (ref n, ref NONE)
      fun finish e =
        (Mutex.lock lock;
         running := !running - 1;
         if isSome e then raised := e else ();
         ConditionVar.signal changed;
         Mutex.unlock lock)
      fun start k = ignore (Thread.fork (fn () => finish ((f k; NONE) handle e => SOME e), []))
      fun await () = if !running = 0 then () else (ConditionVar.wait (changed, lock); await ())
    in
      List.app start (List.tabulate (n, fn k => k));
      Mutex.lock lock;
      await ();
      Mutex.unlock lock;
      Option.app (fn e => raise e) (!raised)
    end

  fun many k =
    let
      val s = IntSeq.fromList [1, 2, k]
      fun go 0 = ()
        | go i = (int (2 * (3 + k), Seq.reduce Lambdas.add 0 (Seq.map Lambdas.double s)); go (i - 1))
    in
      go 5000
    end
  fun inOwnContext k =
    let val context = Context.create "cpu"
    in
      Context.within context (fn () =>
        (many k; Context.close context; warpfold (Warpfold.Argument, "closed") (fn () => IntSeq.fromList [1])))
    end
  fun message k =
    (subscript (fn () => Seq.nth (IntSeq.fromList [1]) (k + 100));
     contains (Int.toString (k + 100), Warpfold.lastMessage ()))

  (* Few lengths, which the threads trace at the same time. *)
  fun jit () =
    let
      val f = let open Jit in jit (pair (seq, number Type.int), seq) end (fn (s, k) => Seq.map (fn x => Exp.+ (x, Exp.scalar k)) (Seq.rev s))
      fun calls k =
        List.app
          (fn j =>
             let val n = 1 + j mod 5
             in ints (List.tabulate (n, fn i => k + n - 1 - i + j), Seq.toList (f (IntSeq.fromFunction (fn i => i + k) n, j))) end)
          (List.tabulate (1000, fn j => j))
    in
      inThreads (4, calls)
    end

  fun run () =
    (test "four threads share a function of jit" jit;
     test "four threads share a context" (fn () => inThreads (4, many));
     test "each thread has a default context" (fn () => inThreads (4, inOwnContext));
     test "each thread has a last message" (fn () => inThreads (4, message));
     test "a sequence made here is computed there, by all at once" (fn () =>
       let val s = Seq.map Lambdas.double (Seq.tabulate Lambdas.identity 100000)
       in inThreads (4, fn k => int (2 * k, Seq.nth s k)) end))
end
