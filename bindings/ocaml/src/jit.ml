open Ctypes
module D = Warpfold_description
module Raw = Warpfold_raw

include Described

type ('a, 'b) value = ('a, 'b) t

let described = Fun.id

(* ---- traces *)

type 'r trace = {
  lengths : int list;  (* of lists among the arguments *)
  program : D.program Handle.t;
  form : 'r;  (* the traced results *)
  bytes : int array;  (* of each result's memory; -1 if that depends on a filter *)
}

(* The latest one first. `name` is that of the function of this module, for messages. *)
type 'r traces = { name : string; result : ('r, 'r) value; kept : 'r trace list Atomic.t }

let most = 64

let rec keep traces trace =
  let all = Atomic.get traces.kept in
  let latest = trace :: List.filteri (fun k _ -> k < most - 1) all in
  if not (Atomic.compare_and_set traces.kept all latest) then keep traces trace

external is_tracing : unit -> bool = "warpfold_tracing" [@@noalloc]
external add_tracing : int -> unit = "warpfold_tracing_add" [@@noalloc]

(* f (), in which functions of jit are called as they are: traces and gradients follow what they do. *)
let following f =
  add_tracing 1;
  Handle.finally (fun () -> add_tracing (-1)) f

(* A call of f with the arguments so far. *)
type 'f call = {
  handles : handle list -> handle list;
  lengths : int list -> int list;
  apply : next -> 'f;  (* f of the arguments with other handles *)
}

let parameter node = Node.use node (fun pointer -> Call.seq (fun out -> Raw.parameter pointer out))

(* The bytes of each node's memory, the last one first; -1 for a filter's result. *)
let sizes value x =
  let all = ref [] in
  let next node =
    all := (if Node.known_length node < 0 then -1 else Node.bytes node) :: !all;
    node.handle
  in
  ignore (with_handles { next } value x);
  !all

let traced traces call lengths =
  let parameters = ref [] in
  let next node =
    let made = parameter node in
    parameters := made :: !parameters;
    made
  in
  let form = following (fun () -> call.apply { next }) in
  let results = add_handles traces.result form [] in
  let bytes = Array.of_list (List.rev (sizes traces.result form)) in
  let create from n = Handle.use_seqs results (fun to_ m -> Call.handle Handle.Program (Raw.program_create from n to_ m)) in
  let program = Handle.use_seqs (List.rev !parameters) create in
  let trace = { lengths; program; form; bytes } in
  keep traces trace;
  trace

(* The results, or None if the arguments have other shapes than those of the trace. *)
let run traces trace arguments n =
  let n_results = Array.length trace.bytes in
  Scratch.use (n_results + 1) (fun cell ->
      let fits = from_voidp D.int32_t cell.memory and outputs = Scratch.from 1 cell in
      let out = from_voidp (ptr D.seq) outputs.memory in
      Handle.use Handle.Program trace.program (fun program ->
          Call.check (fun () -> Raw.program_run program arguments n out n_results fits));
      let taken = ref 0 in
      let next node =
        let bytes = trace.bytes.(!taken) in
        let handle = Handle.own ~bytes Handle.Seq (Scratch.from !taken outputs) in
        incr taken;
        if bytes < 0 then Handle.grew (Node.bytes { node with Node.handle });
        handle
      in
      if !@fits = 0 then None else Some (with_handles { next } traces.result trace.form))

let called (type r) (traces : r traces) (call : r call) =
  if is_tracing () then call.apply { next = (fun node -> node.handle) }
  else
    Call.named "Jit." traces.name @@ fun () ->
    let lengths = call.lengths [] in
    Handle.use_seqs (call.handles []) (fun arguments n ->
        let rec find = function
          | [] -> Option.get (run traces (traced traces call lengths) arguments n)
          | (trace : r trace) :: rest -> (
              match if trace.lengths = lengths then run traces trace arguments n else None with
              | Some results -> results
              | None -> find rest)
        in
        find (Atomic.get traces.kept))

(* ---- signatures *)

type (_, _) signature =
  | Returning : ('r, 'r) value -> ('r, 'r) signature
  | Takes : ('a, 'b) value * ('f, 'g) signature -> ('a -> 'f, 'b -> 'g) signature

let ( @-> ) value signature = Takes (value, signature)
let returning value = Returning value

(* A signature with the traces of one function. *)
type (_, _) prepared =
  | Last : 'r traces -> ('r, 'r) prepared
  | Argument : ('a, 'b) value * ('f, 'g) prepared -> ('a -> 'f, 'b -> 'g) prepared

let rec prepare : type f g. string -> (f, g) signature -> (f, g) prepared =
 fun name signature ->
  match signature with
  | Returning result -> Last { name; result; kept = Atomic.make [] }
  | Takes (value, rest) -> Argument (value, prepare name rest)

let with_argument value x call =
  {
    handles = (fun rest -> call.handles (add_handles value x rest));
    lengths = (fun rest -> call.lengths (add_lengths value x rest));
    apply =
      (fun next ->
        let f = call.apply next in
        f (with_handles next value x));
  }

(* `ready` is the call so far, in the context of all arguments; `found` is their first handle so far. *)
let rec curried : type f g. (f, g) prepared -> handle option -> (Context.t Lazy.t -> f call) -> g =
 fun prepared found ready ->
  match prepared with
  | Last traces -> called traces (ready (context_of found))
  | Argument (value, rest) ->
      fun x ->
        let found = if Option.is_some found then found else first value x in
        curried rest found (fun context ->
            let call = ready context in
            with_argument value (lifted context value x) call)

let named name signature f = curried (prepare name signature) None (fun _ -> { handles = Fun.id; lengths = Fun.id; apply = (fun _ -> f) })
let fn signature f = named "fn" signature f
let jit f = named "jit" (Takes (Ndarray, Returning Ndarray)) f
