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

(* ---- of floats *)

(* The number of elements that one of the result is made of. *)
let number along a =
  let extents = Shape.known a in
  let axes = List.sort_uniq Stdlib.compare (List.map (Shape.axis extents) (axes_of extents along)) in
  Shape.length (List.map (List.nth extents) axes)

let in_f64 a = Node.map (fun x -> Expr.cast Dtype.f64 x) a
let mean_ along a = Node.map Expr.(fun total -> total / f64 (float (number along a))) (sum along (in_f64 a))
let back (a : _ t) result = Node.map (fun x -> Expr.cast a.dtype x) result
let mean along a = named "mean" (fun () -> back a (mean_ along a))

(* With all axes kept, so that the result can be subtracted from the array. *)
let kept along a = Keep (axes_of (Shape.known a) along)

(* The computed mean is rounded: the square of the mean distance from it is subtracted. *)
let variance along a =
  named "variance" (fun () ->
      let distances = Broadcast.map2 Expr.sub (in_f64 a) (mean_ (kept along a) a) in
      let difference squares distance =
        let rest = Expr.(squares - (distance * distance)) in
        Expr.(where (rest < f64 0.) (f64 0.) rest) in
      back a (Broadcast.map2 difference (mean_ along (Node.map Expr.(fun x -> x * x) distances)) (mean_ along distances)))

let is_f64 (type a b) (dtype : (a, b) Dtype.t) = match dtype with Element F64 -> true | _ -> false

(* The squares of other types fit f64. If the sum for f64 overflows, or is so small that squares may have vanished, the elements are scaled
   first. *)
let norm along (a : _ t) =
  named "norm" (fun () ->
      let scaled_by factor =
        let down = 1. /. factor and square x = Expr.(let y = x * f64 factor in y * y) in
        Node.map Expr.(fun total -> sqrt total * f64 down) (sum along (Node.map square (in_f64 a))) in
      let plain = scaled_by 1. in
      let chosen plain small large = Expr.(where (plain < f64 0x1p-450) small (where (isfinite plain) plain large)) in
      back a (if is_f64 a.dtype then Broadcast.map3 chosen plain (scaled_by 0x1p600) (scaled_by 0x1p-600) else plain))

let exponentials axis a =
  let greatest = max (Keep [ axis ]) a in
  (greatest, Broadcast.map2 Expr.(fun x greatest -> exp (x - greatest)) a greatest)

let softmax axis a =
  named "softmax" (fun () ->
      let _, e = exponentials axis a in
      Broadcast.map2 Expr.div e (sum (Keep [ axis ]) e))

(* An infinite maximum is not subtracted, since the difference of two infinities is NaN. *)
let logsumexp along a =
  named "logsumexp" (fun () ->
      let shift = Node.map Expr.(fun x -> where (isfinite x) x (cast a.Node.dtype (int 0))) (max (kept along a) a) in
      let sums = sum along (Broadcast.map2 Expr.(fun x shift -> exp (x - shift)) a shift) in
      Broadcast.map2 Expr.(fun sum shift -> log sum + shift) sums (max along shift))

(* ---- positions *)

(* The index along the axis, repeated to the shape. *)
let positions context extents k =
  let n = List.nth extents k in
  let alone = List.mapi (fun i _ -> if i = k then n else 1) extents in
  Viewed.broadcasted extents (Viewed.reshaped alone (P.iota ~context n))

(* As Seq.argmax: the first index of the best element, or 0 if all are NaN. Two reductions by single operations. *)
let index_of_best name operation identity axis (a : _ t) =
  named name (fun () ->
      let extents = Shape.known a in
      let k = Shape.axis extents axis in
      let n = List.nth extents k in
      if n = 0 then
        invalid_arg
          (Printf.sprintf "warpfold: shape %s has no elements along axis %d, expected at least one" (Shape.text extents) k);
      let best = by operation identity (Keep [ k ]) a in
      let candidate x best i = Expr.(where (x = best) i (int n)) in
      let places = Broadcast.map3 candidate a best (positions (Node.context a) extents k) in
      Node.map Expr.(fun i -> where (i = int n) (int 0) i) (by Expr.min Identities.of_min (Axis k) places))

let argmax axis a = index_of_best "argmax" Expr.max Identities.of_max axis a
let argmin axis a = index_of_best "argmin" Expr.min Identities.of_min axis a

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
