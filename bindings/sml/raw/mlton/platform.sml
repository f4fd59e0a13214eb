(* MLton. Its int has 32 bits unless a program is compiled with -default-type int64; both work. *)
structure Platform :> PLATFORM =
struct
  structure Pointer = MLton.Pointer
  structure Finalizable = MLton.Finalizable

  type pointer = Pointer.t

  val null = Pointer.null

  (* The program is linked with the library. *)
  exception Missing of string
  fun ready () = ()

  fun text s = s ^ "\000"
  val int32 = Int32.fromInt
  val int64 = Int64.fromInt
  val fromInt32 = Int32.toInt
  val fromInt64 = Int64.toInt

  val malloc = _import "malloc" public : Word64.word -> pointer;
  val free = _import "free" public : pointer -> unit;
  fun allocate bytes =
    let val p = malloc (Word64.fromInt (Int.max (bytes, 1)))
    in if p = null then raise Fail "out of memory" else p end

  val getPointer = Pointer.getPointer
  val setPointer = Pointer.setPointer
  val getInt32 = Int32.toInt o Pointer.getInt32
  fun setInt32 (p, i, x) = Pointer.setInt32 (p, i, Int32.fromInt x)
  val getInt64 = Int64.toInt o Pointer.getInt64
  fun getWide (p, i) = Real.fromLargeInt (Int64.toLarge (Pointer.getInt64 (p, i)))
  fun offset (p, bytes) = Pointer.add (p, Word.fromInt bytes)
  fun getString p =
    let
      fun length i = if Pointer.getWord8 (p, i) = 0w0 then i else length (i + 1)
    in
      CharVector.tabulate (length 0, fn i => Byte.byteToChar (Pointer.getWord8 (p, i)))
    end

  val copyFrom = _import "memcpy" public : pointer * Word8Array.array * Word64.word -> pointer;
  val copyTo = _import "memcpy" public : Word8Array.array * pointer * Word64.word -> pointer;
  fun storeBytes (p, bytes) = ignore (copyFrom (p, bytes, Word64.fromInt (Word8Array.length bytes)))
  fun fillBytes (bytes, p) = ignore (copyTo (bytes, p, Word64.fromInt (Word8Array.length bytes)))
  fun loadBytes (p, n) =
    let val bytes = Unsafe.Word8Array.create n  (* not initialized *)
    in fillBytes (bytes, p); bytes end

  structure Single =
  struct
    type t = Real32.real
    val fromReal = Real32.fromLarge IEEEReal.TO_NEAREST o Real.toLarge
    val toReal = Real.fromLarge IEEEReal.TO_NEAREST o Real32.toLarge
  end

  type 'a codec =
    {get : pointer * int -> 'a, set : pointer * int * 'a -> unit,
     load : pointer * int -> 'a array, fill : pointer * 'a array -> unit, store : pointer * 'a array -> unit,
     fromHost : (pointer * CApi.int32 * 'a array * CApi.int64 * pointer -> CApi.int32) option}
  fun codec (get, set, fromHost) : 'a codec =
    {get = get, set = set, load = fn (p, n) => Array.tabulate (n, fn i => get (p, i)),
     fill = fn (p, a) => Array.modifyi (fn (i, _) => get (p, i)) a, store = fn (p, a) => Array.appi (fn (i, x) => set (p, i, x)) a,
     fromHost = fromHost}

  (* Arrays store numbers as C does, and the collector does not move an array during a call of C. *)
  val ofWord8 = _import "wf_from_host" public : pointer * Int32.int * Word8.word array * Int64.int * pointer -> Int32.int;
  val ofInt32 = _import "wf_from_host" public : pointer * Int32.int * Int32.int array * Int64.int * pointer -> Int32.int;
  val ofWord32 = _import "wf_from_host" public : pointer * Int32.int * Word32.word array * Int64.int * pointer -> Int32.int;
  val ofInt = _import "wf_from_host" public : pointer * Int32.int * int array * Int64.int * pointer -> Int32.int;
  val ofInt64 = _import "wf_from_host" public : pointer * Int32.int * Int64.int array * Int64.int * pointer -> Int32.int;
  val ofWord64 = _import "wf_from_host" public : pointer * Int32.int * Word64.word array * Int64.int * pointer -> Int32.int;
  val ofReal32 = _import "wf_from_host" public : pointer * Int32.int * Real32.real array * Int64.int * pointer -> Int32.int;
  val ofReal = _import "wf_from_host" public : pointer * Int32.int * real array * Int64.int * pointer -> Int32.int;

  fun setBool (p, i, x) = Pointer.setWord8 (p, i, if x then 0w1 else 0w0)
  fun setInt64 (p, i, x) = Pointer.setInt64 (p, i, Int64.fromInt x)
  val bool = codec (fn (p, i) => Pointer.getWord8 (p, i) <> 0w0, setBool, NONE)
  val word8 = codec (Pointer.getWord8, Pointer.setWord8, SOME ofWord8)
  val int32s = codec (Pointer.getInt32, Pointer.setInt32, SOME ofInt32)
  val word32 = codec (Pointer.getWord32, Pointer.setWord32, SOME ofWord32)
  val int = if Int.precision = SOME 32 then codec (getInt32, setInt32, SOME ofInt) else codec (getInt64, setInt64, SOME ofInt)
  val int64s = codec (Pointer.getInt64, Pointer.setInt64, SOME ofInt64)
  val word64 = codec (Pointer.getWord64, Pointer.setWord64, SOME ofWord64)
  val single = codec (Pointer.getReal32, Pointer.setReal32, SOME ofReal32)
  val real = codec (Pointer.getReal64, Pointer.setReal64, SOME ofReal)

  (* MLton runs a finalizer after a collection that finds its value unreachable. *)
  type slot = {slot : pointer ref, give : pointer -> unit}
  type cell = slot Finalizable.t
  val made = ref 0

  fun giveBack ({slot, give} : slot) = if !slot = null then () else (give (!slot); slot := null; made := !made - 1)

  fun using (cells, f) =
    case cells of
      [] => f []
    | cell :: rest =>
        Finalizable.withValue (cell, fn {slot, ...} : slot => using (rest, fn pointers => f (!slot :: pointers)))
  fun cell {from, make, give, isRecorded = _} =
    let val cell = Finalizable.new {slot = ref (using (from, make)), give = give}
    in
      made := !made + 1;
      Finalizable.addFinalizer (cell, giveBack);
      cell
    end
  (* A program's heap starts empty. *)
  exception Inherited
  fun isExportable () = false
  fun isCurrent _ = true
  val touch = Finalizable.touch
  fun release cell = Finalizable.withValue (cell, giveBack)
  fun same (a, b) =
    Finalizable.withValue (a, fn a : slot => Finalizable.withValue (b, fn b : slot => #slot a = #slot b))
  fun cells () = !made
  (* Finalizers run in a handler at one of the program's next allocations. The finalizer of an unreachable value signals that they
     have run. *)
  fun collect () =
    let
      val haveRun = ref false
      fun await 0 = ()
        | await tries = if !haveRun then () else (ignore (Array.array (1000, tries)); await (tries - 1))
    in
      Finalizable.addFinalizer (Finalizable.new haveRun, fn haveRun => haveRun := true);
      MLton.GC.collect ();
      await 100000
    end

  val addExnMessager = MLton.Exn.addExnMessager

  (* MLton's threads are cooperative: a switch of threads is explicit. *)
  fun synchronized f = f ()
  fun perProcess make =
    let val made = make ()
    in fn () => made end
  fun perThread () =
    let val value = ref NONE
    in {get = fn () => !value, set = fn x => value := x} end
end
