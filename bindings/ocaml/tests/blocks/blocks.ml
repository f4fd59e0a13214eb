(* The addresses of a block function and of its divisor. *)
external quotients : unit -> nativeint = "test_quotients"
external divisor : unit -> nativeint = "test_divisor"
