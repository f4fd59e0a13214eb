val () = ProgramTests.run ()
