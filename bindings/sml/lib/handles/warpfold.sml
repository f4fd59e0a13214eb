structure Warpfold =
struct
  datatype code = Argument | Type | Memory | Compile | Device | Unsupported | Io | Internal | Canceled
  exception Warpfold of {code : code, message : string}

  open Platform

  (* The message of this thread's last failure: Size and Subscript have no message. *)
  val last = perThread () : {get : unit -> (exn * string) option, set : (exn * string) option -> unit}
  fun lastMessage () = case #get last () of SOME (_, message) => message | NONE => ""
  fun failure (e, message) = (#set last (SOME (e, message)); e)
  fun failed (code, message) = failure (Warpfold {code = code, message = message}, message)

  (* The text for General.exnMessage, if the compiler has a hook for it. *)
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
         raise failed (Memory, "memory is exhausted: " ^ Int.toString bytes ^ " bytes cannot be allocated"))

  fun loaded () = ready () handle Missing message => raise failed (Io, message)

  fun protected (give, p, f) =
    let val result = f p handle e => (give p; raise e)
    in give p; result end
  (* f () with this value of a variable of the thread *)
  fun during ({get, set} : {get : unit -> 'a option, set : 'a option -> unit}, x) f =
    let val outer = get ()
    in set (SOME x); protected (fn () => set outer, (), f) end

  (* Blocks of 64 words for outputs and for short lists of arguments. Each thread has a few, so taking one needs no lock; their memory
     is freed when the thread's own variables are garbage. *)
  val words = 64
  val blocksPerThread = 8
  val blocks = perThread () : {get : unit -> {unused : pointer list ref, memory : cell} option,
                               set : {unused : pointer list ref, memory : cell} option -> unit}
  fun ownBlocks () =
    case #get blocks () of
      SOME blocks => blocks
    | NONE =>
        let
          val () = loaded ()
          val memory =
            cell {from = [], make = fn _ => allocate (8 * words * blocksPerThread), give = free, isRecorded = false}
          val unused =
            using ([memory], fn pointers => ref (List.tabulate (blocksPerThread, fn k => offset (List.hd pointers, 8 * words * k))))
          val own = {unused = unused, memory = memory}
        in
          #set blocks (SOME own);
          own
        end
  fun scratch f =
    let
      val {unused, memory} = ownBlocks ()
      fun give p = (unused := p :: !unused; touch memory)
    in
      case !unused of
        p :: rest => (unused := rest; protected (give, p, f))
      | [] => protected (free, allocate (8 * words), f)
    end
  fun room (bytes, f) = if bytes <= 8 * words then scratch f else protected (free, allocate bytes, f)

  (* Calls f with an array in C memory, which exists while f runs. *)
  fun pointers (list, f) =
    room (8 * List.length list, fn p =>
      (ignore (List.foldl (fn (x, i) => (setPointer (p, i, x); i + 1)) 0 list); f (p, int32 (List.length list))))
  fun int32Array (list, f) =
    room (4 * List.length list, fn p =>
      (ignore (List.foldl (fn (x, i) => (setInt32 (p, i, x); i + 1)) 0 list); f (p, int32 (List.length list))))
  fun realArray (list, f) =
    room (8 * List.length list, fn p =>
      (ignore (List.foldl (fn (x, i) => (#set real (p, i, x); i + 1)) 0 list); f (p, int32 (List.length list))))
  fun int64Array (list, f) =
    room (8 * List.length list, fn p => (ignore (List.foldl (fn (x, i) => (setInt64 (p, i, x); i + 1)) 0 list); f p))

  (* The text that `write` writes to (buffer, capacity, needed). If the buffer is too small, `write` is called again with a larger one. *)
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

  fun version () = (loaded (); getString (CApi.wf_version ()))

  fun operations () =
    let
      fun from k =
        if CApi.wf_op_name (int32 k) = null then [] else getString (CApi.wf_op_signature (int32 k)) :: from (k + 1)
    in
      loaded ();
      from 0
    end

  (* The message of the C API, with SML's signs and the names of SML functions instead of those of C functions. *)
  val named = [("wf_variable", "Gradient.variable"), ("wf_constant", "Gradient.stopGradient"), ("wf_fn_foreign", "Native.c"), ("wf_fn_block", "Native.block")]
  fun renamed ((c, sml), text) =
    let val (before_, found) = Substring.position c (Substring.full text)
    in
      if Substring.isEmpty found then text
      else Substring.string before_ ^ sml ^ renamed ((c, sml), Substring.string (Substring.triml (String.size c) found))
    end
  fun signed text =
    let
      fun isDigit i = i < String.size text andalso Char.isDigit (String.sub (text, i))
      fun follows i = i > 0 andalso Char.isAlphaNum (String.sub (text, i - 1))
    in
      CharVector.mapi (fn (i, #"-") => if isDigit (i + 1) andalso not (follows i) then #"~" else #"-" | (_, c) => c) text
    end
  fun message name =
    let
      val text = List.foldl renamed (signed (textOf (ignore o CApi.wf_error_message))) named
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
      | 11 => warpfold Canceled
      | _ => warpfold Internal
    end

  (* `name` is the name of the function that the program called. *)
  fun check (name, status) = case fromInt32 status of 0 => () | status => raise error (name, status)

  (* The same for a call that may allocate memory. If memory is exhausted, garbage is collected and the call is made once more: the collector
     does not see the memory of sequences. *)
  fun checkMemory (name, call) =
    case fromInt32 (call ()) of
      0 => ()
    | 5 => (collect (); check (name, call ()))
    | status => raise error (name, status)

  (* Calls f with handles that must be in use. *)
  fun inUse (name, f) handles =
    if List.exists (fn p => p = null) handles then
      raise failed (Argument, name ^ ": a sequence or scalar was released; expected one that is in use")
    else f handles
  fun inherited (name, f) =
    f () handle Inherited =>
      raise failed (Argument,
        name ^ ": a value was made by the process that compiled or saved this program, and it is not recorded how (see Seq); \
        \expected a value that this process makes, for example in main")
  (* Calls f with the handles of the cells. *)
  fun using (name, cells, f) = inherited (name, fn () => Platform.using (cells, inUse (name, f)))

  (* The collector does not see the memory of sequences, so it would run too late if many sequences become garbage. So it is run here: when
     there are twice as many sequences as after the last run, or they have twice as many bytes. It takes at most about a fifth of the
     time, unless there are eight times as many. *)
  val mostCells = ref 20000
  val mostBytes = ref 268435456.0
  val notBefore = ref Time.zeroTime

  fun relieve bytes =
    let
      val start = Time.now ()
    in
      (* Other threads do not run the collector at the same time. *)
      notBefore := Time.+ (start, Time.fromSeconds 60);
      collect ();
      notBefore := Time.+ (Time.now (), Time.fromReal (4.0 * Time.toReal (Time.- (Time.now (), start))));
      mostCells := Int.max (20000, 2 * cells ());
      mostBytes := Real.max (268435456.0, 2.0 * bytes ())
    end
  (* `excess` is the ratio to the limit, mostCells or mostBytes. *)
  fun watch (excess, bytes) =
    if excess > 1.0 andalso (excess > 4.0 orelse Time.> (Time.now (), !notBefore)) then relieve bytes else ()
  fun watchCells bytes =
    if cells () > !mostCells then watch (Real.fromInt (cells ()) / Real.fromInt (!mostCells), bytes) else ()
  fun watchBytes bytes = watch (bytes () / !mostBytes, bytes)
end
