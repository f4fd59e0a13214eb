val () =
  (ExampleTests.run (); ProgramTests.run (); ArrayProgramTests.run ())
