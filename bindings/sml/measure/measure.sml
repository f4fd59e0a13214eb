(* The costs of the binding: a small call next to the same call from C, and bulk transfers next to memcpy; medians. *)
structure Measure =
struct
  fun median l =
    let
      fun insert (x, []) = [x]
        | insert (x, y :: rest) = if x <= y then x :: y :: rest else y :: insert (x, rest)
    in
      List.nth (List.foldl insert [] l, List.length l div 2)
    end

  (* The CPU time of a call in nanoseconds: that of the program, and that of the collector on all cores. *)
  fun cpuTimes f =
    let
      val timer = Timer.startCPUTimer ()
      val _ = f ()
      val {nongc, gc} = Timer.checkCPUTimes timer
      fun nanoseconds {usr, sys} = 1E9 * Time.toReal (Time.+ (usr, sys))
    in
      (nanoseconds nongc, nanoseconds gc)
    end
  (* The duration of a call in nanoseconds. *)
  fun time f =
    let
      val start = Time.now ()
      val _ = f ()
    in
      1E9 * Time.toReal (Time.- (Time.now (), start))
    end
  fun times (0, _) = ()
    | times (k, f) = (ignore (f ()); times (k - 1, f))

  fun fixed digits x = Real.fmt (StringCvt.FIX (SOME digits)) x
  fun row (name, columns) =
    print (StringCvt.padRight #" " 44 name ^ String.concat (List.map (StringCvt.padLeft #" " 12) columns) ^ "\n")

  fun small rounds =
    let
      val (n, calls) = (1000, 2000)
      val s = Context.within (Context.create "cpu") (fn () => RealSeq.fromFunction Real.fromInt n)
      fun step x = Exp.+ (Exp.* (x, Exp.real 1.0001), Exp.real 0.5)
      fun call () = Seq.reduce Exp.+ 0.0 (Seq.map step s)
      fun round () =
        let
          val inC = InC.small (n, calls)
          val (program, collector) = cpuTimes (fn () => times (calls, call))
        in
          (inC, program / Real.fromInt calls, collector / Real.fromInt calls)
        end
      val _ = round ()
      val runs = List.tabulate (rounds, fn _ => round ())
      val (inC, inSml) = (median (List.map #1 runs), median (List.map #2 runs))
      val collector = List.foldl (op +) 0.0 (List.map #3 runs) / Real.fromInt rounds
    in
      row ("small call: map and reduce, n = 1000; CPU", ["C us", "SML us", "ratio", "GC us"]);
      row ("", [fixed 2 (inC / 1000.0), fixed 2 (inSml / 1000.0), fixed 2 (inSml / inC), fixed 2 (collector / 1000.0)])
    end

  fun planned rounds =
    let
      val calls = 2000
      val s = RealSeq.fromFunction Real.fromInt 1000
      fun step (k, s) = Seq.map (fn x => Exp.+ (Exp.* (x, Exp.real 1.0001), Exp.real k)) s
      fun f s = Scalar.reduce Exp.+ 0.0 (List.foldl step s [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0])
      val traced = Jit.jit (Jit.seq, Jit.scalar) f
      fun cost call =
        let
          fun round () =
            let val (program, collector) = cpuTimes (fn () => times (calls, fn () => Scalar.value (call s)))
            in (program + collector) / Real.fromInt calls / 1000.0 end
          val _ = round ()
        in
          fixed 2 (median (List.tabulate (rounds, fn _ => round ())))
        end
    in
      row ("eight maps and a reduce, n = 1000; CPU with GC", ["SML us", "by jit us"]);
      row ("", [cost f, cost traced])
    end

  val n = 10000000
  fun transfers rounds =
    let
      val reals = Array.tabulate (n, Real.fromInt)
      val ints = Array.tabulate (n, fn i => i)
      val (s, t) = (RealSeq.fromArray reals, IntSeq.fromArray ints)
      fun sum s =
        let
          val element = Seq.reader s
          fun go (i, total) = if i = n then total else go (i + 1, total + element i)
        in
          go (0, 0.0)
        end
      val bytes = Word8Array.array (8 * n, 0w1)
      val memory = [InC.allocate (8 * n)]
      val () = Seq.toPointers s memory
      val intBytes = if Int.precision = SOME 32 then 4 else 8
      val works =
        [("memcpy", 8, fn () => ()),
         ("reals in: fromArray", 8, fn () => Seq.release (RealSeq.fromArray reals)),
         ("reals in: fromFunction", 8, fn () => Seq.release (RealSeq.fromFunction Real.fromInt n)),
         ("reals out: toArray", 8, fn () => ignore (Seq.toArray s)),
         ("reals out: copyArray", 8, fn () => Seq.copyArray s reals),
         ("reals out: reader, summed", 8, fn () => ignore (sum s)),
         ("reals in: fromBytes", 8, fn () => Seq.release (RealSeq.fromBytes bytes)),
         ("reals out: toBytes", 8, fn () => ignore (Seq.toBytes s)),
         ("reals out: copyBytes", 8, fn () => Seq.copyBytes s bytes),
         ("reals in: fromPointers", 8, fn () => Seq.release (RealSeq.fromPointers (memory, n))),
         ("reals out: toPointers", 8, fn () => Seq.toPointers s memory),
         ("ints in: fromArray", intBytes, fn () => Seq.release (IntSeq.fromArray ints)),
         ("ints out: toArray", intBytes, fn () => ignore (Seq.toArray t)),
         ("ints out: copyArray", intBytes, fn () => Seq.copyArray t ints)]
      fun once (name, bytes, work) = if name = "memcpy" then InC.copy (bytes * n) else time work
      (* The runs of a transfer follow one another: the collection that one transfer makes necessary would slow the next down. *)
      fun show (work as (name, bytes, _)) =
        let val ns = median (List.tabulate (rounds, fn _ => once work))
        in row (name, [fixed 2 (ns * 1E~6), fixed 2 (Real.fromInt (bytes * n) / ns)]) end
    in
      row ("transfer of 10^7 elements", ["ms", "GB/s"]);
      List.app show works
    end

  fun run rounds = (small rounds; planned rounds; transfers rounds)
end

fun main () = Measure.run (case CommandLine.arguments () of ["--quick"] => 3 | _ => 9)
