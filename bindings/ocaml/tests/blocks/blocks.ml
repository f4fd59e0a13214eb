(* The address of a block function, and of the number that it divides by. *)
external quotients : unit -> nativeint = "test_quotients"
external divisor : unit -> nativeint = "test_divisor"
