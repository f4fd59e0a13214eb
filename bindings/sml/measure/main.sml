(* MLton runs a program from top to bottom; Poly/ML calls main. *)
val () = main ()
