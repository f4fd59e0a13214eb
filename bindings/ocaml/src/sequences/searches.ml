module P = Primitives

type ('a, 'b) t = ('a, 'b) Node.seq

let named name f = Call.composed name f
let holds f combine identity s = Scalar.value_of (P.reduce combine identity (Node.map_to Dtype.bool f s))
let exists f s = named "exists" (fun () -> holds f Expr.( || ) false s)
let for_all f s = named "for_all" (fun () -> holds f Expr.( && ) true s)

(* The first index where f holds, else the length: a minimum. *)
let first_index f s =
  let n = P.length s in
  let candidate i x = Expr.(where (f x) i (int n)) in
  let i = Scalar.value_of (P.reduce Expr.min n (Node.map2 candidate (P.indices s) s)) in
  if i = n then None else Some i

let find_index f s = named "find_index" (fun () -> first_index f s)
let find_opt_ f s = Option.map (P.get s) (first_index f s)
let find_opt f s = named "find_opt" (fun () -> find_opt_ f s)
let find f s = match named "find" (fun () -> find_opt_ f s) with Some x -> x | None -> raise Not_found

let partition f s =
  named "partition" (fun () ->
      let rest = P.filter (fun x -> Expr.not (f x)) s in
      (P.filter f s, rest))

let indexed_filter f (s : _ t) = P.filter (fun (i, x) -> f i x) (P.enumerate s)
let filteri f (s : _ t) : _ t = named "filteri" (fun () -> Node.columns (indexed_filter f s) s.dtype 1)
let pack_index f (s : _ t) : _ t = named "pack_index" (fun () -> Node.columns (indexed_filter (fun _ x -> f x) s) Dtype.int 0)

(* ---- the first extreme element *)

let check_not_empty s = if P.length s = 0 then invalid_arg "warpfold: the sequence is empty, expected at least one element"

let index_of name (s : _ t) : _ Node.scalar = named name (fun () -> Node.prelude name Dtype.int [ s.handle ] [ 0. ])
let argmax s = index_of "argmax" s
let argmin s = index_of "argmin" s

(* Elements with their indices; -1 is the index of the identity. The left element of a reduction has the smaller index, so it stays
   unless it is less than the right one. *)
let argmax_by less (s : _ t) : _ Node.scalar =
  named "argmax_by" (fun () ->
      check_not_empty s;
      let pairs = Node.zip s (P.indices s) in
      let greater (x, i) (y, j) = Expr.(choose pairs.dtype (i < int 0 || (j >= int 0 && less x y)) (y, j) (x, i)) in
      snd (Node.unzip (P.reduce_text greater (Layout.joined (Layout.zeros s.dtype @ [ "-1:i64" ])) pairs)))

(* ---- comparisons of sequences *)

let equal f (s : _ t) (t : _ t) =
  named "equal" (fun () ->
      P.length s = P.length t && holds (fun (x, y) -> f x y) Expr.( && ) true (Node.zip s t))

(* The first sign that is not 0. *)
let compare_with before (s : _ t) (t : _ t) =
  let n = P.length s and m = P.length t in
  let common = Stdlib.min n m in
  let sign x y = Expr.(where (before x y) (int (-1)) (where (before y x) (int 1) (int 0))) in
  let signs = Node.map2 sign (P.take common s) (P.take common t) in
  let first = Scalar.value_of (P.reduce Expr.(fun a b -> where (a <> int 0) a b) 0 signs) in
  if first <> 0 then first else Stdlib.compare n m

let compare s t = named "compare" (fun () -> compare_with (Ordering.before s.Node.dtype) s t)
let compare_by less s t = named "compare_by" (fun () -> compare_with less s t)
