(* The examples of arrays, next to loops over Array2. *)
structure ArrayProgramTests =
struct
  open Arrays

  val whole = Array2.RowMajor
  fun wholeOf a = {base = a, row = 0, col = 0, nrows = NONE, ncols = NONE}
  fun at (a, i, j) = Array2.sub (a, i mod Array2.nRows a, j mod Array2.nCols a)
  fun lived board =
    Array2.tabulate whole
      (Array2.nRows board, Array2.nCols board, fn (i, j) =>
         let
           val near = [~1, 0, 1]
           val around = List.foldl op + 0 (List.concat (List.map (fn k => List.map (fn l => at (board, i + k, j + l)) near) near))
         in
           if around = 3 orelse (around = 4 andalso at (board, i, j) = 1) then 1 else 0
         end)
  fun warmed plate =
    let val (rows, columns) = Array2.dimensions plate
    in
      Array2.tabulate whole (rows, columns, fn (i, j) =>
        if i > 0 andalso i < rows - 1 andalso j > 0 andalso j < columns - 1 then
          (at (plate, i - 1, j) + at (plate, i + 1, j) + at (plate, i, j - 1) + at (plate, i, j + 1)) * 0.25
        else at (plate, i, j))
    end
  fun repeat (f, x, 0) = x
    | repeat (f, x, n) = repeat (f, f x, n - 1)

  fun filtered weights picture =
    Array2.tabulate whole
      (Array2.nRows picture - 2, Array2.nCols picture - 2, fn (i, j) =>
         Array2.foldi whole (fn (k, l, w, sum) => sum + w * at (picture, i + k, j + l)) 0.0 (wholeOf weights))

  fun run () =
    (test "life" (fn () =>
       List.app
         (fn (r, c) =>
            let
              val host = Array2.tabulate whole (r, c, fn (i, j) => if (i * i + 3 * j * i + j) mod 7 < 3 then 1 else 0)
              val expected = repeat (lived, host, 5)
            in
              isArray ([r, c], fn [i, j] => Array2.sub (expected, i, j) | _ => 0) (Life.run (IntMatrix.fromArray2 host, 5))
            end)
         [(3, 3), (17, 5), (31, 57)]);
     test "heat" (fn () =>
       List.app
         (fn n =>
            let val expected = repeat (warmed, Array2.tabulate whole (n, n, fn (i, _) => if i = 0 then 100.0 else 0.0), 7)
            in areReals ([n, n], fn [i, j] => Array2.sub (expected, i, j) | _ => 0.0) (Heat.run (Heat.plate n, 7)) end)
         [1, 2, 3, 17, 57]);
     test "jacobi" (fn () =>
       List.app
         (fn n =>
            let val (a, b) = Jacobi.example n
                val (x, sweeps) = Jacobi.solve (a, b, 1E~10)
            in
              holds "few sweeps" (sweeps < 40);
              List.app (fn (i, x) => holds "the solution is 0, 1, 2, ..." (Real.abs (x - real i) < 1E~9))
                (ListPair.zip (List.tabulate (n, fn i => i), Tensor.toList x))
            end)
         [1, 2, 17, 257]);
     test "regression" (fn () =>
       let
         val (x, _) = Regression.example 1003
         val y = let open Tensor.Infix in Linear.matmul (x, RealTensor.fromList [3] [2.0, 0.5, ~1.0]) + R 4.0 end
         val weights = Regression.fit (x, y)
         val table = Tensor.join 1 [x, Tensor.reshape [1003, 1] y]
       in
         ListPair.appEq (fn (expected, w) => holds "the weights" (Real.abs (w - expected) < 1E~9)) ([2.0, 0.5, ~1.0, 4.0], Tensor.toList weights);
         holds "all is explained" (Real.abs (Tensor.value (Regression.explained (x, y, weights)) - 1.0) < 1E~9);
         bool (true, Tensor.equal Exp.== (x, #1 (Regression.split table)) andalso Tensor.equal Exp.== (y, #2 (Regression.split table)))
       end);
     test "pca" (fn () =>
       let
         val (x, directions) = Pca.example 5003
         val (variances, found) = Pca.components 2 x
         (* the parts of the true directions that lie in the plane of those that were found *)
         val inside = Linear.matmul (found, Linear.inner (found, directions))
         val difference = Along.norm [0, 1] (Tensor.Infix.- (inside, directions))
         val projected = Along.variance [0] (Pca.project (x, found))
       in
         holds "the same plane" (Tensor.value difference < 1E~2);
         ListPair.appEq (fn (x, y) => holds "variances" (Real.abs (x - y) < 1E~9 * x)) (Tensor.toList variances, Tensor.toList projected);
         ListPair.appEq (fn (x, y) => holds "about 9 and 1" (Real.abs (x - y) < 0.5)) ([9.0, 1.0], Tensor.toList variances)
       end);
     test "logistic" (fn () =>
       let
         val (x, labels) = Logistic.example 2003
         val model = {weights = RealTensor.fromList [3] [0.5, ~1.0, 0.25], bias = Scalar.nth (RealSeq.fromList [0.125]) 0}
         val {weights, bias} = Gradient.grad Logistic.model (Logistic.loss (x, labels)) model
         (* by hand: the mean of x (p - label), p the probability that the model gives *)
         fun error (score, label) = let open Exp in real 1.0 / (real 1.0 + exp (~ score)) - label end
         val errors = Tensor.zipWith error (Logistic.scores (x, model), labels)
         val expected = Tensor.Infix.* (Linear.matmul (Tensor.transpose x, errors), Tensor.Infix.R (1.0 / 2003.0))
         val (losses, _) = Logistic.descend (1.0, 30) (x, labels)
       in
         ListPair.appEq (fn (a, b) => holds "the gradient" (Real.abs (a - b) < 1E~12)) (Tensor.toList expected, Tensor.toList weights);
         holds "the gradient of the bias" (Real.abs (Tensor.value (Along.mean [0] errors) - Scalar.value bias) < 1E~12);
         holds "the loss falls" (ListPair.all (fn (later, before_) => later <= before_) (losses, List.tl losses) andalso List.hd losses < 0.5)
       end);
     test "hmm" (fn () =>
       let
         val n = 33
         val numbers = Hmm.example n
         fun stays s = 1.0 / (1.0 + Math.exp (Real.~ s))
         fun density d = Math.exp (Real.~ (d * d) / 2.0)
         (* the forward algorithm *)
         fun forward {stay = (s0, s1), means = (m0, m1)} =
           let
             fun step (x, (p, q)) =
               ((p * stays s0 + q * (1.0 - stays s1)) * density (x - m0), (p * (1.0 - stays s0) + q * stays s1) * density (x - m1))
             (* The likelihood is the sum over both first states. *)
             fun from start = let val (p, q) = List.foldl step start (Seq.toList numbers) in p + q end
           in
             Math.ln (from (1.0, 0.0) + from (0.0, 1.0)) / real n
           end
         fun at (a, b, c, d) = {stay = (a, b), means = (c, d)}
         val slope = Gradient.grad Hmm.model (Hmm.likelihood numbers) (Hmm.scalars (at (0.5, ~0.25, ~1.0, 1.5)))
         val {stay = (d0, d1), means = (d2, d3)} = slope
         fun quotient move =
           let fun value h = forward (at (move h))
           in (value 1E~5 - value ~1E~5) / 2E~5 end
         fun near what (a, b) = holds (what ^ Real.toString a ^ " = " ^ Real.toString b) (Real.abs (a - b) < 1E~7)
         val (values, _) = Hmm.ascend (1.0, 20) numbers (Hmm.scalars (at (0.0, 0.0, ~0.5, 0.5)))
       in
         near "the likelihood: "
           (forward (at (0.5, ~0.25, ~1.0, 1.5)), Scalar.value (Hmm.likelihood numbers (Hmm.scalars (at (0.5, ~0.25, ~1.0, 1.5)))));
         near "stay 0: " (quotient (fn h => (0.5 + h, ~0.25, ~1.0, 1.5)), Scalar.value d0);
         near "stay 1: " (quotient (fn h => (0.5, ~0.25 + h, ~1.0, 1.5)), Scalar.value d1);
         near "mean 0: " (quotient (fn h => (0.5, ~0.25, ~1.0 + h, 1.5)), Scalar.value d2);
         near "mean 1: " (quotient (fn h => (0.5, ~0.25, ~1.0, 1.5 + h)), Scalar.value d3);
         holds "the likelihood rises" (ListPair.all (fn (later, before_) => later >= before_) (values, List.tl values))
       end);
     test "digits" (fn () => FileTests.inFile ".png" (fn path =>
       let val drawn = Digits.drawn 137
       in
         ints ([7, 685], Tensor.shape drawn);
         Files.write path drawn;
         bool (true, Tensor.equal Exp.== (drawn, Files.read Type.word8 path));
         ints (List.tabulate (137, fn k => k mod 10), Tensor.toList (Digits.recognized (Files.read Type.word8 path)))
       end));
     test "edges" (fn () =>
       let
         val host = Array2.tabulate whole (17, 31, fn (i, j) => Word8.fromInt ((i * i * 7 + j * 13 * i + 5 * j) mod 256))
         val blurred = filtered (Matrix.toArray2 Edges.gaussian) (Array2.tabulate whole (17, 31, fn (i, j) => real (Word8.toInt (at (host, i, j)))))
         val (x, y) = (filtered (Matrix.toArray2 Edges.sobel) blurred, filtered (Matrix.toArray2 (Tensor.transpose Edges.sobel)) blurred)
         fun strength (i, j) = Math.sqrt (at (x, i, j) * at (x, i, j) + at (y, i, j) * at (y, i, j))
         val picture = Word8Matrix.fromArray2 host
         val edges = Edges.edges picture
       in
         ints ([17, 31, 13, 27], Tensor.shape picture @ Tensor.shape edges);
         bool (true, Tensor.equal Exp.== (picture, Edges.gray (Tensor.stack 2 [picture, picture, picture])));
         bool (true, Tensor.equal Exp.== (picture, Edges.gray picture));
         Matrix.appi whole (fn (i, j, x) => holds "an edge" (Int.abs (Word8.toInt x - Real.trunc (Real.min (strength (i, j), 255.0))) <= 1)) edges
       end))
end
