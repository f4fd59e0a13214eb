(** Calls of the C API: error codes become exceptions. If memory is exhausted, garbage is collected and the call repeated once. *)

type code = Argument | Type | Memory | Compile | Device | Unsupported | Io | Internal | Canceled

exception Error of code * string

(** The exception for an error code of the C API. *)
val exception_of : int -> string -> exn

(** Runs the call. If it returns the memory code, collects all garbage and runs it again.
    @raise Error if it fails; [Invalid_argument] for the size and range codes. *)
val check : (unit -> int) -> unit

(** [named "Seq." "zip" f] is [f ()]. Messages of [Invalid_argument] and [Error] that begin with a function of the C API,
    ["wf_zip: ..."], or with ["warpfold: ..."], begin with ["Warpfold.Seq.zip: ..."] instead. *)
val named : string -> string -> (unit -> 'a) -> 'a

(** [named], by default with ["Seq."], for a function that is composed of functions of [Seq] and [Scalar]: their messages name this one
    too. *)
val composed : ?folder:string -> string -> (unit -> 'a) -> 'a

(** The text that a call returns. *)
val text : (char Ctypes.ptr -> int -> int Ctypes.ptr -> int) -> string

(** The output of a call. *)
val output : 'a Ctypes.typ -> ('a Ctypes.ptr -> int) -> 'a

val int32 : (int Ctypes.ptr -> int) -> int
val int64 : (int Ctypes.ptr -> int) -> int

val handle : 'a Handle.kind -> ('a Ctypes.ptr Ctypes.ptr -> int) -> 'a Handle.t

(** [bytes] is the known size of the sequence's memory. *)
val seq :
  ?bytes:int ->
  (Warpfold_description.seq Ctypes.ptr Ctypes.ptr -> int) ->
  Warpfold_description.seq Handle.t

(** The n sequences that the call writes. *)
val seqs : int -> (Warpfold_description.seq Ctypes.ptr Ctypes.ptr -> int) -> Warpfold_description.seq Handle.t list
