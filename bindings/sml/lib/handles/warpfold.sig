(* Errors, and the version of the library. The structure Warpfold contains all other public structures, too: Warpfold.Seq and so on. *)
signature WARPFOLD =
sig
  (* The classes of failure, as in warpfold.h. *)
  datatype code = Argument | Type | Memory | Compile | Device | Unsupported | Io | Internal | Canceled

  (* Raised if a function of the library fails and the Basis has no exception for the failure. The Basis has these:
       Subscript    an index outside a sequence, at the call or inside a lambda when its result is computed
       Size         lengths that differ, are negative or too large
       Overflow     an element that the ML type cannot represent (an int of Poly/ML has 63 bits)
       IO.Io        a file that cannot be read; its cause is a Warpfold
     A failed call changes nothing. The message states the fact and the expected values. *)
  exception Warpfold of {code : code, message : string}

  (* The message of the last failure on this thread, whichever exception it raised. *)
  val lastMessage : unit -> string

  (* The version of the shared library, such as "0.1.0". *)
  val version : unit -> string

  (* The scalar operations of the library, each as "name arity types result". *)
  val operations : unit -> string list
end
