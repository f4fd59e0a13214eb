val () =
  (ValueTests.run (); PrimitiveTests.run (); ExpressionTests.run (); TypeTests.run (); TraceTests.run (); InnerTests.run (); OrderTests.run (); ScatterTests.run ();
   SequenceTests.run (); SearchTests.run (); SegmentTests.run (); PlanTests.run (); DrawTests.run (); ErrorTests.run (); NativeTests.run ();
   SeedTests.run (); MemoryTests.run ())
