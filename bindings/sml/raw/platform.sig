(* What the layers above need of a compiler beside the C interface: C's memory, numbers in it, and finalizers. *)
signature PLATFORM =
sig
  type pointer = Door.pointer

  val null : pointer
  val text : string -> Door.text
  val int32 : int -> Door.int32
  val int64 : int -> Door.int64
  val fromInt32 : Door.int32 -> int
  val fromInt64 : Door.int64 -> int  (* Overflow where an int is too narrow *)

  (* C's memory, which the garbage collector neither moves nor frees. Indices count elements. *)
  val allocate : int -> pointer  (* so many bytes; Fail where there are none *)
  val free : pointer -> unit
  val getPointer : pointer * int -> pointer
  val setPointer : pointer * int * pointer -> unit
  val getInt32 : pointer * int -> int
  val setInt32 : pointer * int * int -> unit
  val getInt64 : pointer * int -> int
  val getWide : pointer * int -> real  (* an int64_t, near enough *)
  val offset : pointer * int -> pointer  (* so many bytes further *)
  val getString : pointer -> string  (* up to the first zero byte *)

  (* Numbers of single precision. *)
  structure Single :
    sig
      type t
      val fromReal : real -> t
      val toReal : t -> real
    end

  (* Elements in C's memory: one by one, and as whole arrays, from the pointer on. `fromHost` is wf_from_host on an array itself,
     where the compiler can hand its memory to C. *)
  type 'a codec =
    {get : pointer * int -> 'a, set : pointer * int * 'a -> unit,
     load : pointer * int -> 'a array, store : pointer * 'a array -> unit,
     fromHost : (pointer * Door.int32 * 'a array * Door.int64 * pointer -> Door.int32) option}
  val bool : bool codec
  val word8 : Word8.word codec
  val int32s : Int32.int codec
  val word32 : Word32.word codec
  val int : int codec
  val int64s : Int64.int codec  (* Poly/ML: Overflow for what 64 bits cannot hold *)
  val word64 : Word64.word codec
  val single : Single.t codec
  val real : real codec

  (* Makes the library ready for calls; Missing, with a message, if it cannot be loaded. *)
  exception Missing of string
  val ready : unit -> unit

  (* A pointer that is released by `give`, once: when `release` is called, or after the garbage collector has found that nothing
     refers to the cell. `using` keeps cells alive while their pointers are in use; the pointer of a released cell is null.

     `cell` makes the pointer from those of other cells. A program that was exported, or a state that was saved, with the cell in
     it makes the pointer again when it is first used, in the same way, if it was recorded; else `using` raises Inherited.
     Nothing is recorded unless isExportable (). *)
  type cell
  exception Inherited
  val isExportable : unit -> bool
  val cell : {from : cell list, make : pointer list -> pointer, give : pointer -> unit, isRecorded : bool} -> cell
  val using : cell list * (pointer list -> 'a) -> 'a
  val isCurrent : cell -> bool  (* false if the pointer is another process's *)
  val touch : cell -> unit  (* keeps it alive until here *)
  val release : cell -> unit
  val same : cell * cell -> bool
  val cells : unit -> int    (* made and not released yet *)
  val collect : unit -> unit (* collects all garbage and releases what was found *)

  (* Adds a text for General.exnMessage, where the compiler has a way to. *)
  val addExnMessager : (exn -> string option) -> unit

  (* One lock for the little that is shared between threads; not to be taken twice. *)
  val synchronized : (unit -> 'a) -> 'a
  (* What is made by the function, once a process: a program that was exported with it starts with a new one. *)
  val perProcess : (unit -> 'a) -> unit -> 'a
  (* A variable of which each thread has its own. *)
  val perThread : unit -> {get : unit -> 'a option, set : 'a option -> unit}
end
