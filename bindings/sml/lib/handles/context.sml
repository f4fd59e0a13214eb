structure Context =
struct
  open Platform Warpfold

  type t = cell

  fun with1 (name, context) f = using ("Context." ^ name, [context], fn pointers => f (List.hd pointers))

  (* A process that inherits the context creates it again from its name. *)
  fun named name =
    cell
      {from = [], give = CApi.wf_context_release, isRecorded = true,
       make = fn _ => scratch (fn out =>
         (check ("Context.create", CApi.wf_context_create (text (name ()), out)); getPointer (out, 0)))}
  fun create name = named (fn () => name)

  val scoped = perThread () : {get : unit -> t option, set : t option -> unit}
  val ofProcess : t option ref = ref NONE

  fun processDefault () =
    case !ofProcess of
      SOME context => context
    | NONE =>
        let
          val context = named (fn () => Option.getOpt (OS.Process.getEnv "WARPFOLD_CONTEXT", "auto"))
        in
          (* If several threads run this at once, the first one decides. *)
          synchronized (fn () => if isSome (!ofProcess) then () else ofProcess := SOME context);
          Option.valOf (!ofProcess)
        end

  fun default () = case #get scoped () of SOME context => context | NONE => processDefault ()

  fun within context f = during (scoped, context) f

  fun name context =
    with1 ("name", context) (fn p =>
      textOf (fn (buffer, capacity, needed) => check ("Context.name", CApi.wf_context_name (p, buffer, capacity, needed))))

  fun memory context =
    with1 ("memory", context) (fn p => scratch (fn out =>
      let
        fun at k = offset (out, 8 * k)
        val () = check ("Context.memory", CApi.wf_context_memory (p, at 0, at 1, at 2, at 3))
        fun bytes k = getInt64 (out, k)
      in
        {live = bytes 0, cached = bytes 1, peak = bytes 2, limit = if bytes 3 < 0 then NONE else SOME (bytes 3)}
      end))

  fun ranks context =
    with1 ("ranks", context) (fn p => scratch (fn out =>
      (check ("Context.ranks", CApi.wf_context_ranks (p, out, offset (out, 4))); (getInt32 (out, 0), getInt32 (out, 1)))))
  fun setLimit context limit =
    with1 ("setLimit", context) (fn p =>
      check ("Context.setLimit", CApi.wf_context_set_limit (p, int64 (Option.getOpt (limit, ~1)))))
  fun resetPeak context =
    with1 ("resetPeak", context) (fn p => check ("Context.resetPeak", CApi.wf_context_reset_peak p))
  fun trim context =
    with1 ("trim", context) (fn p =>
      scratch (fn out => (check ("Context.trim", CApi.wf_context_trim (p, out)); getInt64 (out, 0))))
  fun cancel () = (loaded (); check ("Context.cancel", CApi.wf_cancel null))
  fun cancelOnInterrupt () =
    let val interrupt = 2
    in loaded (); check ("Context.cancelOnInterrupt", CApi.wf_cancel_on_signal (int32 interrupt, int32 1)) end
  fun close context = with1 ("close", context) (fn p => check ("Context.close", CApi.wf_context_close p))
  fun failAllocation context k =
    with1 ("failAllocation", context) (fn p =>
      check ("Context.failAllocation", CApi.wf_context_fail_allocation (p, int64 k)))

  (* Live bytes, as a real: an int may have only 32 bits. *)
  fun liveBytes context () =
    with1 ("memory", context) (fn p => scratch (fn out =>
      (check ("Context.memory", CApi.wf_context_memory (p, out, null, null, null)); getWide (out, 0))))
end
