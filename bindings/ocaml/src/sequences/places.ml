open Ctypes
module D = Warpfold_description
module Raw = Warpfold_raw
module P = Primitives

type ('a, 'b) t = ('a, 'b) Node.seq

let scattered (base : _ t) (indices : _ t) (values : _ t) fn : _ t =
  let call base indices values out = Raw.scatter fn base indices values out in
  Node.use base (fun b ->
      Node.use indices (fun i -> Node.use values (fun v -> { base with Node.handle = Call.seq (call b i v) })))

let scatter ?by base indices values =
  Call.composed "scatter" (fun () ->
      let scattered = scattered base indices values in
      match by with
      | None -> scattered (from_voidp D.fn null)
      | Some f -> Traced.use_combiner base.dtype f scattered)

let histogram ~bins (s : _ t) : _ t =
  Call.composed "histogram" (fun () ->
      Node.use s (fun pointer -> { Node.handle = Call.seq (Raw.histogram pointer bins); dtype = Dtype.int }))

let inject s updates =
  Call.composed "inject" (fun () ->
      let indices, values = Node.unzip updates in
      scatter s indices values)

let update (s : _ t) i x =
  Call.composed "update" (fun () ->
      ignore (P.nth s i) (* raises if i is out of range *);
      let replaced (j, y) = Expr.(choose s.dtype (j = int i) (const s.dtype x) y) in
      Node.map_to s.dtype replaced (Node.zip (P.indices s) s))

let rotate k s =
  Call.composed "rotate" (fun () ->
      let n = P.length s in
      let k = if n = 0 then 0 else k mod n in
      let k = if k < 0 then k + n else k in
      P.append (P.drop k s) (P.take k s))

let interleave (s : _ t) (t : _ t) =
  Call.composed "interleave" (fun () ->
      let both = Node.zip s t in
      let n = P.length both in
      if n > max_int / 2 then invalid_arg (Printf.sprintf "warpfold: the length is %d, expected at most %d" n (max_int / 2));
      let turn i =
        let x, y = Expr.at both Expr.(i / int 2) in
        Expr.(choose s.dtype (i land int 1 = int 0) x y)
      in
      P.init_to ~context:(P.context s) s.dtype (2 * n) turn)
