open Ctypes
module D = Warpfold_description
module Raw = Warpfold_raw

type t = D.context Handle.t
type memory = { live : int; cached : int; peak : int; limit : int option }

let own call : t = Call.handle Handle.Context call
let named name f = Call.named "Context." name f
let created name text = named name (fun () -> own (Raw.context_create (Some text)))
let create name = created "create" name
let cpu () = created "cpu" "cpu"
let cuda device = created "cuda" (Printf.sprintf "cuda:%d" device)
let auto () = created "auto" "auto"
let use context f = Handle.use Handle.Context context f
let used name context f = named name (fun () -> use context f)
let equal a b = named "equal" (fun () -> use a (fun p -> use b (fun q -> ptr_compare p q = 0)))
let name context = used "name" context (fun c -> Call.text (Raw.context_name c))

let memory context =
  used "memory" context (fun c ->
      let out = allocate_n D.int64_t ~count:4 in
      Call.check (fun () -> Raw.context_memory c out (out +@ 1) (out +@ 2) (out +@ 3));
      let limit = !@(out +@ 3) in
      { live = !@out; cached = !@(out +@ 1); peak = !@(out +@ 2); limit = (if limit < 0 then None else Some limit) })

let ranks context =
  used "ranks" context (fun c ->
      let out = allocate_n D.int32_t ~count:2 in
      Call.check (fun () -> Raw.context_ranks c out (out +@ 1));
      (!@out, !@(out +@ 1)))

let reset_peak context = used "reset_peak" context (fun c -> Call.check (fun () -> Raw.context_reset_peak c))

let set_limit context limit =
  let bytes = match limit with None -> -1 | Some bytes -> bytes in
  used "set_limit" context (fun c -> Call.check (fun () -> Raw.context_set_limit c bytes))

let trim context =
  Gc.full_major ();
  Handle.drop_adopted ();
  used "trim" context (fun c -> Call.int64 (Raw.context_trim c))

let cancel ?context () =
  match context with
  | None -> Call.check (fun () -> Raw.cancel Ctypes.(from_voidp Warpfold_description.context null))
  | Some context -> used "cancel" context (fun c -> Call.check (fun () -> Raw.cancel c))

let close context = used "close" context (fun c -> Call.check (fun () -> Raw.context_close c))
let release context = Handle.release Handle.Context context

let named_default () = match Sys.getenv_opt "WARPFOLD_CONTEXT" with None | Some "" -> "auto" | Some name -> name
let chosen : t option Atomic.t = Atomic.make None
let set_default context = Atomic.set chosen (Some context)

(* If several threads call this at once, they all use the context of the first. *)
let default () =
  match Atomic.get chosen with
  | Some context -> context
  | None -> (
      let mine = create (named_default ()) in
      if Atomic.compare_and_set chosen None (Some mine) then mine
      else match Atomic.get chosen with Some context -> context | None -> mine)

let pp out context = Format.fprintf out "<context %s>" (if Handle.is_released context then "released" else name context)
