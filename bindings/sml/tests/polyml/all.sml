(* The tests under Poly/ML: those of the .mlb files for MLton, which list the files, and some more. *)
PolyML.Compiler.printDepth := 0;
val directory = Option.getOpt (OS.Process.getEnv "WARPFOLD_SML", ".");
val () = use (OS.Path.concat (directory, "warpfold.sml"));
val used : string list ref = ref [];
fun useTest file =
  if List.exists (fn other => other = file) (!used) then ()
  else (used := file :: !used; use (OS.Path.concat (directory, "tests/" ^ file)));
val () = List.app useTest ["polyml/c.sml", "check.sml", "polyml/threads.sml", "polyml/interrupts.sml"];
val () = (ThreadTests.run (); InterruptTests.run ());
fun useGroup name =
  let
    val file = TextIO.openIn (OS.Path.concat (directory, "tests/mlton/" ^ name ^ ".mlb"))
    val words = String.tokens Char.isSpace (TextIO.inputAll file)
    fun isCommon word = String.isPrefix "../" word andalso String.isSuffix ".sml" word andalso word <> "../check.sml"
  in
    TextIO.closeIn file;
    List.app (fn word => useTest ("mlton/" ^ word)) (List.filter isCommon words)
  end;
val () = (List.app useGroup ["sequences", "arrays", "programs"]; Check.finish ());
