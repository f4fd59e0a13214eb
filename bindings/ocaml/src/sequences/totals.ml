module P = Primitives
module Raw = Warpfold_raw

type ('a, 'b) t = ('a, 'b) Node.seq

let named name f = Call.composed name f

(* ---- by name *)

let sum s = named "sum" (fun () -> P.reduce_op Expr.add s)
let product s = named "product" (fun () -> P.reduce_op Expr.mul s)
let extreme f identity (s : _ t) = P.reduce_text f (Layout.joined (identity s.dtype)) s
let min s = named "min" (fun () -> extreme Expr.min Identities.of_min s)
let max s = named "max" (fun () -> extreme Expr.max Identities.of_max s)
let minmax s = named "minmax" (fun () -> Node.zip (min s) (max s))
let dot s t = named "dot" (fun () -> sum (Node.map2 Expr.mul s t))
let count_if f s = named "count_if" (fun () -> sum (Node.map (fun x -> Expr.cast Dtype.int (f x)) s))

let mean (s : _ t) : _ Node.scalar = named "mean" (fun () -> Node.prelude "mean" s.dtype [ s.handle ] [ 0.; 0. ])

(* ---- after a map *)

let map_reduce f g b s = named "map_reduce" (fun () -> P.reduce g b (Node.map f s))
let map_scan f g b s = named "map_scan" (fun () -> P.scan g b (Node.map f s))
let map_scan_incl f g b s = named "map_scan_incl" (fun () -> P.scan_incl g b (Node.map f s))
let map_filter f g s = named "map_filter" (fun () -> P.filter g (Node.map f s))
let map_filteri f g s = named "map_filteri" (fun () -> Searches.filteri g (P.mapi f s))
let map_merge f less s t = named "map_merge" (fun () -> Orders.merge_by less (Node.map f s) (Node.map f t))

(* ---- sequential steps *)

(* call fn initial, with f as a function of the library and b as its text. *)
let traced dtype f b (s : _ t) call =
  let start = Traced.start () in
  let state = Traced.parameter start dtype in
  let next = f state (Traced.parameter start s.dtype) in
  let initial = Layout.literal dtype b in
  Traced.use start (Layout.terms dtype next) (fun fn -> Node.use s (call fn initial))

let iterate dtype f b s : _ Node.scalar =
  named "iterate" (fun () ->
      traced dtype f b s (fun fn initial pointer -> { Node.handle = Call.seq (fun out -> Raw.iterate fn initial pointer out); dtype }))

let prefixes dtype f b s inclusive : _ t * _ Node.scalar =
  traced dtype f b s (fun fn initial pointer ->
      Node.two dtype dtype (fun prefixes last -> Raw.iterate_prefixes fn initial pointer inclusive prefixes last))

let iterate_prefixes dtype f b s = named "iterate_prefixes" (fun () -> prefixes dtype f b s 0)
let iterate_prefixes_incl dtype f b s = named "iterate_prefixes_incl" (fun () -> fst (prefixes dtype f b s 1))
