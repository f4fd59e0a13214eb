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

