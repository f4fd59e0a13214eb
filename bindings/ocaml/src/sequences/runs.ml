(* Runs of equal neighbours and reductions of segments; for Orders and Nested. *)

module P = Primitives
module Raw = Warpfold_raw

type ('a, 'b) t = ('a, 'b) Node.seq

(* The offsets of the runs of neighbours that are equal in their first columns. *)
let runs (s : _ t) width : (int, Expr.int) t =
  Node.use s (fun pointer -> { Node.handle = Call.seq (fun out -> Raw.runs pointer width out); dtype = Dtype.int })

(* The number of segments between offsets. *)
let count offsets =
  let n = P.length offsets in
  if n = 0 then invalid_arg "warpfold: there are no offsets, expected one more than segments";
  n - 1

(* The first element of each run, or of the columns of each that have this type. *)
let heads (s : _ t) offsets = Node.map_to s.dtype (Expr.at s) (P.take (count offsets) offsets)
let lengths offsets = Node.map2 Expr.( - ) (P.drop 1 offsets) (P.take (count offsets) offsets)

let segment_reduce_text f identity (values : _ t) (offsets : _ t) : _ t =
  Traced.use_combiner values.dtype f (fun fn ->
      let call values offsets out = Raw.segment_reduce fn identity values offsets out in
      Node.use values (fun v -> Node.use offsets (fun o -> { values with Node.handle = Call.seq (call v o) })))

let segment_reduce f b (values : _ t) offsets = segment_reduce_text f (Layout.literal values.dtype b) values offsets

(* Pairs sorted by their first field, as keys, values and the offsets of the runs of keys. *)
let by_key (pairs : ('a * 'c, 'b * 'd) t) =
  let keys, _ = Node.unzip pairs in
  let width = Layout.columns keys.dtype in
  let sorted = P.sorted width false pairs in
  let keys, values = Node.unzip sorted in
  (keys, values, runs sorted width)
