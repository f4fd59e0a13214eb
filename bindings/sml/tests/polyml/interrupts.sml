(* Ctrl-C and Context.cancel end each kind of computation soon, and everything is usable afterwards. *)
structure InterruptTests =
struct
  open Check

  fun deep x = let open Exp in sin (exp (sin (exp (sin (exp (sin x)))))) end
  fun longMap n = Seq.tabulate (fn i => deep (Exp.cast Type.real i)) n
  fun total s = Seq.reduce Exp.+ 0.0 s
  fun mapped (0, s) = s
    | mapped (k, s) = mapped (k - 1, Seq.map (fn x => Exp.sin (Exp.exp x)) s)
  val program = Jit.jit (Jit.seq, Jit.scalar) (fn s => Scalar.reduce Exp.+ 0.0 (mapped (100, s)))

  (* Calls that take many seconds: a force, a reduction, a sort, a function of Jit. *)
  fun slowCalls () =
    let
      val keys = Seq.tabulate (fn i => let open Exp in i mod int 1000003 * int 6364136223846 end) 4000000
      val reals = Seq.map (Exp.cast Type.real) keys
      val () = Seq.force [Seq.any keys, Seq.any reals]
    in
      [fn () => Seq.force [Seq.any (longMap 60000000)], fn () => ignore (total (longMap 100000000000)),
       fn () => Seq.force [Seq.any (Seq.sort (fn (a, b) => Exp.< (deep (Exp.cast Type.real a), deep (Exp.cast Type.real b))) keys)],
       fn () => ignore (Scalar.value (program reals))]
    end
  fun usable () = int (49995000, Seq.reduce Exp.+ 0 (Seq.tabulate (fn i => i) 10000))

  (* Runs the call; `stop` runs in another thread after some milliseconds. *)
  fun stopped (milliseconds, stop) call =
    let
      val start = Time.now ()
      fun later () = (OS.Process.sleep (Time.fromMilliseconds milliseconds); stop ())
      val _ = Thread.Thread.fork (later, [Thread.Thread.InterruptState Thread.Thread.InterruptDefer])
      val outcome = (call (); "done") handle Thread.Thread.Interrupt => "interrupted" | Warpfold.Warpfold {code = Warpfold.Canceled, ...} => "canceled"
    in
      holds "soon" (Time.< (Time.- (Time.now (), start), Time.fromSeconds 3));
      usable ();
      outcome
    end

  fun run () =
    let val calls = slowCalls ()
        fun repeat (0, _) = ()
          | repeat (k, f) = (f k; repeat (k - 1, f))
        fun interrupt () = ignore (OS.Process.system ("kill -INT " ^ SysWord.fmt StringCvt.DEC (Posix.Process.pidToWord (Posix.ProcEnv.getpid ()))))
    in
      test "cancel ends each kind of computation" (fn () =>
        List.app (fn call => repeat (10, fn k => string ("canceled", stopped (4 * k, Context.cancel) call))) calls);
      test "Ctrl-C ends each kind of computation" (fn () =>
        List.app (fn call => repeat (5, fn k => string ("interrupted", stopped (10 * k, interrupt) call))) calls)
    end
end;
