structure Warpfold =
struct
  datatype code = Argument | Type | Memory | Compile | Device | Unsupported | Io | Internal
  exception Warpfold of {code : code, message : string}

  open Platform

  (* The message of this thread's last failure, which Size and Subscript cannot carry. *)
  val last = perThread () : {get : unit -> (exn * string) option, set : (exn * string) option -> unit}
  fun lastMessage () = case #get last () of SOME (_, message) => message | NONE => ""
  fun failure (e, message) = (#set last (SOME (e, message)); e)
  fun failed (code, message) = failure (Warpfold {code = code, message = message}, message)

  (* General.exnMessage of both compilers, as far as they let it be told. *)
  fun describe e =
    case (e, #get last ()) of
      (Warpfold {message, ...}, _) => SOME ("Warpfold: " ^ message)
    | (Size, SOME (Size, message)) => SOME ("Size; the last in warpfold: " ^ message)
    | (Subscript, SOME (Subscript, message)) => SOME ("Subscript; the last in warpfold: " ^ message)
    | _ => NONE
  val () = addExnMessager describe

  fun allocate bytes =
    Platform.allocate bytes
    handle Fail _ =>
      (collect ();
       Platform.allocate bytes handle Fail _ =>
         raise failed (Memory, "no memory for " ^ Int.toString bytes ^ " bytes"))

  fun loaded () = ready () handle Missing message => raise failed (Io, message)

  (* Blocks of 64 words for outputs and for short lists of arguments, kept for reuse. *)
  val words = 64
  val blocks : unit -> pointer list ref = perProcess (fn () => ref [])
  fun takeBlock () =
    case synchronized (fn () => case !(blocks ()) of [] => NONE | p :: rest => (blocks () := rest; SOME p)) of
      SOME p => p
    | NONE => (loaded (); allocate (8 * words))
  fun giveBlock p = synchronized (fn () => blocks () := p :: !(blocks ()))

  fun protected (give, p, f) =
    let val result = f p handle e => (give p; raise e)
    in give p; result end
  fun scratch f = protected (giveBlock, takeBlock (), f)
  fun room (bytes, f) = if bytes <= 8 * words then scratch f else protected (free, allocate bytes, f)

  (* An array in C's memory, as long as f runs. *)
  fun pointers (list, f) =
    room (8 * List.length list, fn p =>
      (ignore (List.foldl (fn (x, i) => (setPointer (p, i, x); i + 1)) 0 list); f (p, int32 (List.length list))))
  fun int32Array (list, f) =
    room (4 * List.length list, fn p =>
      (ignore (List.foldl (fn (x, i) => (setInt32 (p, i, x); i + 1)) 0 list); f (p, int32 (List.length list))))

  (* The text that a function gives as (buffer, capacity, needed), where it may turn out to need a larger buffer. *)
  fun textOf write =
    let
      fun attempt capacity =
        room (capacity, fn buffer => scratch (fn needed =>
          (write (buffer, int64 capacity, needed);
           if getInt64 (needed, 0) <= capacity then SOME (getString buffer) else NONE)))
        handle Overflow => NONE
    in
      case attempt (8 * words) of SOME text => text | NONE =>
      let
        val needed = scratch (fn needed => (write (null, int64 0, needed); getInt64 (needed, 0)))
      in
        Option.valOf (attempt needed)
      end
    end

  fun version () = (loaded (); getString (Door.wf_version ()))

  fun operations () =
    let
      fun from k =
        if Door.wf_op_name (int32 k) = null then [] else getString (Door.wf_op_signature (int32 k)) :: from (k + 1)
    in
      loaded ();
      from 0
    end

  (* The message of the C interface, with the name of the function that was called here. *)
  fun message name =
    let
      val text = textOf (ignore o Door.wf_error_message)
      val (first, rest) = Substring.splitl (fn c => c <> #":") (Substring.full text)
    in
      if Substring.isPrefix "wf_" first then name ^ Substring.string rest else name ^ ": " ^ text
    end

  fun error (name, status) =
    let
      val message = message name
      fun warpfold code = failed (code, message)
    in
      case status of
        1 => warpfold Argument
      | 2 => warpfold Type
      | 3 => failure (Size, message)
      | 4 => failure (Subscript, message)
      | 5 => warpfold Memory
      | 6 => warpfold Compile
      | 7 => warpfold Device
      | 8 => warpfold Unsupported
      | 9 => warpfold Io
      | _ => warpfold Internal
    end

  (* `name` is the function that the program called. *)
  fun check (name, status) = case fromInt32 status of 0 => () | status => raise error (name, status)

  (* The same for a call that may need memory: where there is none left, garbage is collected, for the collector does not see
     what sequences occupy, and the call is made once more. *)
  fun checkMemory (name, call) =
    case fromInt32 (call ()) of
      0 => ()
    | 5 => (collect (); check (name, call ()))
    | status => raise error (name, status)

  (* f, of handles that must be in use. *)
  fun inUse (name, f) handles =
    if List.exists (fn p => p = null) handles then
      raise failed (Argument, name ^ ": a sequence or scalar was released; expected one that is in use")
    else f handles
  fun inherited (name, f) =
    f () handle Inherited =>
      raise failed (Argument,
        name ^ ": a value was made by the process that compiled or saved this program, and how is not written down (see Seq); \
        \expected one that this process makes, for example in main")
  (* f of the handles of cells. *)
  fun using (name, cells, f) = inherited (name, fn () => Platform.using (cells, inUse (name, f)))

  (* Nor does the collector know to run when many sequences are dropped that are small to it. So it is run here: when there are
     twice as many as it left last time, or they hold twice the bytes. It gets no more than about a fifth of all time, unless
     there are eight times as many. *)
  val mostCells = ref 20000
  val mostBytes = ref 268435456.0
  val notBefore = ref Time.zeroTime

  fun relieve bytes =
    let
      val start = Time.now ()
    in
      (* Other threads that come here meanwhile go on. *)
      notBefore := Time.+ (start, Time.fromSeconds 60);
      collect ();
      notBefore := Time.+ (Time.now (), Time.fromReal (4.0 * Time.toReal (Time.- (Time.now (), start))));
      mostCells := Int.max (20000, 2 * cells ());
      mostBytes := Real.max (268435456.0, 2.0 * bytes ())
    end
  (* `excess` is how many times the most there is. *)
  fun watch (excess, bytes) =
    if excess > 1.0 andalso (excess > 4.0 orelse Time.> (Time.now (), !notBefore)) then relieve bytes else ()
  fun watchCells bytes =
    if cells () > !mostCells then watch (Real.fromInt (cells ()) / Real.fromInt (!mostCells), bytes) else ()
  fun watchBytes bytes = watch (bytes () / !mostBytes, bytes)
end
