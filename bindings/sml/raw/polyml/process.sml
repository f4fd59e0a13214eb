(* Processes of Poly/ML. A program that polyc made, or a saved state, starts with the heap of the process that compiled or
   saved it: addresses in C memory, mutexes and threads of that process are not valid in this one. *)
structure Process =
struct
  open Foreign

  (* A mark identifies the process that made it: Poly/ML sets a volatile reference to zero when it reads one from an executable or
     from a saved state. *)
  type mark = Memory.volatileRef
  fun isThis mark = Memory.getVolatileRef mark <> 0w0

  val newest = ref (Memory.volatileRef 0w1)
  fun mark () = (if isThis (!newest) then () else newest := Memory.volatileRef 0w1; !newest)

  (* Programs start with one thread, which makes all such values again. A saved state is detected at the first use. *)
  fun perProcess make =
    let
      val made = ref (make (), mark ())
      fun renew () = made := (make (), mark ())
    in
      PolyML.onEntry renew;
      fn () => (if isThis (#2 (!made)) then () else renew (); #1 (!made))
    end

  (* True during compilation and at the toplevel, when the heap may be exported or saved; false in a program made by polyc. *)
  val isExportable = ref true
  val () = PolyML.onEntry (fn () => isExportable := false)

  val lock = perProcess Thread.Mutex.mutex
  (* Interrupts are deferred: an interrupted owner of the lock would never release it. *)
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
end
