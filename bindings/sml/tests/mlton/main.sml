val () = (Tests.run (); Check.finish ())
