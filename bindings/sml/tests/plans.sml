(* Plans: how many kernels compute a result. *)
structure PlanTests =
struct
  open Check

  fun numbers () = IntSeq.fromFunction (fn i => i mod 1009) 1000
  fun odd x = Exp.== (Exp.andb (x, Exp.I 1), Exp.I 1)
  fun sum s = [Scalar.any (Scalar.reduce Exp.+ 0 s)]
  fun one s = [Seq.any s]

  fun inOneKernel (name, plan) = test ("one kernel: " ^ name) (fn () => contains ("1 kernel\n", Seq.explain (plan (numbers ()))))

  fun run () =
    (List.app inOneKernel
       [("filterIdx", fn s => one (Seq.filterIdx Exp.< s)),
        ("filterIdx, summed", fn s => sum (Seq.filterIdx Exp.< s)),
        ("enum of a filter", fn s => one (Seq.enum (Seq.filter odd s))),
        ("mapIdx of a filter, summed", fn s => sum (Seq.mapIdx Exp.* (Seq.filter odd s))),
        ("update of a map, summed", fn s => sum (Seq.update (Seq.map Exp.~ s, (3, 1)))),
        ("interleave, summed", fn s => sum (Seq.interleave (s, Seq.map Exp.~ s))),
        ("rotate, rev and append, summed", fn s => sum (Seq.append (Seq.rev s, Seq.rotate (Seq.map Exp.~ s) 5))),
        ("both parts of a partition", fn s => let val (a, b) = Seq.partition odd s in [Seq.any a, Seq.any b] end),
        ("mapScanIncl", fn s => one (Seq.mapScanIncl Exp.~ Exp.+ 0 s)),
        ("mapFilter", fn s => one (Seq.mapFilter Exp.~ odd s)),
        ("mapFilterIdx", fn s => one (Seq.mapFilterIdx Exp.+ Exp.< s)),
        ("packIndex", fn s => one (Search.packIndex odd s)),
        ("binarySearch, summed", fn s => sum (Search.binarySearch Exp.< (s, Seq.map Exp.~ s))),
        ("sums of windows, summed", fn s => sum (Seq.map (fn w => Inner.sum (Inner.row w)) (Segments.windows 5 s))),
        ("sums of segments", fn s => one (Segments.reduce Exp.+ 0 (Segments.split (Seq.map Exp.~ s, IntSeq.fill 10 100))))];
     test "iteratePrefixes: one step goes through the elements" (fn () =>
       contains (": iterate; i < 1001\n", Seq.explain (one (Seq.iteratePrefixesIncl Type.int Exp.- 0 (numbers ()))))))
end
