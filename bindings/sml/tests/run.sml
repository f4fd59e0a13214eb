(* All tests that both compilers run. WARPFOLD_SML names the folder of the binding. *)
structure Tests =
struct
  fun run () =
    (PrimitiveTests.run ();
     ExpressionTests.run ();
     TraceTests.run ();
     InnerTests.run ();
     OrderTests.run ();
     ScatterTests.run ();
     SequenceTests.run ();
     SearchTests.run ();
     SegmentTests.run ();
     MakingTests.run ();
     ViewTests.run ();
     ElementwiseTests.run ();
     CellTests.run ();
     JitTests.run ();
     GradientTests.run ();
     AlongTests.run ();
     MatrixTests.run ();
     FileTests.run ();
     LinearTests.run ();
     RandomMatrixTests.run ();
     PlanTests.run ();
     DrawTests.run ();
     ErrorTests.run ();
     NativeTests.run ();
     SeedTests.run ();
     ExampleTests.run ();
     ProgramTests.run ();
     ArrayProgramTests.run ();
     MemoryTests.run ())
end
