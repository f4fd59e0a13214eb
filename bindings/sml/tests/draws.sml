(* Random numbers: what they depend on, parameters, keys, densities. *)
structure DrawTests =
struct
  open Check

  val n = 20000
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
     test "parameters of every kind give the same draws" (fn () =>
       let
         val three = Scalar.reduce Exp.+ 0.0 (RealSeq.fromList [1.0, 2.0])
         val threes = Seq.map (fn _ => Exp.real 3.0) (Seq.tabulate (fn i => i) n)
         fun gaussian mean = Seq.toList (Random.gaussian Type.real [mean, Random.int 2] (key ()) n)
         val expected = gaussian (Random.real 3.0)
       in
         holds "another mean" (not (ListPair.all Real.== (expected, gaussian (Random.real 2.0))));
         reals (expected, gaussian (Random.int 3));
         reals (expected, gaussian (Random.scalar three));
         reals (expected, gaussian (Random.each threes))
       end);
     test "permutation, sample, categorical, dirichlet" (fn () =>
       let
         val s = Seq.map (fn i => Exp.* (i, i)) (Seq.tabulate (fn i => i) 1000)
         val weights = Random.each (RealSeq.fromList [1.0, 0.0, 3.0])
         val chosen = Seq.toList (Random.sample (key ()) s 100)
         val kinds = Seq.toList (Random.categorical Type.int [weights] (key ()) n)
         fun count k = List.length (List.filter (fn x => x = k) kinds)
         val rows = Random.dirichlet Type.real [Random.each (RealSeq.fromList [2.0, 3.0, 4.0])] (key ()) 300
       in
         ints (Seq.toList s, Seq.toList (Seq.sort Exp.< (Random.sample (key ()) s 1000)));
         ints (List.tabulate (1000, fn i => i), Seq.toList (Seq.sort Exp.< (Random.permutation Type.int [] (key ()) 1000)));
         holds "elements" (List.all (fn x => List.exists (fn y => x = y) (Seq.toList s)) chosen);
         holds "as many" (Seq.length (Random.sample (key ()) s 100) = 100);
         raises "Range" (fn Seq.Range => true | _ => false) (fn () => ignore (Random.sample (key ()) s 1001));
         holds "weight 0" (count 1 = 0);
         holds "weight 1 of 4" (Real.abs (Real.fromInt (count 0) / Real.fromInt n - 0.25) < 0.02);
         holds "a density per row" (Seq.length (Random.logDensity "dirichlet" [Random.each (RealSeq.fromList [2.0, 3.0, 4.0])] rows) = 100);
         holds "a permutation" (Real.abs (hd (Seq.toList (Random.logDensity "permutation" [] (RealSeq.fromList [1.0, 0.0]))) + Math.ln 2.0) < 1E~15);
         reals ([0.25, 0.25, 1.0], Seq.toList (Random.distributionFunction "categorical" [weights] (RealSeq.fromList [0.0, 1.0, 2.0])))
       end);
     test "errors of draws" (fn () =>
       let
         val s = IntSeq.fromList [1, 2, 3]
         fun names (name, call) = (ignore (call ()); holds (name ^ " raised nothing") false) handle _ => contains (name ^ ": ", Warpfold.lastMessage ())
       in
         size (fn () => Random.uniform Type.real [] (key ()) ~1);
         names ("Random.uniform", fn () => ignore (Random.uniform Type.real [] (key ()) ~1));
         names ("Random.permutation", fn () => ignore (Random.permutation Type.int [] (key ()) ~1));
         names ("Random.keys", fn () => ignore (Random.keys (key ()) ~1));
         names ("Random.sample", fn () => ignore (Random.sample (key ()) s 4));
         names ("Random.sample", fn () => ignore (Random.sample (key ()) s ~1))
       end);
     test "functions draw" (fn () =>
       let
         val keys = Random.keys (key ()) n
         val first = Random.split (key ()) 0
         fun each f = Seq.toList (Seq.map f keys)
         val zero = Exp.int 0
         val sum = List.foldl op + 0.0 (Seq.toList (Random.gaussian Type.real [] first 5))
         fun walk key =
           #1 (Exp.unpair (Exp.loop {
             start = Exp.pair (Exp.real 0.0, zero),
             continue = fn state => Exp.< (#2 (Exp.unpair state), Exp.int 5),
             next = fn state =>
               let val (x, k) = Exp.unpair state
               in Exp.pair (Exp.+ (x, Exp.gaussian Type.real (key, k)), Exp.+ (k, Exp.int 1)) end}))
       in
         reals (Seq.toList (Random.uniform Type.real [] first 1), List.take (each (fn key => Exp.uniform Type.real (key, zero)), 1));
         reals (Seq.toList (Random.exponential Type.real [] first 1), List.take (each (fn key => Exp.exponential Type.real (key, zero)), 1));
         ints (Seq.toList (Random.uniformInt Type.int [Random.int 0, Random.int 10] first 1),
               List.take (each (fn key => Exp.draw "uniform_int" Type.int (key, zero) [zero, Exp.int 10]), 1));
         reals (Seq.toList (Random.gamma Type.real [Random.real 2.0] first 1),
                List.take (each (fn key => Exp.draw "gamma" Type.real (key, zero) [Exp.real 2.0]), 1));
         ints (Seq.toList (Random.poisson Type.int [Random.int 30] first 1),
               List.take (each (fn key => Exp.draw "poisson" Type.int (key, zero) [Exp.real 30.0]), 1));
         holds "keys" (List.nth (each (fn key => Exp.splitKey (key, zero)), 0) = Scalar.value (Random.split first 0));
         reals ([sum], List.take (each walk, 1))
       end);
     test "densities" (fn () =>
       let val x = RealSeq.fromList [~1.0, 0.0, 2.0]
       in
         holds "log density" (Real.abs (List.nth (Seq.toList (Random.logDensity "gaussian" [] x), 1) + 0.9189385332046727) < 1E~15);
         reals ([0.0, 0.5, 1.0], Seq.toList (Random.distributionFunction "uniform" [Random.real ~1.0, Random.int 1] x))
       end))
end
