(* Tracing: an OCaml function is called once with expressions as parameters and then written as a function of the library. This
   costs one library call per lambda and needs no callbacks. *)

open Ctypes
module D = Warpfold_description
module Raw = Warpfold_raw

(* A function being traced; its number distinguishes its parameters from those of others. *)
type start = { owner : int; mutable codes : int list (* of its parameters, in reverse order *) }

let start () =
  let owner = Term.fresh () in
  Atomic.set Term.last_allowed (owner + Term.most);
  { owner; codes = [] }

let parameter start dtype =
  Layout.build dtype (fun code ->
      let index = List.length start.codes in
      start.codes <- code :: start.codes;
      Term.make code (Parameter { owner = start.owner; index }))

(* f pointer; the pointer is to a function with this text and these captures. *)
let use_text text captures f =
  let create captures n = Call.output (ptr D.fn) (fun out -> Raw.fn_create (ocaml_string_start text) captures n out) in
  let pointer =
    match captures with
    | [] -> create (from_voidp (ptr D.seq) null) 0
    | _ -> Handle.use_seqs captures create
  in
  Handle.finally (fun () -> Raw.fn_release pointer) (fun () -> f pointer)

(* Programs trace the same functions again and again, so the last small ones are kept, in the places of their hashes. An entry is one
   immutable block: other threads may replace it at any time. *)
let kept : (Tree.t * D.fn Handle.t) option array = Array.make 256 None

let kept_function tree hash text =
  let place = (hash lxor (hash lsr 8)) land 255 in
  match kept.(place) with
  | Some (known, handle) when Tree.same known tree -> handle
  | _ ->
      let handle = Call.handle Handle.Fn (Raw.fn_create (ocaml_string_start (text ())) (from_voidp (ptr D.seq) null) 0) in
      kept.(place) <- Some (tree, handle);
      handle

let use start results f =
  Atomic.set Term.last_allowed max_int;
  let parameters = List.rev start.codes in
  let written () = Written.fn ~owner:start.owner ~parameters ~results in
  match Tree.hash ~owner:start.owner results with
  | Some hash ->
      Handle.use Handle.Fn (kept_function { codes = start.codes; results } hash (fun () -> fst (written ()))) f
  | None ->
      let text, captures = written () in
      use_text text captures f

(* r = f x *)
let use1 dtype result f call =
  let start = start () in
  let x = parameter start dtype in
  use start (Layout.terms result (f x)) call

(* A function of two elements. *)
let use2 dtype result f call =
  let start = start () in
  let left = parameter start dtype in
  let right = parameter start dtype in
  use start (Layout.terms result (f left right)) call

let use_combiner dtype f call = use2 dtype dtype f call
let use_less dtype f call = use2 dtype (Layout.Element Element.Bool) f call
