module P = Primitives
module Raw = Warpfold_raw

type ('rank, 'a, 'b) t = ('rank, 'a, 'b) Node.t

type (_, _) along =
  | Axis : int -> ('r Axes.axis, 'r) along
  | Axes : int * int -> ('r Axes.axis Axes.axis, 'r) along
  | All : ('r, Axes.rank0) along
  | Keep : int list -> ('r, 'r) along

let named name f = Call.composed ~folder:"Ndarray." name f

(* ---- reductions *)

let axes_of (type r s) extents (along : (r, s) along) =
  match along with
  | Axis k -> [ k ]
  | Axes (i, j) -> [ i; j ]
  | All -> List.mapi (fun k _ -> k) extents
  | Keep axes -> axes

let keeps (type r s) (along : (r, s) along) = match along with Keep _ -> true | Axis _ | Axes _ | All -> false

(* The identity is a literal of the written form. *)
let reduced_axes axes keep f identity (a : _ t) : _ t =
  Traced.use_combiner a.dtype f (fun fn ->
      Shape.with_int32s axes (fun axes n ->
          Viewed.derived a (fun pointer out -> Raw.reduce_axis fn identity pointer axes n (P.flag keep) out)))

let reduced along f identity a = reduced_axes (axes_of (Shape.known a) along) (keeps along) f (Layout.joined identity) a
let reduce along f b (a : _ t) = named "reduce" (fun () -> reduced along f (Layout.add_literals a.dtype b []) a)
let by f identity along (a : _ t) = reduced along f (identity a.dtype) a
let sum along a = named "sum" (fun () -> by Expr.add Identities.zeros along a)
let product along a = named "product" (fun () -> by Expr.mul Identities.ones along a)
let min along a = named "min" (fun () -> by Expr.min Identities.of_min along a)
let max along a = named "max" (fun () -> by Expr.max Identities.of_max along a)
let any along a = named "any" (fun () -> reduced along Expr.or_ [ "false" ] a)
let all along a = named "all" (fun () -> reduced along Expr.and_ [ "true" ] a)
let count along a = named "count" (fun () -> sum along (Node.map (fun x -> Expr.cast Dtype.int x) a))

(* ---- functions of the prelude *)

let numbers along a = List.map float (axes_of (Shape.known a) along)

let statistic name ?(more = []) along (a : _ t) : _ t =
  named name (fun () -> Node.prelude name a.dtype [ a.handle ] ((if keeps along then 1. else 0.) :: (more @ numbers along a)))

let mean along a = statistic "mean" along a
let variance along a = statistic "variance" ~more:[ 0. ] along a
let norm along a = statistic "norm" along a
let logsumexp along a = statistic "logsumexp" along a
let softmax axis (a : _ t) : _ t = named "softmax" (fun () -> Node.prelude "softmax" a.dtype [ a.handle ] [ float axis ])
let index_of name axis (a : _ t) : _ t = named name (fun () -> Node.prelude name Dtype.int [ a.handle ] [ float axis ])
let argmax axis a = index_of "argmax" axis a
let argmin axis a = index_of "argmin" axis a

(* ---- prefixes and order *)

let scanned axis f identity inclusive (a : _ t) =
  Traced.use_combiner a.dtype f (fun fn ->
      Node.use a (fun pointer ->
          Node.two a.dtype a.dtype (fun prefixes totals -> Raw.scan_axis fn identity pointer axis inclusive prefixes totals)))

let scan axis f b (a : _ t) = named "scan" (fun () -> scanned axis f (Layout.literal a.dtype b) 0 a)
let scan_incl axis f b (a : _ t) = named "scan_incl" (fun () -> fst (scanned axis f (Layout.literal a.dtype b) 1 a))

let cumulative_sum axis (a : _ t) = named "cumulative_sum" (fun () -> fst (scanned axis Expr.add (Layout.joined (Identities.zeros a.dtype)) 1 a))
let cumulative_product axis (a : _ t) = named "cumulative_product" (fun () -> fst (scanned axis Expr.mul (Layout.joined (Identities.ones a.dtype)) 1 a))

let sort ?(descending = false) axis a =
  named "sort" (fun () -> Viewed.derived a (fun pointer out -> Raw.sort_axis pointer axis (P.flag descending) out))
