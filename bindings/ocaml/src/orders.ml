module Raw = Warpfold_raw
module P = Primitives

type ('a, 'b) t = ('a, 'b) Node.seq

let named name f = Call.composed name f
let order descending = if descending then 1 else 0

let sorted keys descending (s : _ t) : _ t =
  let call pointer out = Raw.sort pointer keys (order descending) out in
  Node.use s (fun pointer -> { s with Node.handle = Call.seq (call pointer) })

let sort ?(descending = false) (s : _ t) = named "sort" (fun () -> sorted (Layout.columns s.dtype) descending s)

(* In the order of the keys, which become the first columns. *)
let sort_on ?(descending = false) key (s : _ t) : _ t =
  named "sort_on" (fun () ->
      let keys = Node.map key s in
      let width = Layout.columns keys.dtype in
      Node.columns (sorted width descending (Node.zip keys s)) s.dtype width)

let sort_by less (s : _ t) : _ t =
  named "sort_by" (fun () ->
      Traced.use_less s.dtype less (fun fn ->
          Node.use s (fun pointer -> { s with Node.handle = Call.seq (fun out -> Raw.sort_by fn pointer out) })))

let merged (s : _ t) (t : _ t) call : _ t =
  Node.use s (fun p -> Node.use t (fun q -> { s with Node.handle = Call.seq (fun out -> call p q out) }))

let merge ?(descending = false) (s : _ t) t =
  named "merge" (fun () -> merged s t (fun p q out -> Raw.merge p q (Layout.columns s.dtype) (order descending) out))

let merge_by less (s : _ t) t =
  named "merge_by" (fun () -> Traced.use_less s.dtype less (fun fn -> merged s t (fun p q out -> Raw.merge_by fn p q out)))


let top_k ?(descending = true) k s = named "top_k" (fun () -> P.take k (sort ~descending s))

let is_sorted ?(descending = false) (s : _ t) =
  named "is_sorted" (fun () ->
      let n = P.length s in
      let wrong x y = Ordering.ordered s.dtype ~descending y x in
      n < 2 || not (Scalar.value_of (P.reduce Expr.( || ) false (Node.map2 wrong (P.take (n - 1) s) (P.drop 1 s)))))

(* ---- searches in sorted sequences *)

(* The number of elements of s before x, by bisection: those before `low` come before x, those from `high` on do not. *)
let place ~descending (s : _ t) x =
  let narrow (low, high) =
    let middle = Expr.((low + high) / int 2) in
    let goes_on = Ordering.ordered s.dtype ~descending (Expr.at s middle) x in
    Expr.(where goes_on (middle + int 1) low, where goes_on high middle)
  in
  fst (Expr.loop Dtype.(pair int int) ~init:(Expr.int 0, Expr.length s) ~while_:(fun (low, high) -> Expr.(low < high)) narrow)

let binary_search ?(descending = false) s needles = named "binary_search" (fun () -> Node.map (place ~descending s) needles)

(* ---- sets: sorted sequences without repetitions *)

let differ dtype x y = Expr.(Ordering.before dtype x y || Ordering.before dtype y x)
let starts_run (s : _ t) i x = Expr.(i = int 0 || differ s.dtype (at s (i - int 1)) x)
let dedup s = named "dedup" (fun () -> Searches.filteri (starts_run s) s)
let sort_uniq s = named "sort_uniq" (fun () -> dedup (sort s))

let mem (s : _ t) x =
  let i = place ~descending:false s x in
  Expr.(i < length s && not (Ordering.before s.dtype x (at s i)))

let union s t = named "union" (fun () -> dedup (merge s t))
let inter s t = named "inter" (fun () -> P.filter (mem t) s)
let diff s t = named "diff" (fun () -> P.filter (fun x -> Expr.not (mem t x)) s)
