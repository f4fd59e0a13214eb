(* Random matrices: the numbers of the C++ layer for the same keys, whose tests have their moments; densities against formulas written out. *)
structure RandomMatrixTests =
struct
  open Arrays

  fun close bound (expected, a) =
    let val found = Tensor.toList a
    in
      if ListPair.allEq (fn (x, y) => Real.abs (x - y) <= bound) (expected, found) then ()
      else raise Failed ("expected " ^ listOf Real.toString expected ^ ", got " ^ listOf Real.toString found)
    end
  fun single a = Tensor.map (Exp.cast Type.single) a
  fun double a = Tensor.map (Exp.cast Type.real) a
  fun last text = contains (text, Warpfold.lastMessage ())

  fun scale () = RealMatrix.fromList [[2.0, 0.5], [0.5, 1.0]]
  fun mean () = RealTensor.fromList [2] [1.0, ~2.0]

  fun gaussian () =
    (test "random matrices: gaussian vectors" (fn () =>
       let
         val parameters = {mean = mean (), covariance = scale ()}
         val top = ~(Math.ln (2.0 * Math.pi)) - 0.5 * Math.ln 1.75
         val points = RealMatrix.fromList [[1.0, ~2.0], [2.0, ~2.0]]
       in
         close 1E~12 ([top, top - 0.5 / 1.75], RandomMatrix.LogDensity.multivariateGaussian parameters points);
         close 1E~12
           ([~1.5965436799882906, ~2.804418705897036, 0.5168306122181161, ~3.1844764098478873, 1.3854623591820212, ~1.3503905142110892],
            RandomMatrix.multivariateGaussian parameters (Random.key 1) 3)
       end);
     test "random matrices: single precision" (fn () =>
       let
         val parameters = {mean = single (mean ()), covariance = single (scale ())}
         val x = RandomMatrix.multivariateGaussian parameters (Random.key 1) 3
       in
         close 2E~6 ([1.6350095, ~1.569458, 0.75392133, ~2.076236, 1.0423629, ~0.4616922], double x);
         close 2E~6 ([~2.2607052, ~2.1329472, ~3.4518018], double (RandomMatrix.LogDensity.multivariateGaussian parameters x));
         close 1E~5 ([5.689046, 0.7184846, 0.7184846, 3.68888],
           double (RandomMatrix.wishart {scale = #covariance parameters, degrees = 5.5} (Random.key 2)));
         ints ([0, 2], Tensor.shape (RandomMatrix.multivariateGaussian parameters (Random.key 1) 0))
       end))

  fun wishart () =
    test "random matrices: wishart" (fn () =>
      let
        val parameters = {scale = scale (), degrees = 5.5}
        val w = RandomMatrix.wishart parameters (Random.key 2)
        val inverse = RandomMatrix.inverseWishart parameters (Random.key 2)
        (* A matrix of one element is the scale times a chi-squared number. *)
        val chi = Seq.nth (Random.logDensity "chi_squared" [Random.real 3.0] (RealSeq.fromList [1.75])) 0
        val one = RandomMatrix.LogDensity.wishart {scale = RealTensor.fill 2.0 [1, 1], degrees = 3.0} (RealTensor.fill 3.5 [1, 1])
      in
        close 1E~12 ([6.846765090349143, ~2.5113073011901452, ~2.5113073011901452, 3.6750144741107946], w);
        close 1E~12 ([1.4660626389787776, 0.55081113470738, 0.55081113470738, 0.31773138496868336], inverse);
        close 1E~12 ([~7.626455158265681], RandomMatrix.LogDensity.wishart parameters w);
        close 1E~12 ([~0.49492096295160604], RandomMatrix.LogDensity.inverseWishart parameters inverse);
        close 1E~12 ([chi - Math.ln 2.0], one)
      end)

  fun others () =
    (test "random matrices: orthogonal, permutation" (fn () =>
       (close 1E~12
          ([~0.016529786075439423, ~0.8928170594442076, 0.45011605674281174, ~0.6669658639363444, 0.34523111502143244, 0.660281768311608,
            0.7449048949469629, 0.2892977282773862, 0.6011850978672024],
           RandomMatrix.orthogonal Type.real (Random.key 3) 3);
        ints ([3, 4, 1, 2, 0], Tensor.toList (Along.argmax 1 (RandomMatrix.permutation Type.single (Random.key 4) 5)));
        close 1E~12
          ([~(Math.ln (4.0 * Math.pi)), ~5.0620484939385815, ~(Math.ln 24.0)],
           RealTensor.fromList [3]
             [RandomMatrix.LogDensity.orthogonal 2, RandomMatrix.LogDensity.orthogonal 3, RandomMatrix.LogDensity.permutation 4])));
     test "random matrices: errors" (fn () =>
       let
         val key = Random.key 1
         val wide = RealTensor.fill 1.0 [2, 3]
       in
         size (fn () => RandomMatrix.multivariateGaussian {mean = RealTensor.fill 0.0 [3], covariance = scale ()} key 2);
         last "RandomMatrix.multivariateGaussian: the mean has shape 3; expected 2 as the covariance";
         List.app
           (fn degrees =>
              (warpfold (Warpfold.Argument, "for a scale of 2 x 2; expected more than 1")
                 (fn () => RandomMatrix.wishart {scale = scale (), degrees = degrees} key);
               warpfold (Warpfold.Argument, "RandomMatrix.inverseWishart: the degrees of freedom are ")
                 (fn () => RandomMatrix.inverseWishart {scale = scale (), degrees = degrees} key);
               warpfold (Warpfold.Argument, "degrees of freedom") (fn () => RandomMatrix.LogDensity.wishart {scale = scale (), degrees = degrees} (scale ()));
               warpfold (Warpfold.Argument, "degrees of freedom")
                 (fn () => RandomMatrix.LogDensity.inverseWishart {scale = scale (), degrees = degrees} (scale ()))))
           [1.0, 0.5, ~3.0, 0.0 / 0.0];
         size (fn () => RandomMatrix.inverseWishart {scale = wide, degrees = 3.0} key);
         last "RandomMatrix.inverseWishart: the scale has shape 2 x 3; expected a square matrix";
         size (fn () => RandomMatrix.orthogonal Type.real key ~1);
         last "RandomMatrix.orthogonal: the 1st extent is ~1";
         size (fn () => RandomMatrix.permutation Type.real key ~1);
         subscript (fn () => Tensor.toList (RandomMatrix.wishart {scale = Tensor.Infix.~ (scale ()), degrees = 3.0} key));
         last "pivot 0"
       end))

  fun run () = (gaussian (); wishart (); others ())
end
