(** Calls of the C interface: codes become exceptions, and an exhausted memory is collected once before it is an error. *)

type code = Argument | Type | Memory | Compile | Device | Unsupported | Io | Internal

exception Error of code * string

(** What a code of the interface becomes. *)
val exception_of : int -> string -> exn

(** Runs the call. On the memory code it collects all garbage and runs it again.
    @raise Error if it fails; [Invalid_argument] for the size and range codes. *)
val check : (unit -> int) -> unit

(** [named "Seq." "zip" f] is [f ()]. Messages of [Invalid_argument] and [Error] that begin with a function of the C interface,
    ["wf_zip: ..."], or with ["warpfold: ..."], begin with ["Warpfold.Seq.zip: ..."] instead. *)
val named : string -> string -> (unit -> 'a) -> 'a

(** The text that a call gives out. *)
val text : (char Ctypes.ptr -> int -> int Ctypes.ptr -> int) -> string

(** What a call gives out. *)
val output : 'a Ctypes.typ -> ('a Ctypes.ptr -> int) -> 'a

val int32 : (int Ctypes.ptr -> int) -> int
val int64 : (int Ctypes.ptr -> int) -> int

val handle : 'a Handle.kind -> ('a Ctypes.ptr Ctypes.ptr -> int) -> 'a Handle.t

(** [bytes]: what is known to lie behind the sequence. *)
val seq :
  ?bytes:int ->
  (Warpfold_description.seq Ctypes.ptr Ctypes.ptr -> int) ->
  Warpfold_description.seq Handle.t
