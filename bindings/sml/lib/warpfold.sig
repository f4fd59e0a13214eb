(* What goes wrong, and which library this is. *)
signature WARPFOLD =
sig
  (* The classes of failure, as warpfold.h has them. *)
  datatype code = Argument | Type | Memory | Compile | Device | Unsupported | Io | Internal

  (* Raised by every function of the library whose failure has no exception in the Basis. Otherwise:
       Subscript    an index outside a sequence, at the call or inside a lambda when its result is computed
       Size         lengths that differ, are negative or too large
       Overflow     an element that the host's type cannot hold (an int of Poly/ML has 63 bits)
       IO.Io        a file that cannot be read; its cause is a Warpfold
     After any failure everything is as it was before. The message says what was wrong and what would be right. *)
  exception Warpfold of {code : code, message : string}

  (* The message of the last failure on this thread, also of those raised as Subscript and Size. *)
  val lastMessage : unit -> string

  (* Of the shared library, such as "0.1.0". *)
  val version : unit -> string

  (* The scalar operations of the library, each as "name arity types result". *)
  val operations : unit -> string list
end
