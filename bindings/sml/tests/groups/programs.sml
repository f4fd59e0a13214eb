structure Tests =
struct
  fun run () =
    (ExampleTests.run (); ProgramTests.run (); ArrayProgramTests.run ())
end
