(** Garbage-collected handles of the C API.

    A handle owns one reference and releases it when it is collected, or earlier by {!release}. The memory that a handle owns is
    reported to the garbage collector. As for a bigarray, [OCAMLRUNPARAM]'s [M] and [m] control how early memory outside
    the heap triggers a collection. Reports are capped at 64 MiB. *)

type _ kind =
  | Context : Warpfold_description.context kind
  | Seq : Warpfold_description.seq kind
  | Fn : Warpfold_description.fn kind
  | Program : Warpfold_description.program kind

type 'a t

val layout : 'a kind -> 'a Ctypes.typ

(** Takes ownership of the reference that a call has stored in the cell; [bytes] is the known size of its memory. *)
val own : ?bytes:int -> 'a kind -> Scratch.cell -> 'a t

(** Reports memory that existing handles have acquired to the garbage collector. *)
val grew : int -> unit

(** Releases the reference now; releasing it twice is not an error. *)
val release : 'a kind -> 'a t -> unit

val is_released : 'a t -> bool

(** [use kind h f] is [f pointer]; the pointer is valid until [f] returns, even if other threads release [h] meanwhile.
    @raise Invalid_argument if [h] was released. *)
val use : 'a kind -> 'a t -> ('a Ctypes.ptr -> 'b) -> 'b

(** [use] for an array of sequences: [f pointers n]. *)
val use_seqs :
  Warpfold_description.seq t list -> (Warpfold_description.seq Ctypes.ptr Ctypes.ptr -> int -> 'b) -> 'b

(** A new reference; the caller releases it by {!release_pointer}. *)
val acquire : 'a kind -> 'a t -> 'a Ctypes.ptr

val release_pointer : 'a kind -> 'a Ctypes.ptr -> unit
val address : 'a Ctypes.ptr -> nativeint

(** Releases bigarrays that the library has finished reading. *)
val drop_adopted : unit -> unit

(** [finally release f] is [f ()]; [release ()] runs after it even if it raises. *)
val finally : (unit -> unit) -> (unit -> 'a) -> 'a
