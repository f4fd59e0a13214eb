(* The programs of StandardML-GPU (github.com/rohany/StandardML-GPU, tests/) rewritten for this library: the same calls at
   the same types, where only the names of structures differ. Each is compared with the same computation on the host. Its
   mandelbrot is among the examples. *)
structure GPUSeq = IntSeq
structure Fused = IntSeq
structure Pairs = IntPairSeq
structure GPUArray = SeqArray
structure L = Lambdas

structure SeedTests =
struct
  open Check

  val size = 10007
  fun host f = List.tabulate (size, f)
  fun hostScan (f, b) l =
    let val (prefixes, total) = List.foldl (fn (x, (done, acc)) => (acc :: done, f (acc, x))) ([], b) l
    in (List.rev prefixes, total) end
  fun listOfArray a = Array.foldr op :: [] a
  fun listOfSlice s = ArraySlice.foldr op :: [] s

  fun parenmatch () =
    let
      fun matches s2 =
        let val (s, last) = GPUSeq.scan L.add 0 s2
        in last = 0 andalso (GPUSeq.reduce L.min 0 s) >= 0 end
      fun matchesInclusive s2 =
        let val s = GPUSeq.scanIncl L.add 0 s2
        in GPUSeq.nth s (GPUSeq.length s - 1) = 0 andalso (GPUSeq.reduce L.min 0 s) >= 0 end
    in
      bool (false, matches (GPUSeq.tabulate L.parens size));
      bool (true, matches (GPUSeq.tabulate L.parens (size - 1)));
      bool (true, matchesInclusive (GPUSeq.tabulate L.parens (size - 1)));
      bool (false, matches (GPUSeq.fromArray (Array.fromList [1, ~1, ~1, 1])))
    end

  val int_max = Option.valOf Int.maxInt
  val int_min = Option.valOf Int.minInt

  fun mcss () =
    let
      val numbers = host (fn i => (i * 7919 + 5) mod 11 - 5)
      fun onGPU s =
        let
          val sums = GPUSeq.scanIncl L.add 0 s
          val m_sums = GPUSeq.makeCopy sums
          val (mins, _) = GPUSeq.scan L.min int_max m_sums
          val gains = GPUSeq.zipwith L.sub (sums, mins)
        in
          GPUSeq.reduce L.max int_min gains
        end
      (* The first gain, a sum minus int_max, does not count; the others are sums minus the least sum before them. *)
      fun onHost l =
        let
          fun go ([], _, _, best) = best
            | go (x :: rest, sum, lowest, best) =
                let val sum = sum + x
                in go (rest, sum, Int.min (lowest, sum), Int.max (best, sum - lowest)) end
        in
          go (List.tl l, List.hd l, List.hd l, int_min)
        end
    in
      int (onHost numbers, onGPU (GPUSeq.fromArray (Array.fromList numbers)))
    end

  fun scan () =
    let
      val a1 = GPUSeq.all 2 size
      val res = GPUSeq.scanIncl L.add 0 a1
      val hostarr = GPUArray.toIntArray res
    in
      ints (host (fn i => 2 * (i + 1)), listOfArray hostarr)
    end

  fun exclusiveScan () =
    let
      val a1 = GPUSeq.all 1 size
      val (res, gv) = GPUSeq.scan L.add 0 a1
      val (expected, total) = hostScan (op +, 0) (host (fn _ => 1))
    in
      ints (expected, listOfArray (GPUArray.toIntArray res));
      int (total, gv)
    end

  fun reduce () =
    let val a2 = GPUArray.initInt size 1
    in int (size, GPUSeq.reduce L.add 0 a2); int (128, GPUSeq.reduce L.left 128 (GPUSeq.empty ())) end

  fun filter () =
    let
      val a1 = GPUSeq.tabulate L.identity size
      val res = GPUSeq.filter L.is_even a1
    in
      ints (List.filter (fn i => i mod 2 = 0) (host (fn i => i)), listOfArray (GPUArray.toIntArray res))
    end

  fun seven map s = List.foldl (fn (_, a) => map L.double a) s (List.tabulate (7, fn i => i))

  fun map () =
    let
      val a2 = GPUArray.initInt size 1
      val a3 = GPUSeq.toArraySequence (seven GPUSeq.map a2)
    in
      int (size, List.length (List.filter (fn x => x = 128) (listOfSlice a3)));
      (* nothing was changed in place *)
      ints (host (fn _ => 1), listOfArray (GPUArray.toIntArray a2))
    end

  fun autofuse () =
    let
      val a4 = Fused.all 1 size
      val s = seven Fused.map a4
    in
      contains ("1 kernel\n", Seq.explain [Seq.any s]);
      ints (host (fn _ => 128), listOfArray (Fused.toArray (Fused.mapForce s)));
      ints (host (fn i => 2 * (i + 1)), listOfArray (Fused.toArray (Fused.scanIncl L.add 0 (Fused.map L.double a4))));
      Fused.destroy a4
    end

  fun tuples () =
    let val a1 = Pairs.tabulate L.const1 size
    in
      holds "all (1, 1)" (List.all (fn pair => pair = (1, 1)) (listOfArray (Pairs.toArray a1)))
    end

  fun transfers () =
    let
      val gpuarr = GPUArray.initInt 10 5
      val b = Array.array (10, 1)
    in
      ints (List.tabulate (10, fn _ => 5), listOfArray (GPUArray.toIntArray gpuarr));
      GPUArray.copyIntoIntArray b gpuarr;
      ints (List.tabulate (10, fn _ => 5), listOfArray b);
      Check.size (fn () => GPUArray.copyIntoIntArray (Array.array (9, 1)) gpuarr);
      int (10, GPUArray.getSize (GPUArray.copy gpuarr));
      reals ([0.5, 0.5], listOfArray (GPUArray.toRealArray (GPUArray.initFloat 2 0.5)));
      GPUArray.destroy gpuarr
    end

  fun run () =
    List.app (fn (name, body) => test ("StandardML-GPU " ^ name) body)
      [("parenmatch", parenmatch), ("MCSS", mcss), ("scan", scan), ("excl_scan", exclusiveScan), ("reduce", reduce),
       ("filter", filter), ("map", map), ("autofuse", autofuse), ("basic_tuple", tuples), ("memtransfer", transfers)]
end
