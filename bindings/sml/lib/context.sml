structure Context =
struct
  open Platform Warpfold

  type t = cell

  fun with1 context f = using ([context], fn pointers => f (List.hd pointers))

  fun create name =
    scratch (fn out =>
      (check (Door.wf_context_create (text name, out)); cell (getPointer (out, 0), Door.wf_context_release)))

  val scoped = perThread () : {get : unit -> t option, set : t option -> unit}
  val ofProcess : unit -> t option ref = perProcess (fn () => ref NONE)

  fun processDefault () =
    case !(ofProcess ()) of
      SOME context => context
    | NONE =>
        let
          val context = create (Option.getOpt (OS.Process.getEnv "WARPFOLD_CONTEXT", "auto"))
        in
          (* Of several threads that come here at once, the first decides. *)
          synchronized (fn () => if isSome (!(ofProcess ())) then () else ofProcess () := SOME context);
          Option.valOf (!(ofProcess ()))
        end

  fun default () = case #get scoped () of SOME context => context | NONE => processDefault ()

  fun within context f =
    let
      val outer = #get scoped ()
      fun leave _ = #set scoped outer
    in
      #set scoped (SOME context);
      protected (leave, (), f)
    end

  fun name context =
    with1 context (fn p => textOf (fn (buffer, capacity, needed) => check (Door.wf_context_name (p, buffer, capacity, needed))))

  fun memory context =
    with1 context (fn p => scratch (fn out =>
      let
        fun at k = offset (out, 8 * k)
        val () = check (Door.wf_context_memory (p, at 0, at 1, at 2, at 3))
        fun bytes k = getInt64 (out, k)
      in
        {live = bytes 0, cached = bytes 1, peak = bytes 2, limit = if bytes 3 < 0 then NONE else SOME (bytes 3)}
      end))

  fun setLimit context limit =
    with1 context (fn p => check (Door.wf_context_set_limit (p, int64 (Option.getOpt (limit, ~1)))))
  fun resetPeak context = with1 context (check o Door.wf_context_reset_peak)
  fun trim context =
    with1 context (fn p => scratch (fn out => (check (Door.wf_context_trim (p, out)); getInt64 (out, 0))))
  fun close context = with1 context (check o Door.wf_context_close)
  fun failAllocation context k = with1 context (fn p => check (Door.wf_context_fail_allocation (p, int64 k)))

  (* Bytes that are live, for the watch on memory; a real, since an int may be narrow. *)
  fun liveBytes context () =
    with1 context (fn p => scratch (fn out =>
      (check (Door.wf_context_memory (p, out, null, null, null)); getWide (out, 0))))
end
