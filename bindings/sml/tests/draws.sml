(* Random numbers: what they depend on, parameters, keys, densities. *)
structure DrawTests =
struct
  open Check

  val n = 20000
  fun mean values = List.foldl op + 0.0 values / Real.fromInt (List.length values)
  fun near (expected, deviation, values) =
    holds "mean" (Real.abs (mean values - expected) < 5.0 * deviation / Math.sqrt (Real.fromInt (List.length values)))
  fun key () = Random.key 77
  fun uniform key = Seq.toList (Random.uniform Type.real [] key n)

  fun run () =
    (test "draws depend on the key and the index" (fn () =>
       let val all = uniform (key ())
       in
         reals (all, uniform (key ()));
         reals (List.take (List.drop (all, 5), 100), Seq.toList (Seq.subseq (Random.uniform Type.real [] (key ()) n) (5, 100)));
         holds "another key" (not (ListPair.all Real.== (all, uniform (Random.split (key ()) 0))));
         holds "within [0, 1)" (List.all (fn x => x >= 0.0 andalso x < 1.0) all);
         holds "split keys" (Scalar.value (Random.split (key ()) 3) = List.nth (Seq.toList (Random.keys (key ()) 10), 3))
       end);
     test "draws have parameters" (fn () =>
       let
         val three = Scalar.reduce Exp.+ 0.0 (RealSeq.fromList [1.0, 2.0])
         val halves = Seq.map (fn _ => Exp.real 0.5) (Seq.tabulate (fn i => i) n)
       in
         near (3.0, 0.5, Seq.toList (Random.gaussian Type.real [Random.int 3, Random.real 0.5] (key ()) n));
         near (3.0, 0.5, Seq.toList (Random.gaussian Type.real [Random.scalar three, Random.real 0.5] (key ()) n));
         near (2.0, 2.0, Seq.toList (Random.exponential Type.real [Random.each halves] (key ()) n));
         near (4.5, 2.9, List.map Real.fromInt (Seq.toList (Random.uniformInt Type.int [Random.int 0, Random.int 10] (key ()) n)));
         near (2.0, 1.5, List.map Single.toReal (Seq.toList (Random.gamma Type.single [Random.real 2.0] (key ()) n)))
       end);
     test "densities" (fn () =>
       let val x = RealSeq.fromList [~1.0, 0.0, 2.0]
       in
         holds "log density" (Real.abs (List.nth (Seq.toList (Random.logDensity "gaussian" [] x), 1) + 0.9189385332046727) < 1E~15);
         reals ([0.0, 0.5, 1.0], Seq.toList (Random.distributionFunction "uniform" [Random.real ~1.0, Random.int 1] x))
       end))
end
