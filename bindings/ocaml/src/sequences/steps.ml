module Raw = Warpfold_raw

type ('a, 'b) t = ('a, 'b) Node.seq

let named name f = Call.composed name f

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
