module P = Primitives
module Raw = Warpfold_raw

type ('a, 'b) t = ('a, 'b) Node.seq

let named name f = Call.composed name f

(* The state x of type dtype after the elements from `first` up to, not including, `last`. *)
let run dtype f x (s : _ t) first last =
  Expr.loop (Layout.Pair (Dtype.int, dtype))
    ~init:(first, x)
    ~while_:(fun (i, _) -> Expr.(i < last))
    (fun (i, x) -> (Expr.(i + int 1), f x (Expr.at s i)))
  |> snd

let iterate dtype f b (s : _ t) : _ Node.scalar =
  named "iterate" (fun () ->
      let start = Traced.start () in
      let state = Traced.parameter start dtype in
      let next = f state (Traced.parameter start s.dtype) in
      Traced.use start (Layout.terms dtype next) (fun fn ->
          let call pointer out = Raw.iterate fn (Layout.literal dtype b) pointer out in
          Node.use s (fun pointer -> { Node.handle = Call.seq (call pointer); dtype })))

(* The states before the elements 0, stride, 2 stride, ...: those before every second one of them are known, and each other one is
   `stride` steps after one of these. The first half of all steps is a loop of one thread, the next quarter of two, and so on. *)
let rec states dtype f b s n stride =
  let context = P.context s in
  if stride >= n then P.init_to ~context dtype 1 (fun _ -> Expr.const dtype b)
  else
    let known = states dtype f b s n (2 * stride) in
    let state i =
      let from = Expr.at known Expr.(i / int 2) in
      let first = Expr.((i - (i land int 1)) * int stride) in
      run dtype f from s first Expr.(min (int n) (first + ((i land int 1) * int stride)))
    in
    P.init_to ~context dtype ((n + stride - 1) / stride) state

let prefixes dtype f b s =
  let n = P.length s in
  if n = 0 then P.empty ~context:(P.context s) dtype else states dtype f b s n 1

let including dtype f before (s : _ t) = Node.map_to dtype (fun (x, y) -> f x y) (Node.zip before s)
let iterate_prefixes_incl dtype f b s = named "iterate_prefixes_incl" (fun () -> including dtype f (prefixes dtype f b s) s)

let iterate_prefixes dtype f b s =
  named "iterate_prefixes" (fun () ->
      let before = prefixes dtype f b s in
      let n = P.length s in
      (before, if n = 0 then Scalar.const ~context:(P.context s) dtype b else P.nth (including dtype f before s) (n - 1)))
