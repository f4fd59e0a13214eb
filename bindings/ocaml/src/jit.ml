open Ctypes
module D = Warpfold_description
module Raw = Warpfold_raw

type handle = D.seq Handle.t

(* Seen: f and the caller see the values of `inner` in other forms. *)
type (_, _) value =
  | Ndarray : (('r, 'a, 'b) Node.t, ('r, 'a, 'b) Node.t) value
  | Number : ('a, 'b) Layout.t -> (('a, 'b) Node.scalar, 'a) value
  | Pair : ('a, 'b) value * ('c, 'd) value -> ('a * 'c, 'b * 'd) value
  | List : ('a, 'b) value -> ('a list, 'b list) value
  | Seen : { inner : ('a, 'b) value; there : 'a -> 'c; back : 'c -> 'a; from_caller : 'd -> 'b } -> ('c, 'd) value

let seq = Ndarray
let scalar = Ndarray
let ndarray = Ndarray
let key = Ndarray
let number dtype = Number dtype
let pair a b = Pair (a, b)
let list each = List each
let conv back there inner = Seen { inner; there; back; from_caller = back }

let triple a b c =
  let nested (x, y, z) = (x, (y, z)) and there (x, (y, z)) = (x, y, z) in
  Seen { inner = pair a (pair b c); there; back = nested; from_caller = nested }

let quadruple a b c d =
  let nested (w, x, y, z) = ((w, x), (y, z)) and there ((w, x), (y, z)) = (w, x, y, z) in
  Seen { inner = pair (pair a b) (pair c d); there; back = nested; from_caller = nested }

(* The first handle in what the caller sees. *)
let rec first : type a b. (a, b) value -> b -> handle option =
 fun value x ->
  match (value, x) with
  | Ndarray, node -> Some node.handle
  | Number _, _ -> None
  | Pair (va, vb), (a, b) -> ( match first va a with None -> first vb b | found -> found)
  | List each, xs -> List.find_map (first each) xs
  | Seen { inner; from_caller; _ }, x -> first inner (from_caller x)

(* The arguments as f sees them. *)
let rec lifted : type a b. Context.t Lazy.t -> (a, b) value -> b -> a =
 fun context value x ->
  match (value, x) with
  | Ndarray, node -> node
  | Number dtype, x -> Scalar.const ~context:(Lazy.force context) dtype x
  | Pair (va, vb), (a, b) -> (lifted context va a, lifted context vb b)
  | List each, xs -> List.map (lifted context each) xs
  | Seen { inner; there; from_caller; _ }, x -> there (lifted context inner (from_caller x))

(* The handles in order, before `rest`. *)
let rec add_handles : type a b. (a, b) value -> a -> handle list -> handle list =
 fun value x rest ->
  match (value, x) with
  | Ndarray, node -> node.handle :: rest
  | Number _, node -> node.handle :: rest
  | Pair (va, vb), (a, b) -> add_handles va a (add_handles vb b rest)
  | List each, xs -> List.fold_right (add_handles each) xs rest
  | Seen { inner; back; _ }, x -> add_handles inner (back x) rest

(* The lengths of lists, which the number of handles does not determine. *)
let rec add_lengths : type a b. (a, b) value -> a -> int list -> int list =
 fun value x rest ->
  match (value, x) with
  | Ndarray, _ -> rest
  | Number _, _ -> rest
  | Pair (va, vb), (a, b) -> add_lengths va a (add_lengths vb b rest)
  | List each, xs -> List.length xs :: List.fold_right (add_lengths each) xs rest
  | Seen { inner; back; _ }, x -> add_lengths inner (back x) rest

type next = { next : 'r 'a 'b. ('r, 'a, 'b) Node.t -> handle }

(* The value with other handles, which are made in the order of add_handles. *)
let rec with_handles : type a b. next -> (a, b) value -> a -> a =
 fun next value x ->
  match (value, x) with
  | Ndarray, node -> { node with handle = next.next node }
  | Number _, node -> { node with handle = next.next node }
  | Pair (va, vb), (a, b) ->
      let a = with_handles next va a in
      (a, with_handles next vb b)
  | List each, xs -> List.rev (List.rev_map (with_handles next each) xs)
  | Seen { inner; there; back; _ }, x -> there (with_handles next inner (back x))

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
  add_tracing 1;
  let form = Handle.finally (fun () -> add_tracing (-1)) (fun () -> call.apply { next }) in
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
  let is_small = n_results < Scratch.words in
  let cell = if is_small then Scratch.take () else Scratch.allocate (n_results + 1) in
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
  let results = if !@fits = 0 then None else Some (with_handles { next } traces.result trace.form) in
  if is_small then Scratch.give cell;
  results

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

let context_of = function
  | Some handle -> lazy (Handle.use Handle.Seq handle (fun pointer -> Context.own (Raw.context_of pointer)))
  | None -> lazy (Context.default ())

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
