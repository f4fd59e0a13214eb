(* A saved state with values of the top level, which another process loads and uses. *)
PolyML.Compiler.printDepth := 0;
val directory = Option.getOpt (OS.Process.getEnv "WARPFOLD_SML", ".");
val state = OS.Path.concat (directory, "_build/saved.state");
fun useAll files = List.app (fn file => use (OS.Path.concat (directory, file ^ ".sml"))) files;
val () = useAll ["warpfold", "tests/check", "tests/polyml/c", "tests/polyml/inherited"];
val () = Inherited.run ("saving", false);
val () = PolyML.SaveState.saveState state;
val () = Check.finish ();
