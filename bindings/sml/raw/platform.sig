(* Functions that depend on the compiler, besides the C API: C memory, numbers in it, and finalizers. *)
signature PLATFORM =
sig
  type pointer = CApi.pointer

  val null : pointer
  val text : string -> CApi.text
  val int32 : int -> CApi.int32
  val int64 : int -> CApi.int64
  val fromInt32 : CApi.int32 -> int
  val fromInt64 : CApi.int64 -> int  (* Overflow if an int is too narrow *)

  (* C memory, which the garbage collector neither moves nor frees. Indices count elements. *)
  val allocate : int -> pointer  (* this number of bytes; Fail if memory is exhausted *)
  val free : pointer -> unit
  val getPointer : pointer * int -> pointer
  val setPointer : pointer * int * pointer -> unit
  val getInt32 : pointer * int -> int
  val setInt32 : pointer * int * int -> unit
  val getInt64 : pointer * int -> int
  val setInt64 : pointer * int * int -> unit
  val getWide : pointer * int -> real  (* an int64_t, rounded to a real *)
  val offset : pointer * int -> pointer  (* the pointer plus this number of bytes *)
  val getString : pointer -> string  (* up to the first zero byte *)

  (* All bytes of an array to C's memory and back, and so many bytes from there in a new array, with one memcpy. *)
  val storeBytes : pointer * Word8Array.array -> unit
  val fillBytes : Word8Array.array * pointer -> unit
  val loadBytes : pointer * int -> Word8Array.array

  (* Numbers of single precision. *)
  structure Single :
    sig
      type t
      val fromReal : real -> t
      val toReal : t -> real
    end

  (* Elements in C memory, from the pointer on: single elements and whole arrays. `load` makes an array, `fill` overwrites one. `fromHost` is
     wf_from_host of an ML array, if the compiler can pass its memory to C. *)
  type 'a codec =
    {get : pointer * int -> 'a, set : pointer * int * 'a -> unit,
     load : pointer * int -> 'a array, fill : pointer * 'a array -> unit, store : pointer * 'a array -> unit,
     fromHost : (pointer * CApi.int32 * 'a array * CApi.int64 * pointer -> CApi.int32) option}
  val bool : bool codec
  val word8 : Word8.word codec
  val int32s : Int32.int codec
  val word32 : Word32.word codec
  val int : int codec
  val int64s : Int64.int codec  (* Poly/ML: Overflow if a number does not fit in 64 bits *)
  val word64 : Word64.word codec
  val single : Single.t codec
  val real : real codec

  (* Loads the library; raises Missing, with a message, if that fails. *)
  exception Missing of string
  val ready : unit -> unit

  (* A pointer that `give` releases, once: when `release` is called, or after the garbage collector has found that the cell is unreachable.
     `using` keeps cells alive while their pointers are in use; the pointer of a released cell is null.

     `cell` makes the pointer from those of other cells. If the cell was recorded, an exported program or saved state that contains it
     makes the pointer again, in the same way, at its first use. Otherwise `using` raises Inherited there. Cells are recorded
     only if isExportable () is true. *)
  type cell
  exception Inherited
  val isExportable : unit -> bool
  val cell : {from : cell list, make : pointer list -> pointer, give : pointer -> unit, isRecorded : bool} -> cell
  val using : cell list * (pointer list -> 'a) -> 'a
  val isCurrent : cell -> bool  (* false if another process made the pointer *)
  val touch : cell -> unit  (* keeps the cell alive until this call *)
  val release : cell -> unit
  val same : cell * cell -> bool
  val cells : unit -> int    (* the number of cells that are not released *)
  val collect : unit -> unit (* collects all garbage and releases unreachable cells *)

  (* Adds a text for General.exnMessage, if the compiler has a hook for it. *)
  val addExnMessager : (exn -> string option) -> unit

  (* Runs a function under the one lock for all data shared by threads. Calls must not nest. *)
  val synchronized : (unit -> 'a) -> 'a
  (* A value that the function makes once per process: an exported program makes a new one. *)
  val perProcess : (unit -> 'a) -> unit -> 'a
  (* A thread-local variable. *)
  val perThread : unit -> {get : unit -> 'a option, set : 'a option -> unit}
end
