(* Poly/ML 5.7.1. Its int has 63 bits, its reals in arrays are boxed, and its foreign interface has no finalizers. *)
structure Platform :> PLATFORM =
struct
  open Foreign

  type pointer = Memory.voidStar

  val null = Memory.null
  fun text s = s
  fun int32 i = i
  fun int64 i = i
  fun fromInt32 i = i
  fun fromInt64 i = i

  (* Poly/ML's own Memory.malloc keeps what it once had; C's gives large blocks back to the system. *)
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
  (* SysWord.fromInt would lose the sign, and toIntX drops the top bit in silence. *)
  fun toWord x = Word.toLargeX (Word.fromInt x)
  fun getInt64 (p, i) =
    let val w = Memory.get64 (p, index i)
        val x = SysWord.toIntX w
    in if toWord x = w then x else raise Overflow end
  fun setInt64 (p, i, x) = Memory.set64 (p, index i, toWord x)
  fun getWide (p, i) = Real.fromLargeInt (SysWord.toLargeIntX (Memory.get64 (p, index i)))
  fun offset (p, bytes) = Memory.++ (p, index bytes)
  fun getString p =
    let
      fun length i = if Memory.get8 (p, index i) = 0w0 then i else length (i + 1)
    in
      CharVector.tabulate (length 0, fn i => Byte.byteToChar (Memory.get8 (p, index i)))
    end

  fun perProcess make =
    let val made = ref (make ())
    in
      PolyML.onEntry (fn _ => made := make ());
      fn () => !made
    end

  val lock = perProcess Thread.Mutex.mutex
  (* A thread that is interrupted while it holds the lock would leave it closed for ever. *)
  fun synchronized f =
    let
      open Thread.Thread
      val attributes = getAttributes ()
      val () = setAttributes [InterruptState InterruptDefer]
      val lock = lock ()
      val () = Thread.Mutex.lock lock
      fun leave () = (Thread.Mutex.unlock lock; setAttributes attributes)
      val result = f () handle e => (leave (); raise e)
    in
      leave ();
      result
    end

  fun perThread () =
    let val tag = Universal.tag ()
    in {get = fn () => Option.join (Thread.Thread.getLocal tag), set = fn x => Thread.Thread.setLocal (tag, x)} end

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
     load : pointer * int -> 'a array, store : pointer * 'a array -> unit,
     fromHost : (pointer * Door.int32 * 'a array * Door.int64 * pointer -> Door.int32) option}
  (* Compiled in line wherever it is applied, so that the loops call nothing. *)
  fun codec (get, set) : 'a codec =
    {get = get, set = set, load = fn (p, n) => Array.tabulate (n, fn i => get (p, i)),
     store = fn (p, a) => Array.appi (fn (i, x) => set (p, i, x)) a, fromHost = NONE}

  fun setBool (p, i, x) = Memory.set8 (p, index i, if x then 0w1 else 0w0)
  val bool = codec (fn (p, i) => Memory.get8 (p, index i) <> 0w0, setBool)
  val word8 = codec (fn (p, i) => Memory.get8 (p, index i), fn (p, i, x) => Memory.set8 (p, index i, x))
  val int32s = codec (fn (p, i) => Int32.fromInt (getInt32 (p, i)), fn (p, i, x) => setInt32 (p, i, Int32.toInt x))
  val word32 = codec (fn (p, i) => Memory.get32 (p, index i), fn (p, i, x) => Memory.set32 (p, index i, x))
  val int = codec (getInt64, setInt64)
  val word64 = codec (fn (p, i) => Memory.get64 (p, index i), fn (p, i, x) => Memory.set64 (p, index i, x))
  val single = codec (fn (p, i) => Memory.getFloat (p, index i), fn (p, i, x) => Memory.setFloat (p, index i, x))
  val real = codec (fn (p, i) => Memory.getDouble (p, index i), fn (p, i, x) => Memory.setDouble (p, index i, x))

  (* Finalizers. A cell owns a token, the list of all cells holds it weakly; a full collection clears the weak references to
     tokens that only the list still reaches. Whoever makes a cell gives back those of cells that have died meanwhile. A
     token of the list's own tells cheaply whether there was a collection since the list was last looked through. *)
  type slot = {pointer : pointer ref, give : pointer -> unit}
  type cell = {slot : slot, token : int ref}
  type registry = {slots : (int ref option ref * slot) list, count : int, canary : int ref option ref}
  val registry : unit -> registry ref = perProcess (fn () => ref {slots = [], count = 0, canary = Weak.weak NONE})

  fun giveBack {pointer, give} = if !pointer = null then () else (give (!pointer); pointer := null)

  fun drain () =
    let
      fun isAlive (token, {pointer, ...} : slot) = isSome (!token) andalso !pointer <> null
      val (alive, dead) = List.partition isAlive (#slots (!(registry ())))
    in
      registry () := {slots = alive, count = List.length alive, canary = Weak.weak (SOME (ref 0))};
      List.app (giveBack o #2) dead
    end

  fun cell (pointer, give) =
    let
      val token = ref 0
      val slot = {pointer = ref pointer, give = give}
    in
      synchronized (fn () =>
        let
          val () = if isSome (!(#canary (!(registry ())))) then () else drain ()
          val {slots, count, canary} = !(registry ())
        in
          registry () := {slots = (Weak.weak (SOME token), slot) :: slots, count = count + 1, canary = canary}
        end);
      {slot = slot, token = token}
    end

  fun touch ({token, ...} : cell) = Weak.touch token
  fun using (cells : cell list, f) =
    let
      fun leave () = List.app touch cells
      val result = f (List.map (! o #pointer o #slot) cells) handle e => (leave (); raise e)
    in
      leave ();
      result
    end
  fun release ({slot, ...} : cell) = synchronized (fn () => giveBack slot)
  fun same (a : cell, b : cell) = #token a = #token b
  fun cells () = #count (!(registry ()))
  fun collect () = (PolyML.fullGC (); synchronized drain)
end
