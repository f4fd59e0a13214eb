module P = Primitives
module Raw = Warpfold_raw

type ('a, 'b) t = { values : ('a, 'b) Node.seq; offsets : (int, Expr.int) Node.seq }

let named name f = Call.composed ~folder:"Nested." name f

(* ---- making *)

let of_offsets offsets values = { values; offsets }

let offsets_of (lengths : _ Node.seq) : _ Node.seq =
  Node.use lengths (fun pointer -> { Node.handle = Call.seq (fun out -> Raw.offsets pointer out); dtype = Dtype.int })

let of_lengths lengths values = named "of_lengths" (fun () -> { values; offsets = offsets_of lengths })

let of_list ?context dtype lists =
  named "of_list" (fun () ->
      let lengths = P.of_list ?context Dtype.int (List.map List.length lists) in
      { values = P.of_list ?context dtype (List.concat lists); offsets = offsets_of lengths })

(* Values and offsets that a call returns. *)
let two (s : _ Node.seq) call =
  let values, offsets = Node.two s.dtype Dtype.int call in
  { values; offsets }

let split_ f (s : _ Node.seq) =
  Traced.use1 s.dtype Dtype.bool f (fun fn -> Node.use s (fun pointer -> two s (fun values offsets -> Raw.split fn pointer values offsets)))

let split f s = named "split" (fun () -> split_ f s)

let tokens f s =
  named "tokens" (fun () ->
      let { values; offsets } = split_ f s in
      { values; offsets = offsets_of (P.filter Expr.(fun n -> n > int 0) (Runs.lengths offsets)) })

let runs ?by (s : _ Node.seq) =
  named "runs" (fun () ->
      match by with
      | None -> { values = s; offsets = Runs.runs s (Layout.columns s.dtype) }
      | Some f ->
          Traced.use_less s.dtype f (fun fn ->
              let call pointer out = Raw.runs_by fn pointer out in
              { values = s; offsets = Node.use s (fun pointer -> { Node.handle = Call.seq (call pointer); dtype = Dtype.int }) }))

let split_before f s = named "split_before" (fun () -> runs ~by:(fun _ y -> Expr.not (f y)) s)

let positive name k = if k < 1 then invalid_arg (Printf.sprintf "warpfold: the length of %s is %d, expected at least 1" name k)

let chunks k s =
  named "chunks" (fun () ->
      positive "a chunk" k;
      let n = P.length s in
      { values = s; offsets = P.init ~context:(P.context s) ((n / k) + Stdlib.min 1 (n mod k) + 1) Expr.(fun i -> min (i * int k) (int n)) })

let windows k (s : _ Node.seq) =
  named "windows" (fun () ->
      positive "a window" k;
      let context = P.context s and count = Stdlib.max 0 (P.length s - k + 1) in
      if count > max_int / k then invalid_arg (Printf.sprintf "warpfold: %d windows of %d elements have more than %d elements" count k max_int);
      let values = P.init_to ~context s.dtype (count * k) (fun i -> Expr.(at s ((i / int k) + (i mod int k)))) in
      { values; offsets = P.init ~context (count + 1) Expr.(fun i -> i * int k) })

let collect_ pairs =
  let keys, values, offsets = Runs.by_key pairs in
  (Runs.heads keys offsets, { values; offsets })

let collect pairs = named "collect" (fun () -> collect_ pairs)

(* Sorted neighbours are equal unless the first comes before the second, since the second never comes before the first. *)
let collect_by less pairs =
  named "collect_by" (fun () ->
      let keys, values = Node.unzip (Orders.sort_by (fun (x, _) (y, _) -> less x y) pairs) in
      let { offsets; _ } = runs ~by:(fun x y -> Expr.not (less x y)) keys in
      (Runs.heads keys offsets, { values; offsets }))

let group_by key s = named "group_by" (fun () -> collect_ (Node.zip (Node.map key s) s))

(* ---- parts *)

let flatten s = s.values
let offsets s = s.offsets
let length s = named "length" (fun () -> Runs.count s.offsets)
let lengths s = named "lengths" (fun () -> Runs.lengths s.offsets)

let ids_ s : _ Node.seq =
  let n = P.length s.values in
  Node.use s.offsets (fun pointer -> { Node.handle = Call.seq (fun out -> Raw.segment_ids pointer n out); dtype = Dtype.int })

let ids s = named "ids" (fun () -> ids_ s)

(* The start of segment k, and its length. *)
let bounds s k =
  let m = Runs.count s.offsets in
  if k < 0 || k >= m then invalid_arg (Printf.sprintf "warpfold: the segment is %d, expected 0 to %d" k (m - 1));
  let start = P.get s.offsets k in
  (start, P.get s.offsets (k + 1) - start)

let get s k =
  named "get" (fun () ->
      let start, count = bounds s k in
      P.subseq s.values start count)

(* The offsets, which must be those of all segments of n values. *)
let checked_offsets s n =
  let last = Runs.count s.offsets in
  let offsets = P.to_array s.offsets in
  let check k =
    let least = if k = 0 then 0 else offsets.(k - 1) and found = offsets.(k) in
    if found < least || found > n || (k = 0 && found > 0) || (k = last && found <> n) then
      invalid_arg
        (Printf.sprintf "warpfold: offset %d of %d is %d, expected %s" k (last + 1) found
           (if k = last then Printf.sprintf "%d, the number of values" n else if k = 0 then "0" else Printf.sprintf "%d to %d" least n))
  in
  for k = 0 to last do check k done;
  offsets

let to_list_ s =
  let values = P.to_array s.values in
  let offsets = checked_offsets s (Array.length values) in
  List.init (Array.length offsets - 1) (fun k -> Array.to_list (Array.sub values offsets.(k) (offsets.(k + 1) - offsets.(k))))

