val () = Tests.main ()
