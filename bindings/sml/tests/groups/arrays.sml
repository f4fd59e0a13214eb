val () =
  (MakingTests.run (); ViewTests.run (); ElementwiseTests.run (); CellTests.run (); JitTests.run (); GradientTests.run (); AlongTests.run ();
   MatrixTests.run (); FileTests.run (); LinearTests.run (); RandomMatrixTests.run ())