let to_list s = named "to_list" (fun () -> to_list_ s)

(* ---- inside *)

let map f s = named "map" (fun () -> { s with values = Node.map f s.values })
let map_to result f s = named "map_to" (fun () -> { s with values = Node.map_to result f s.values })
let mapi f s = named "mapi" (fun () -> { s with values = Node.map2 f (ids_ s) s.values })
let zip s t = named "zip" (fun () -> { s with values = Node.zip s.values t.values })
let reduce f b s = named "reduce" (fun () -> Runs.segment_reduce f b s.values s.offsets)
let sum s = named "sum" (fun () -> Runs.segment_reduce_text Expr.add (Layout.joined (Layout.zeros s.values.Node.dtype)) s.values s.offsets)

let scan_ f b s inclusive =
  let dtype = s.values.Node.dtype in
  let identity = Layout.literal dtype b in
  Traced.use_combiner dtype f (fun fn ->
      let call v o prefixes totals = Raw.segment_scan fn identity v o inclusive prefixes totals in
      let prefixes, totals = Node.use s.values (fun v -> Node.use s.offsets (fun o -> Node.two dtype dtype (call v o))) in
      ({ s with values = prefixes }, totals))

let scan f b s = named "scan" (fun () -> scan_ f b s 0)
let scan_incl f b s = named "scan_incl" (fun () -> fst (scan_ f b s 1))

let filter f s =
  named "filter" (fun () ->
      Traced.use1 s.values.Node.dtype Dtype.bool f (fun fn ->
          let call v o values offsets = Raw.segment_filter fn v o values offsets in
          Node.use s.values (fun v -> Node.use s.offsets (fun o -> two s.values (call v o)))))

(* The order of the segments' numbers, then of the values. *)
let sort s = named "sort" (fun () -> { s with values = Node.columns (Orders.sort (Node.zip (ids_ s) s.values)) s.values.Node.dtype 1 })

(* ---- segments as elements *)

(* For each value of segments of these lengths, the number of its segment and its index there. *)
let places lengths =
  let offsets = offsets_of lengths in
  let ids = ids_ { values = P.iota ~context:(P.context lengths) (P.get offsets (P.length lengths)); offsets } in
  (Node.zip ids (Node.map2 Expr.(fun i k -> k - at offsets i) ids (P.indices ids)), offsets)

let init lengths f =
  named "init" (fun () ->
      let places, offsets = places lengths in
      { values = Node.map (fun (i, j) -> f i j) places; offsets })

(* The segments with these numbers. *)
let gathered s numbers =
  let places, offsets = places (Node.map (fun k -> Expr.(at s.offsets (k + int 1) - at s.offsets k)) numbers) in
  { values = Node.map_to s.values.Node.dtype (fun (i, j) -> Expr.(at s.values (at s.offsets (at numbers i) + j))) places; offsets }

let append_ s t =
  let n = P.length s.values in
  { values = P.append s.values t.values; offsets = P.append s.offsets (Node.map Expr.(fun k -> k + int n) (P.drop 1 t.offsets)) }

let append s t = named "append" (fun () -> append_ s t)

let update s k x =
  named "update" (fun () ->
      let start, count = bounds s k in
      let more = P.length x - count in
      let values = P.append (P.append (P.take start s.values) x) (P.drop (start + count) s.values) in
      { values; offsets = Node.map2 Expr.(fun i n -> where (i > int k) (n + int more) n) (P.indices s.offsets) s.offsets })

(* Segments of equal content have equal ranks. *)
let ranks s =
  let longest = Stdlib.max 0 (Scalar.value_of (P.reduce Expr.max 0 (Runs.lengths s.offsets))) in
  Node.prelude "segment_ranks" Dtype.int [ s.values.Node.handle; s.offsets.Node.handle ] [ float longest ]

module By_content = struct
  let named name f = Call.composed ~folder:"Nested.By_content." name f

  (* The ranks of the segments of either. *)
  let together s t =
    let m = Runs.count s.offsets and ranks = ranks (append_ s t) in
    (P.take m ranks, P.drop m ranks)

  let sort_ s =
    let ranks = ranks s in
    gathered s (Orders.sort_on (Expr.at ranks) (P.indices ranks))

  let dedup_ s =
    let ranks = ranks s in
    gathered s (P.filter Expr.(fun k -> k = int 0 || at ranks (k - int 1) <> at ranks k) (P.indices ranks))

  let sort s = named "sort" (fun () -> sort_ s)
  let dedup s = named "dedup" (fun () -> dedup_ s)
  let sort_uniq s = named "sort_uniq" (fun () -> dedup_ (sort_ s))
  let argmax s = named "argmax" (fun () -> Searches.argmax (ranks s))

  let merge s t = named "merge" (fun () -> sort_ (append_ s t))

  let compare s t =
    named "compare" (fun () ->
        let first, second = together s t in
        Searches.compare first second)

  let binary_search ?after s needles =
    named "binary_search" (fun () ->
        let first, second = together s needles in
        Orders.binary_search ?after first second)
end

(* ---- printing *)

let to_string s =
  named "to_string" (fun () ->
      let text values = Format.asprintf "%a" (Layout.pp_value s.values.Node.dtype) values in
      let segment values = "<" ^ String.concat "," (List.map text values) ^ ">" in
      "<" ^ String.concat "," (List.map segment (to_list_ s)) ^ ">")

let pp out s =
  match P.known_length s.offsets with
  | Some n -> Format.fprintf out "<%d segments of %a>" (n - 1) Layout.pp s.values.Node.dtype
  | None -> Format.fprintf out "<segments of %a>" Layout.pp s.values.Node.dtype
