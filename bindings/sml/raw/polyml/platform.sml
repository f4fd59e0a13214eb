(* Poly/ML 5.7.1 and 5.9.2. Its int has 63 bits, its reals in arrays are boxed, and its foreign interface has no finalizers. *)
structure Platform :> PLATFORM =
struct
  open Foreign

  type pointer = Memory.voidStar

  val null = Memory.null

  (* The functions of CApi load libwarpfold.so.0; this is the library loaded here if it has that soname. *)
  exception Missing of string
  fun load () =
    let
      val (name, how) =
        case OS.Process.getEnv "WARPFOLD_LIBRARY" of
          SOME name => (name, "WARPFOLD_LIBRARY names it")
        | NONE => ("libwarpfold.so.0", "the loader looked along LD_LIBRARY_PATH and the system's folders")
    in
      ignore (System.loadLibrary name)
      handle Foreign why =>
        raise Missing
          ("the library " ^ name ^ " cannot be loaded (" ^ how ^ "): " ^ why
           ^ "; expected WARPFOLD_LIBRARY to be the path of libwarpfold.so, or its folder to be in LD_LIBRARY_PATH")
    end
  val loaded : Process.mark option ref = ref NONE
  fun ready () =
    case !loaded of
      SOME mark => if Process.isThis mark then () else (load (); loaded := SOME (Process.mark ()))
    | NONE => (load (); loaded := SOME (Process.mark ()))

  fun text s = s
  fun int32 i = i
  fun int64 i = i
  fun fromInt32 i = i
  fun fromInt64 i = i

  (* Memory.malloc of Poly/ML never returns memory to the system; malloc of C returns large blocks. *)
  val c = loadExecutable ()
  val malloc = buildCall1 (getSymbol c "malloc", cUlong, cPointer)
  val free = buildCall1 (getSymbol c "free", cPointer, cVoid)
  fun allocate bytes =
    let val p = malloc (Int.max (bytes, 1))
    in if p = null then raise Fail "out of memory" else p end

  val index = Word.fromInt
  fun getPointer (p, i) = Memory.getAddress (p, index i)
  fun setPointer (p, i, x) = Memory.setAddress (p, index i, x)
  fun getInt32 (p, i) = Word32.toIntX (Memory.get32 (p, index i))
  fun setInt32 (p, i, x) = Memory.set32 (p, index i, Word32.fromInt x)
  (* SysWord.fromInt would lose the sign. Word has the bits of an int, so Word.fromLarge drops the top bit without an error; SysWord.toIntX
     does so in Poly/ML 5.7.1, and takes 5 times as long in 5.9.2. *)
  fun toWord x = Word.toLargeX (Word.fromInt x)
  fun getInt64 (p, i) =
    let val w = Memory.get64 (p, index i)
        val x = Word.fromLarge w
    in if Word.toLargeX x = w then Word.toIntX x else raise Overflow end
  fun setInt64 (p, i, x) = Memory.set64 (p, index i, toWord x)
  fun getWide (p, i) = Real.fromLargeInt (SysWord.toLargeIntX (Memory.get64 (p, index i)))
  fun offset (p, bytes) = Memory.++ (p, index bytes)
  fun getString p =
    let
      fun length i = if Memory.get8 (p, index i) = 0w0 then i else length (i + 1)
    in
      CharVector.tabulate (length 0, fn i => Byte.byteToChar (Memory.get8 (p, index i)))
    end

  (* RunCall.moveBytes (from, to, fromOffset, toOffset, length) is one instruction, for objects of the heap. An integer in place of
     an object is a base that the collector ignores: the small integer 0, whose tag is an address of 1, so an address in C's memory
     is the offset from it less 1. A Word8Array is its length and the object with its bytes. The function is called through a
     reference, since the compiler's constants must be true objects. *)
  type bytes = word * word
  val move : (word * word * word * word * word -> unit) ref =
    ref (fn (from, to, fromOffset, toOffset, length) => RunCall.moveBytes (from, to, fromOffset, toOffset, length))
  val base = ref 0w0
  fun fromBase p = Word.fromLarge (Memory.voidStar2Sysword p) - 0w1
  (* The instruction is `rep movsb`, which processors of AMD run 2 to 5 times as slowly if the target is up to 31 bytes after the source, modulo
     the page. Long blocks then go by way of a buffer that is half a page from both. An address in the heap is that of a moment, and so
     decides on the way only. It is a small integer after `orb`, which sets the tag, and bit 1: objects are at multiples of 8. *)
  val page = 0w4096
  val piece = 0w32768
  fun address (object : word) = (Word.orb (object, 0w1) - 0w1) * 0w2
  fun moveBytes (from, to, fromOffset, toOffset, fromAddress, toAddress, length) =
    if length < piece orelse Word.mod (toAddress - fromAddress - 0w1, page) >= 0w31 then (!move) (from, to, fromOffset, toOffset, length)
    else
      let
        val memory = allocate (Word.toInt (piece + page))
        val start = Word.fromLarge (Memory.voidStar2Sysword memory)
        val buffer = start + Word.mod (fromAddress + page div 0w2 - start, page) - 0w1
        fun go done =
          if done = length then ()
          else
            let val n = Word.min (piece, length - done)
            in
              (!move) (from, !base, fromOffset + done, buffer, n);
              (!move) (!base, to, buffer, toOffset + done, n);
              go (done + n)
            end
      in
        go 0w0;
        free memory
      end
  fun storeBytes (p, array : Word8Array.array) =
    let val (length, bytes) : bytes = RunCall.unsafeCast array
    in moveBytes (bytes, !base, 0w0, fromBase p, address bytes, fromBase p + 0w1, length) end
  fun fillBytes (array : Word8Array.array, p) =
    let val (length, bytes) : bytes = RunCall.unsafeCast array
    in moveBytes (!base, bytes, fromBase p, 0w0, fromBase p + 0w1, address bytes, length) end
  (* Word8Array.array would write each byte first. 0wx41 is a mutable object of bytes; none has 0 words. *)
  fun loadBytes (p, n) : Word8Array.array =
    if n = 0 then Word8Array.fromList []
    else
      let
        val bytes : word = RunCall.unsafeCast (RunCall.allocateByteMemory ((index n + 0w7) div 0w8, 0wx41))
        val array : Word8Array.array = RunCall.unsafeCast (index n, bytes)
      in
        fillBytes (array, p);
        array
      end

  (* There is no Real32: a single is a real that was rounded by a store to memory. *)
  structure Single =
  struct
    type t = real
    fun fromReal x =
      let val p = Memory.malloc 0w4
      in (Memory.setFloat (p, 0w0, x); Memory.getFloat (p, 0w0) before Memory.free p) end
    fun toReal x = x
  end

  type 'a codec =
    {get : pointer * int -> 'a, set : pointer * int * 'a -> unit,
     load : pointer * int -> 'a array, fill : pointer * 'a array -> unit, store : pointer * 'a array -> unit,
     fromHost : (pointer * CApi.int32 * 'a array * CApi.int64 * pointer -> CApi.int32) option}
  (* Arrays are converted by functions of one curried argument: both versions of Poly/ML compile these loops without calls. In a record
     that one function makes of `get` and `set`, Poly/ML 5.9.2 calls them for every element, which takes 10 times as long. *)
  fun loads get (p, n) = Array.tabulate (n, fn i => get (p, i))
  fun fills get (p, a) = Array.modifyi (fn (i, _) => get (p, i)) a
  fun stores set (p, a) = Array.appi (fn (i, x) => set (p, i, x)) a

  fun getBool (p, i) = Memory.get8 (p, index i) <> 0w0
  fun setBool (p, i, x) = Memory.set8 (p, index i, if x then 0w1 else 0w0)
  fun getWord8 (p, i) = Memory.get8 (p, index i)
  fun setWord8 (p, i, x) = Memory.set8 (p, index i, x)
  fun getInt32s (p, i) = Int32.fromInt (getInt32 (p, i))
  fun setInt32s (p, i, x) = setInt32 (p, i, Int32.toInt x)
  fun getWord32 (p, i) = Memory.get32 (p, index i)
  fun setWord32 (p, i, x) = Memory.set32 (p, index i, x)
  fun getWide64 (p, i) = SysWord.toLargeIntX (Memory.get64 (p, index i))
  fun setWide64 (p, i, x) =
    if x < ~9223372036854775808 orelse x > 9223372036854775807 then raise Overflow
    else Memory.set64 (p, index i, SysWord.fromLargeInt x)
  fun getWord64 (p, i) = Memory.get64 (p, index i)
  fun setWord64 (p, i, x) = Memory.set64 (p, index i, x)
  fun getSingle (p, i) = Memory.getFloat (p, index i)
  fun setSingle (p, i, x) = Memory.setFloat (p, index i, x)
  fun getReal (p, i) = Memory.getDouble (p, index i)
  fun setReal (p, i, x) = Memory.setDouble (p, index i, x)

  val bool : bool codec =
    {get = getBool, set = setBool, load = loads getBool, fill = fills getBool, store = stores setBool, fromHost = NONE}
  val word8 : Word8.word codec =
    {get = getWord8, set = setWord8, load = loads getWord8, fill = fills getWord8, store = stores setWord8, fromHost = NONE}
  val int32s : Int32.int codec =
    {get = getInt32s, set = setInt32s, load = loads getInt32s, fill = fills getInt32s, store = stores setInt32s, fromHost = NONE}
  val word32 : Word32.word codec =
    {get = getWord32, set = setWord32, load = loads getWord32, fill = fills getWord32, store = stores setWord32, fromHost = NONE}
  val int : int codec =
    {get = getInt64, set = setInt64, load = loads getInt64, fill = fills getInt64, store = stores setInt64, fromHost = NONE}
  val int64s : Int64.int codec =
    {get = getWide64, set = setWide64, load = loads getWide64, fill = fills getWide64, store = stores setWide64, fromHost = NONE}
  val word64 : Word64.word codec =
    {get = getWord64, set = setWord64, load = loads getWord64, fill = fills getWord64, store = stores setWord64, fromHost = NONE}
  val single : Single.t codec =
    {get = getSingle, set = setSingle, load = loads getSingle, fill = fills getSingle, store = stores setSingle, fromHost = NONE}
  val real : real codec =
    {get = getReal, set = setReal, load = loads getReal, fill = fills getReal, store = stores setReal, fromHost = NONE}

  open Process Cells
  val cells = Cells.count
  fun addExnMessager _ = ()  (* exnMessage prints the record *)
  fun isExportable () = !Process.isExportable
end
