(* An array that may not have been computed yet, with its rank and the type of its elements. A scalar has rank 0, a sequence rank 1. *)

type ('rank, 'a, 'b) t = { handle : Warpfold_description.seq Handle.t; dtype : ('a, 'b) Layout.t }
(* The compiler's messages write these paths as Warpfold.Axes. *)
type ('a, 'b) seq = (Warpfold__Axes.rank1, 'a, 'b) t
type ('a, 'b) scalar = (Warpfold__Axes.rank0, 'a, 'b) t

open Ctypes
module D = Warpfold_description
module Raw = Warpfold_raw

let use node f = Handle.use Handle.Seq node.handle f
let is_released node = Handle.is_released node.handle
let release node = Handle.release Handle.Seq node.handle
let is_manifest node = use node (fun pointer -> Call.int32 (Raw.is_manifest pointer) <> 0)

let context node = use node (fun pointer -> Context.own (Raw.context_of pointer))

(* The length, or -1 if it depends on a filter that has not run. *)
let known_length node = use node (fun pointer -> Call.int64 (Raw.known_length pointer))
let bytes node = Stdlib.max 0 (known_length node) * Layout.size node.dtype

(* The sequence that the call returns when it is passed these handles as an array. *)
let from_handles dtype handles call =
  Handle.use_seqs handles (fun array n -> { handle = Call.seq (call array n); dtype })

(* The result of a function of the prelude, of arrays and numbers; see wf_call in warpfold.h. *)
let prelude name dtype handles numbers =
  let numbers = CArray.of_list double numbers in
  from_handles dtype handles (fun array n out -> Raw.call name array n (CArray.start numbers) (CArray.length numbers) out)

(* ---- in traced functions *)

let index_code = Element.code Element.I64

(* The element at an index; the length. *)
let element { handle = seq; dtype } index =
  let one = Layout.columns dtype = 1 in
  let index = Term.cast index_code index in
  Layout.build dtype (Layout.counted (fun column code -> Term.make code (At { seq; column = (if one then -1 else column); index })))

let length { handle; _ } = Term.make index_code (Length handle)

(* Computes them together. *)
let force_handles handles = Handle.use_seqs handles (fun array n -> Call.check (fun () -> Raw.force array n))
let wait_for_handles handles = Handle.use_seqs handles (fun array n -> Call.check (fun () -> Raw.wait array n))

let force node =
  if not (is_manifest node) then (
    force_handles [ node.handle ];
    Handle.grew (bytes node))

(* The two nodes that the call returns. *)
let two first second call =
  match Call.seqs 2 (fun out -> call out (out +@ 1)) with
  | [ a; b ] -> ({ handle = a; dtype = first }, { handle = b; dtype = second })
  | _ -> assert false

let zip a b = from_handles (Layout.Pair (a.dtype, b.dtype)) [ a.handle; b.handle ] Raw.zip

(* The columns from `start` as elements of type `dtype`. *)
let columns node dtype start =
  let n = Layout.columns dtype in
  let which = CArray.of_list D.int32_t (List.init n (fun k -> start + k)) in
  use node (fun pointer -> { handle = Call.seq (Raw.columns pointer (CArray.start which) n); dtype })

let other_type expected = invalid_arg (Printf.sprintf "warpfold: the elements are of a type made by Dtype.conv, expected Dtype.%s" expected)

let unzip (type r a b c d) (node : (r, a * c, b * d) t) : (r, a, b) t * (r, c, d) t =
  match node.dtype with
  | Pair (da, db) -> (columns node da 0, columns node db (Layout.columns da))
  | _ -> other_type "pair"

let unzip3 (type r a b c d e f) (node : (r, a * c * e, b * d * f) t) : (r, a, b) t * (r, c, d) t * (r, e, f) t =
  match node.dtype with
  | Triple (da, db, dc) ->
      let n = Layout.columns da in
      (columns node da 0, columns node db n, columns node dc (n + Layout.columns db))
  | _ -> other_type "triple"

(* r[i] = f node[i]. map_to has the result type as an argument; map_element derives it from the expression that f returns. *)
let map_to result f node =
  Traced.use1 node.dtype result f (fun fn -> from_handles result [ node.handle ] (Raw.map_one fn))

let map_element call handles (f : Traced.start -> _) =
  let start = Traced.start () in
  let result = f start in
  Traced.use start [ Expression.term result ] (fun fn -> from_handles (Layout.of_expression result) handles (call fn))

let map f x = map_element Raw.map_one [ x.handle ] (fun start -> f (Traced.parameter start x.dtype))

let map2 f x y =
  map_element Raw.map [ x.handle; y.handle ] (fun start ->
      let a = Traced.parameter start x.dtype in
      f a (Traced.parameter start y.dtype))

let map3 f x y z =
  map_element Raw.map [ x.handle; y.handle; z.handle ] (fun start ->
      let a = Traced.parameter start x.dtype in
      let b = Traced.parameter start y.dtype in
      f a b (Traced.parameter start z.dtype))
