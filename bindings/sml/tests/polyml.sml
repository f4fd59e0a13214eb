(* The tests under Poly/ML. *)
PolyML.Compiler.printDepth := 0;
val directory = Option.getOpt (OS.Process.getEnv "WARPFOLD_SML", ".");
val () = use (OS.Path.concat (directory, "warpfold.sml"));
val () =
  List.app (fn file => use (OS.Path.concat (directory, "tests/" ^ file ^ ".sml")))
    ["check", "header", "primitives", "expressions", "errors", "seeds", "memory", "run"];
val () = Tests.main ();
