(* Views of arrays with extents and axes as lists, of which the callers know the lengths. They return arrays of any rank. *)

module Raw = Warpfold_raw

type ('rank, 'a, 'b) t = ('rank, 'a, 'b) Node.t

(* The array that the call makes of `a`. *)
let derived (a : _ t) call : _ t = Node.use a (fun pointer -> { a with Node.handle = Call.seq (call pointer) })

let reshaped extents a =
  Shape.with_int64s [ extents ] (fun at rank -> derived a (fun pointer out -> Raw.reshape pointer (at 0) rank out))

let broadcasted extents a =
  Shape.with_int64s [ extents ] (fun at rank -> derived a (fun pointer out -> Raw.broadcast pointer (at 0) rank out))

let permuted axes a = Shape.with_int32s axes (fun axes n -> derived a (fun pointer out -> Raw.permute pointer axes n out))

let sliced starts counts steps a =
  Shape.with_int64s [ starts; counts; steps ] (fun at rank ->
      derived a (fun pointer out -> Raw.slice pointer (at 0) (at 1) (at 2) rank out))

let viewed offset extents strides a =
  Shape.with_int64s [ extents; strides ] (fun at rank ->
      derived a (fun pointer out -> Raw.view pointer offset (at 0) (at 1) rank out))

let translated distances outside a =
  Shape.with_int64s [ distances ] (fun at rank -> derived a (fun pointer out -> Raw.translate pointer (at 0) rank outside out))

let joined axis (arrays : _ t list) : _ t =
  let dtype = (List.hd arrays).dtype in
  Node.from_handles dtype (List.map (fun (a : _ t) -> a.handle) arrays) (fun pointers n out -> Raw.join pointers n axis out)

let transposed a = permuted (List.rev (List.mapi (fun k _ -> k) (Shape.of_node a))) a

(* With an axis of extent 1. *)
let expanded axis a =
  let extents = Shape.known a in
  reshaped (Shape.inserted (Shape.new_axis extents axis) 1 extents) a

(* Along one axis; the other axes stay. *)
let part_along axis (start, count, step) a =
  let extents = Shape.known a in
  let k = Shape.axis extents axis in
  sliced (List.mapi (fun i _ -> if i = k then start else 0) extents) (Shape.with_extent k count extents)
    (List.mapi (fun i _ -> if i = k then step else 1) extents) a
