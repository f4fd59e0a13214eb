(* Linear algebra: batches, determinants, types, errors. ValueTests has the values of products and solutions. *)
structure LinearTests =
struct
  open Arrays

  fun entry seed (i, j) = real ((i * 31 + j * 17 + i * j * seed) mod 101 - 50) / 50.0
  fun dense seed (r, c) = RealTensor.fromList [r, c] (List.map (fn [i, j] => entry seed (i, j) | _ => 0.0) (indexLists [r, c]))
  fun isNear (x, y) = Real.abs (x - y) <= 1E~9 * Real.max (1.0, Real.max (Real.abs x, Real.abs y))
  val transposed = Tensor.transpose
  (* Well conditioned *)
  fun general n = Tensor.Infix.+ (dense 7 (n, n), Tensor.Infix.* (RealMatrix.eye n, RealTensor.scalar (real (n + 1))))

  fun products () =
    test "linear: integers, batches, no elements" (fn () =>
       let
         val a = Tensor.iota [2, 3, 4]
         val b = Tensor.iota [4, 5]
       in
         isArray ([2, 3, 5], fn [t, i, j] => List.foldl op + 0 (List.tabulate (4, fn k => (12 * t + 4 * i + k) * (5 * k + j))) | _ => 0)
           (Linear.matmul (a, b));
         isArray ([3, 5], fn _ => 0) (Linear.matmul (Tensor.iota [3, 0], Tensor.iota [0, 5]));
         isArray ([2, 2], fn [i, j] => List.nth ([34, 21, 21, 13], 2 * i + j) | _ => 0) (Linear.power (IntMatrix.fromList [[1, 1], [1, 0]]) 8);
         isArray ([2], fn [t] => 24 * t + 5 | _ => 0)
           (Linear.trace (Tensor.slice [Tensor.Part.All, Tensor.Part.To 2, Tensor.Part.To 2] a))
       end)

  fun blas () =
    test "linear: norms and products by the names of BLAS" (fn () =>
      (bool (true, isNear (5.0, Tensor.value (Blas.nrm2 (RealTensor.fromList [2] [3.0, ~4.0]))));
       bool (true, ListPair.allEq isNear (Tensor.toList (Linear.outer (dense 3 (2, 3), dense 5 (2, 3))),
         Tensor.toList (Blas.gemm (1.0, dense 3 (2, 3), transposed (dense 5 (2, 3)), 0.0, RealMatrix.eye 2))))))

  fun solvers () =
    (test "linear: log determinants" (fn () =>
       let
         val a = RealMatrix.fromList [[2.0, 0.0], [7.0, ~3.0]]
         fun is (x, a) = bool (true, isNear (x, Tensor.value a))
       in
         is (Math.ln 6.0, Linear.logDeterminant Linear.General a);
         is (Math.ln 6.0, Linear.logDeterminant (Linear.Triangle Linear.Lower) a);
         is (Math.ln 36.0, Linear.logDeterminant Linear.Cholesky a)
       end);
     test "linear: single precision" (fn () =>
       let val a = Tensor.map (Exp.cast Type.single) (general 17)
           val x = Linear.solve Linear.General (a, a)
           fun isOne (i, j) = Real.abs (Single.toReal (Matrix.sub (x, i, j)) - (if i = j then 1.0 else 0.0)) < 1E~4
       in
         bool (true, List.all isOne [(0, 0), (16, 16), (3, 5), (16, 0)])
       end);
     test "linear: errors" (fn () =>
       let
         val singular = RealMatrix.fromList [[1.0, 1.0], [1.0, 1.0]]
         val indefinite = RealMatrix.fromList [[1.0, 2.0], [2.0, 1.0]]
         fun last text = contains (text, Warpfold.lastMessage ())
       in
         size (fn () => Linear.matmul (dense 3 (2, 2), dense 3 (3, 3)));
         last "Linear.matmul: a has shape 2 x 2 and b 3 x 3";
         size (fn () => Linear.inner (dense 3 (2, 3), dense 3 (4, 3)));
         last "Linear.inner: a has shape 2 x 3 and b 4 x 3: axis 0 of a has 2 elements and axis 0 of b 4";
         subscript (fn () => Tensor.toList (Linear.solve Linear.General (singular, RealMatrix.eye 2)));
         last "pivot 1";
         subscript (fn () => Tensor.toList (Linear.cholesky indefinite));
         last "pivot 1";
         size (fn () => Linear.cholesky (dense 3 (2, 3)));
         warpfold (Warpfold.Type, "Linear.cholesky") (fn () => Linear.cholesky (IntMatrix.eye 3));
         size (fn () => Linear.inverse (Linear.Triangle Linear.Lower) (dense 3 (2, 3)));
         last "Linear.inverse: a has shape 2 x 3";
         subscript (fn () => Tensor.toList (Linear.inverse (Linear.Triangle Linear.Upper) (RealTensor.fill 0.0 [2, 2])));
         last "matrix 0 is singular: 0 on its diagonal at row 0";
         size (fn () => Blas.dot (dense 3 (2, 3), dense 3 (3, 2)));
         last "Blas.dot: the shapes are 2 x 3 and 3 x 2";
         size (fn () => Blas.gemm (1.0, dense 3 (2, 3), dense 3 (2, 3), 0.0, dense 3 (2, 2)));
         last "Blas.gemm: a has shape 2 x 3 and b 2 x 3";
         size (fn () => Blas.geerv (1.0, dense 3 (2, 3), dense 3 (2, 2), 0.0, dense 3 (2, 3)));
         last "Blas.geerv: the shape is 2 x 2; expected a vector"
       end))

  fun run () = (products (); blas (); solvers ())
end
