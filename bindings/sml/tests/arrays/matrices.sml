(* Matrix: the names of Array2. *)
structure MatrixTests =
struct
  open Arrays
  val transposed = fn rows => List.tabulate (List.length (hd rows), fn j => List.map (fn row => List.nth (row, j)) rows)

  fun run () =
    (test "matrices: lists of rows" (fn () =>
       let val m = IntMatrix.fromList [[1, 2, 3], [4, 5, 6]]
       in
         isArray ([2, 3], fn [i, j] => 3 * i + j + 1 | _ => 0) m;
         bool (true, (2, 3) = Matrix.dimensions m);
         ints ([2, 3], [Matrix.nRows m, Matrix.nCols m]);
         bool (true, [[1, 4], [2, 5], [3, 6]] = Matrix.toList (Tensor.transpose m));
         int (6, Matrix.sub (m, 1, 2));
         subscript (fn () => Matrix.sub (m, 2, 0));
         isArray ([3], fn [j] => 4 + j | _ => 0) (Matrix.row (m, 1));
         isArray ([2], fn [i] => 3 * i + 2 | _ => 0) (Matrix.column (m, 1));
         subscript (fn () => Matrix.row (m, 2));
         subscript (fn () => Matrix.column (m, ~1));
         contains ("Matrix.column: the index is ~1, but the shape is 2 x 3", Warpfold.lastMessage ());
         size (fn () => IntMatrix.fromList [[1], [2, 3]]);
         contains ("Matrix.fromList: a row has 2 elements, but the first one has 1", Warpfold.lastMessage ());
         size (fn () => Matrix.nRows (Tensor.iota [3]));
         isArray ([0, 0], fn _ => 0) (IntMatrix.fromList [])
       end);
     test "matrices: Array2" (fn () =>
       List.app
         (fn (r, c) =>
            let
              val host = Array2.tabulate Array2.RowMajor (r, c, fn (i, j) => 1000 * i + j)
              val m = IntMatrix.fromArray2 host
              val back = Matrix.toArray2 (Tensor.transpose m)
              fun each (i, j, x, l) = (i, j, x) :: l
              fun same traversal =
                bool (true, Array2.foldi traversal each [] {base = host, row = 0, col = 0, nrows = NONE, ncols = NONE}
                            = Matrix.foldi traversal each [] m)
            in
              isArray ([r, c], fn [i, j] => 1000 * i + j | _ => 0) m;
              ints ([c, r], [Array2.nRows back, Array2.nCols back]);
              Array2.appi Array2.RowMajor (fn (j, i, x) => int (1000 * i + j, x)) {base = back, row = 0, col = 0, nrows = NONE, ncols = NONE};
              same Array2.RowMajor;
              same Array2.ColMajor;
              int (Array2.fold Array2.RowMajor op + 0 host, Matrix.fold Matrix.ColMajor op + 0 m)
            end)
         [(1, 1), (2, 3), (17, 5), (1, 257), (3, 1)]);
     test "matrices: eye, tabulate, diagonals" (fn () =>
       (isArray ([17, 17], fn [i, j] => if i = j then 1 else 0 | _ => 0) (IntMatrix.eye 17);
        areReals ([3, 3], fn [i, j] => if i = j then 1.0 else 0.0 | _ => 0.0) (RealMatrix.eye 3);
        isArray ([0, 0], fn _ => 0) (IntMatrix.eye 0);
        each [[5]] (fn (shape, v) =>
          (isArray ([5, 5], fn [i, j] => if i = j then expected shape [i] else 0 | _ => 0) (Matrix.ofDiagonal v);
           isArray (shape, expected shape) (Tensor.diagonal 0 (Matrix.ofDiagonal v))));
        isArray ([17, 3], fn [i, j] => i - 2 * j | _ => 0) (Matrix.tabulate (fn (i, j) => Exp.- (i, Exp.* (Exp.int 2, j))) (17, 3))));
     test "matrices: app" (fn () =>
       let val seen = ref ""
       in
         Matrix.app Matrix.ColMajor (fn x => seen := !seen ^ Int.toString x) (Tensor.iota [2, 3]);
         string ("031425", !seen);
         Matrix.appi Matrix.RowMajor (fn (i, j, x) => int (3 * i + j, x)) (Tensor.iota [2, 3])
       end))
end
