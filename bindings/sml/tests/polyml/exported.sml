(* A program made by polyc: values that the compiling process made, and threads and the collector in such a program. *)
PolyML.Compiler.printDepth := 0;
val directory = Option.getOpt (OS.Process.getEnv "WARPFOLD_SML", ".");
fun useAll files = List.app (fn file => use (OS.Path.concat (directory, file ^ ".sml"))) files;
(* The collector's tests use structures that the library hides. *)
val () =
  List.app (fn file => use (OS.Path.concat (directory, "raw/" ^ file)))
    ["polyml/int64.sml", "_build/c_api.sig", "polyml/c_types.sml", "_build/polyml.sml", "platform.sig", "polyml/process.sml",
     "polyml/cells.sml", "polyml/platform.sml"];
val () = useAll ["warpfold", "tests/check", "tests/polyml/c", "tests/polyml/inherited", "tests/polyml/threads", "tests/polyml/collector"];
fun main () = (Inherited.run ("polyc", true); ThreadTests.run (); CollectorTests.run (); Check.finish ());
