(* All tests, under either compiler. WARPFOLD_SML names the folder of the binding. *)
structure Tests =
struct
  fun main () =
    (HeaderTests.run (Option.getOpt (OS.Process.getEnv "WARPFOLD_SML", "."));
     PrimitiveTests.run ();
     ExpressionTests.run ();
     ErrorTests.run ();
     SeedTests.run ();
     MemoryTests.run ();
     Check.finish ())
end
