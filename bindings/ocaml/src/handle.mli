(** Handles of the C interface under the collector's care.

    A handle owns one reference and releases it when it is collected, or earlier by {!release}. The collector knows nothing
    of the memory behind a handle, so it is told: as for a bigarray, [OCAMLRUNPARAM]'s [M] and [m] steer how eagerly memory
    outside of the heap makes it run. Reports are capped at 64 MiB. *)

type _ kind =
  | Context : Warpfold_description.context kind
  | Seq : Warpfold_description.seq kind
  | Fn : Warpfold_description.fn kind

type 'a t

val layout : 'a kind -> 'a Ctypes.typ

(** Takes over the reference that a call has put into the cell; [bytes] is what is known to lie behind it. *)
val own : ?bytes:int -> 'a kind -> Scratch.cell -> 'a t

(** Tells the collector of bytes that existing handles have come to hold. *)
val grew : int -> unit

(** Gives the reference up now; again is no error. *)
val release : 'a kind -> 'a t -> unit

val is_released : 'a t -> bool

(** [use kind h f] is [f pointer]; the pointer is valid until [f] returns, whatever other threads release meanwhile.
    @raise Invalid_argument if [h] was released. *)
val use : 'a kind -> 'a t -> ('a Ctypes.ptr -> 'b) -> 'b

(** The same for an array of sequences: [f pointers n]. *)
val use_seqs :
  Warpfold_description.seq t list -> (Warpfold_description.seq Ctypes.ptr Ctypes.ptr -> int -> 'b) -> 'b

(** A new reference, to be given up by {!release_pointer}. *)
val acquire : 'a kind -> 'a t -> 'a Ctypes.ptr

val release_pointer : 'a kind -> 'a Ctypes.ptr -> unit
val address : 'a Ctypes.ptr -> nativeint

(** Lets go of bigarrays that the library has finished reading. *)
val drop_adopted : unit -> unit

(** [finally release f] is [f ()]; [release ()] runs after it in any case. *)
val finally : (unit -> unit) -> (unit -> 'a) -> 'a
