val () = Check.finish ()
