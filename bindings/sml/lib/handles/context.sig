(* Contexts: an engine with its memory. Functions that make a sequence without an input sequence (tabulate, fromList, fromFile, ...) use the
   default context. All other sequences belong to the context of the sequences that they are made from. *)
signature CONTEXT =
sig
  type t

  (* "cpu", "cuda:0", or "auto" (a GPU if there is one, else the CPU). Warpfold Argument for an unknown name, Device if the device or its
     driver is missing. *)
  val create : string -> t

  (* The context of the innermost `within` of this thread, else that of the process: the environment variable WARPFOLD_CONTEXT names
     it, else it is "auto". *)
  val default : unit -> t
  (* within c f calls f () with c as the default context of this thread. *)
  val within : t -> (unit -> 'a) -> 'a

  val name : t -> string
  (* Returns true if both are the same context, rather than two of the same name. *)
  val same : t * t -> bool

  (* The number of this process, and the number of all that compute for the context: (0, 1), except for "mpi". *)
  val ranks : t -> int * int

  (* Bytes: live in sequences and kernels now, cached for reuse, the peak of live, the limit. *)
  val memory : t -> {live : int, cached : int, peak : int, limit : int option}
  (* Limits the live bytes. A computation that needs more collects garbage and tries again; if that fails, it raises Warpfold Memory. *)
  val setLimit : t -> int option -> unit
  (* Resets the peak to the bytes that are live now. *)
  val resetPeak : t -> unit
  (* Returns cached memory to the system. The result is its size in bytes. *)
  val trim : t -> int

  (* Ends the computations that run in all contexts now, on any threads, within some 50 ms: each raises Warpfold Canceled, and everything is usable
     as before. *)
  val cancel : unit -> unit
  (* From now on Ctrl-C ends the computation that runs, which raises Warpfold Canceled; between computations it has its earlier effect. At the
     toplevel of Poly/ML this is not needed: there Ctrl-C raises Interrupt in computations, too. *)
  val cancelOnInterrupt : unit -> unit

  (* After close, operations on the context's sequences raise Warpfold Argument. *)
  val close : t -> unit

  (* For tests: the k-th allocation from now on fails (1: the next); 0 turns this off. *)
  val failAllocation : t -> int -> unit
end
