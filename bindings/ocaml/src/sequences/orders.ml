module Raw = Warpfold_raw
module P = Primitives

type ('a, 'b) t = ('a, 'b) Node.seq

let named name f = Call.composed name f
let sort ?(descending = false) (s : _ t) = named "sort" (fun () -> P.sorted (Layout.columns s.dtype) descending s)

(* In the order of the keys, which become the first columns. *)
let sort_on ?(descending = false) key (s : _ t) : _ t =
  named "sort_on" (fun () ->
      let keys = Node.map key s in
      let width = Layout.columns keys.dtype in
      Node.columns (P.sorted width descending (Node.zip keys s)) s.dtype width)

let sort_by less (s : _ t) : _ t =
  named "sort_by" (fun () ->
      Traced.use_less s.dtype less (fun fn ->
          Node.use s (fun pointer -> { s with Node.handle = Call.seq (fun out -> Raw.sort_by fn pointer out) })))

let merged (s : _ t) (t : _ t) call : _ t =
  Node.use s (fun p -> Node.use t (fun q -> { s with Node.handle = Call.seq (fun out -> call p q out) }))

let merge ?(descending = false) (s : _ t) t =
  named "merge" (fun () -> merged s t (fun p q out -> Raw.merge p q (Layout.columns s.dtype) (P.flag descending) out))

let merge_by less (s : _ t) t =
  named "merge_by" (fun () -> Traced.use_less s.dtype less (fun fn -> merged s t (fun p q out -> Raw.merge_by fn p q out)))

let top_k ?(descending = true) k s =
  named "top_k" (fun () ->
      if k < 0 then invalid_arg (Printf.sprintf "warpfold: k is %d, expected 0 or more" k);
      P.take (Stdlib.min k (P.length s)) (sort ~descending s))

let is_sorted ?(descending = false) (s : _ t) =
  named "is_sorted" (fun () ->
      let n = P.length s in
      let wrong x y = Ordering.ordered s.dtype ~descending y x in
      n < 2 || not (Scalar.value_of (P.reduce Expr.( || ) false (Node.map2 wrong (P.take (n - 1) s) (P.drop 1 s)))))

(* ---- searches in sorted sequences *)

let binary_search ?(descending = false) ?(after = false) (s : _ t) (needles : _ t) : _ t =
  named "binary_search" (fun () ->
      let width = Layout.columns s.dtype in
      let call s needles out = Raw.search s needles width (P.flag descending) (P.flag after) out in
      Node.use s (fun p -> Node.use needles (fun q -> { Node.handle = Call.seq (call p q); dtype = Dtype.int })))

let binary_search_by ?(after = false) less (s : _ t) (needles : _ t) : _ t =
  named "binary_search_by" (fun () ->
      Traced.use_less s.dtype less (fun fn ->
          let call s needles out = Raw.search_by fn s needles (P.flag after) out in
          Node.use s (fun p -> Node.use needles (fun q -> { Node.handle = Call.seq (call p q); dtype = Dtype.int }))))

(* ---- sets *)

let dedup_ (s : _ t) = P.derived "dedup" s (fun pointer out -> Raw.unique pointer (Layout.columns s.dtype) out)
let dedup s = named "dedup" (fun () -> dedup_ s)

let dedup_by equal (s : _ t) =
  named "dedup_by" (fun () ->
      Traced.use_less s.dtype equal (fun fn -> P.derived "dedup_by" s (fun pointer out -> Raw.unique_by fn pointer out)))

let sort_uniq s = named "sort_uniq" (fun () -> dedup_ (sort s))
let by_all_columns (s : _ t) call p q out = call p q (Layout.columns s.dtype) 0 out
let inter s t = named "inter" (fun () -> merged s t (by_all_columns s Raw.intersection))
let diff s t = named "diff" (fun () -> merged s t (by_all_columns s Raw.difference))
let union s t = named "union" (fun () -> merge s (diff t s))

(* ---- runs and keys *)

let run_lengths (s : _ t) =
  named "run_lengths" (fun () ->
      let offsets = Runs.runs s (Layout.columns s.dtype) in
      Node.zip (Runs.heads s offsets) (Runs.lengths offsets))

let reduce_by_key f b pairs =
  named "reduce_by_key" (fun () ->
      let keys, values, offsets = Runs.by_key pairs in
      Node.zip (Runs.heads keys offsets) (Runs.segment_reduce f b values offsets))

let count_by_key keys = named "count_by_key" (fun () -> run_lengths (sort keys))
