(* Contexts: an engine with its memory. Sequences made from nothing (tabulate, fromList, fromFile, ...) live in the default
   context; what is made from sequences lives where they do. *)
signature CONTEXT =
sig
  type t

  (* "cpu", "cuda:0", or "auto": a GPU where there is one. Warpfold Argument for an unknown name, Device where the device or its
     driver is missing. *)
  val create : string -> t

  (* The innermost `within` of this thread, else the process's: the one that the environment variable WARPFOLD_CONTEXT names,
     else "auto". *)
  val default : unit -> t
  (* within c f is f (), with c as the default on this thread meanwhile. *)
  val within : t -> (unit -> 'a) -> 'a

  val name : t -> string
  (* Returns true if both are the same context, rather than two of the same name. *)
  val same : t * t -> bool

  (* Bytes: in sequences and kernels now, kept for reuse, the most there were, the limit. *)
  val memory : t -> {live : int, cached : int, peak : int, limit : int option}
  (* From now on at most so many bytes may be live. A computation that needs more collects garbage, tries again, and then raises
     Warpfold Memory. *)
  val setLimit : t -> int option -> unit
  (* From now on the peak counts from what is live now. *)
  val resetPeak : t -> unit
  (* Gives cached memory back to the system: so many bytes. *)
  val trim : t -> int

  (* After close, operations on the context's sequences raise Warpfold Argument. *)
  val close : t -> unit

  (* For tests: the k-th allocation from now on fails, 1 being the next; 0 turns this off. *)
  val failAllocation : t -> int -> unit
end
