(** Contexts: an engine with its memory. Only functions that construct a sequence from host data take a context; every other
    sequence belongs to the context of its arguments. *)

type t

(** Sizes in bytes: [live] is used by sequences now, [cached] is kept for reuse, [peak] is the largest [live] since
    {!reset_peak}. *)
type memory = { live : int; cached : int; peak : int; limit : int option }

(** [create name], with [name] one of ["cpu"], ["cuda:0"], ["auto"]. ["auto"] selects a GPU if there is one, else the CPU.
    @raise Warpfold.Error [Argument] for an unknown name, [Device] if the device or its driver is missing. *)
val create : string -> t

val cpu : unit -> t

(** [cuda device]. *)
val cuda : int -> t

val auto : unit -> t

(** The context of functions called without [?context]: the last [set_default], else the one named by the environment variable
    [WARPFOLD_CONTEXT], else ["auto"]. *)
val default : unit -> t

val set_default : t -> unit
val name : t -> string

(** [equal a b] is true if both are the same context, rather than two of the same name. *)
val equal : t -> t -> bool

(** The number of this process, and the number of all that compute for the context: [(0, 1)], except for ["mpi"]. *)
val ranks : t -> int * int

val memory : t -> memory
val reset_peak : t -> unit

(** Limits the live bytes from now on; [None] removes the limit. A call that would exceed it collects garbage first. If the limit
    is still exceeded, it raises [Warpfold.Error] [Memory]; everything stays usable. *)
val set_limit : t -> int option -> unit

(** Collects garbage, then returns cached memory to the system. The result is the number of bytes returned. *)
val trim : t -> int

(** Ends the computations that run in the context now, on any threads, within some 50 ms: each raises [Warpfold.Error] [Canceled]. Without a context:
    in all contexts. A handler of a signal needs no [cancel]: it runs during computations, and an exception that it raises, such as [Sys.Break], ends
    the computation. *)
val cancel : ?context:t -> unit -> unit

(** Closes the context: from now on operations on its sequences raise [Warpfold.Error] [Argument]. *)
val close : t -> unit

(** Releases this handle without waiting for the garbage collector. *)
val release : t -> unit

val pp : Format.formatter -> t -> unit
[@@ocaml.toplevel_printer]

(**/**)

val own : (Warpfold_description.context Ctypes.ptr Ctypes.ptr -> int) -> t
val use : t -> (Warpfold_description.context Ctypes.ptr -> 'a) -> 'a
