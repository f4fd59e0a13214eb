(** Contexts: an engine with its memory. Only functions that make sequences from nothing take one; every other sequence lives
    in that of those it is made from. *)

type t

(** Bytes: [live] in sequences now, [cached] for reuse, [peak] the largest [live] since {!reset_peak}. *)
type memory = { live : int; cached : int; peak : int; limit : int option }

(** ["cpu"], ["cuda:0"], or ["auto"]: a GPU where there is one.
    @raise Warpfold.Error [Argument] for an unknown name, [Device] where the device or its driver is missing. *)
val create : string -> t

val cpu : unit -> t

(** [cuda device]. *)
val cuda : int -> t

val auto : unit -> t

(** What functions without [?context] use: the last [set_default], else what the environment variable [WARPFOLD_CONTEXT] names,
    else ["auto"]. *)
val default : unit -> t

val set_default : t -> unit
val name : t -> string
val memory : t -> memory
val reset_peak : t -> unit

(** From now on at most so many bytes may be live. Beyond that garbage is collected, and if that does not help, the call raises
    [Warpfold.Error] [Memory]; everything stays usable. *)
val set_limit : t -> int option -> unit

(** Collects garbage, then gives cached memory back to the system; the bytes of the latter. *)
val trim : t -> int

(** From now on operations on the context's sequences raise [Warpfold.Error] [Argument]. *)
val close : t -> unit

(** Gives this handle up without waiting for the collector. *)
val release : t -> unit

val pp : Format.formatter -> t -> unit
[@@ocaml.toplevel_printer]

(**/**)

val own : (Warpfold_description.context Ctypes.ptr Ctypes.ptr -> int) -> t
val use : t -> (Warpfold_description.context Ctypes.ptr -> 'a) -> 'a
