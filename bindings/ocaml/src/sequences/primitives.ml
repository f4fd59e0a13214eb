(* The primitives of the library and the conversions of Seq; its other functions are in orders.ml, searches.ml and so on. *)

open Ctypes
module Raw = Warpfold_raw

type ('a, 'b) t = ('a, 'b) Node.seq

let dtype (s : _ t) = s.dtype

(* ---- properties *)

let named name f = Call.named "Seq." name f
let context (s : _ t) = named "context" (fun () -> Node.context s)
let force (s : _ t) = named "force" (fun () -> Node.force s)

let known_length (s : _ t) =
  let n = named "known_length" (fun () -> Node.known_length s) in
  if n < 0 then None else Some n

let length_ (s : _ t) =
  if Node.known_length s < 0 then Node.force s;
  Node.known_length s

let length (s : _ t) = named "length" (fun () -> length_ s)

(* ---- construction *)

let default = function Some context -> context | None -> Context.default ()

let of_genarray ?context ?(copy = true) dtype array : _ t =
  named "of_genarray" (fun () -> Transfer.of_genarray (default context) dtype ~copy array)

let of_bigarray ?context ?(copy = true) dtype array : _ t =
  named "of_bigarray" (fun () -> Transfer.of_genarray (default context) dtype ~copy (Bigarray.genarray_of_array1 array))

let of_array2 ?context ?(copy = true) dtype array : _ t =
  named "of_array2" (fun () -> Transfer.of_genarray (default context) dtype ~copy (Bigarray.genarray_of_array2 array))

let of_array ?context dtype values : _ t = named "of_array" (fun () -> Transfer.of_array (default context) dtype values)

let of_list ?context dtype values : _ t =
  named "of_list" (fun () -> Transfer.of_array (default context) dtype (Array.of_list values))

let of_seq ?context dtype values : _ t =
  named "of_seq" (fun () -> Transfer.of_array (default context) dtype (Array.of_seq values))

let of_string ?context text : _ t = named "of_string" (fun () -> Transfer.of_string (default context) Dtype.u8 text)
let of_file ?context dtype path : _ t = named "of_file" (fun () -> Transfer.of_file (default context) dtype path)

(* r[i] = f i *)
let tabulated context fn n dtype =
  Context.use context (fun c -> { Node.handle = Call.seq (fun out -> Raw.tabulate c fn n out); dtype })

let init_to ?context result n f : _ t =
  named "init_to" (fun () ->
      let context = default context in
      Traced.use1 Dtype.int result f (fun fn -> tabulated context fn n result))

let init ?context n f : _ t =
  named "init" (fun () ->
      let context = default context in
      let start = Traced.start () in
      let x = f (Traced.parameter start Dtype.int) in
      Traced.use start [ Expression.term x ] (fun fn -> tabulated context fn n (Layout.of_expression x)))

let tabulate ?context f n = init ?context n f
let iota ?context n = Call.composed "iota" (fun () -> init ?context n Fun.id)

let empty ?context dtype = Call.composed "empty" (fun () -> of_array ?context dtype [||])
let singleton ?context dtype x = Call.composed "singleton" (fun () -> of_array ?context dtype [| x |])

(* ---- elementwise *)

let map f (s : _ t) : _ t = named "map" (fun () -> Node.map f s)
let map_to result f (s : _ t) : _ t = named "map_to" (fun () -> Node.map_to result f s)
let map2 f (s : _ t) (t : _ t) : _ t = named "map2" (fun () -> Node.map2 f s t)
let map3 f (s : _ t) (t : _ t) (u : _ t) : _ t = named "map3" (fun () -> Node.map3 f s t u)
let indices s = init ~context:(Node.context s) (length_ s) Fun.id
let mapi f (s : _ t) : _ t = named "mapi" (fun () -> Node.map2 f (indices s) s)
let zip (s : _ t) (t : _ t) : _ t = named "zip" (fun () -> Node.zip s t)
let enumerate (s : _ t) : _ t = named "enumerate" (fun () -> Node.zip (indices s) s)

let zip3 (s : _ t) (t : _ t) (u : _ t) : _ t =
  named "zip3" (fun () ->
      Node.from_handles (Layout.Triple (s.dtype, t.dtype, u.dtype)) [ s.handle; t.handle; u.handle ] Raw.zip)

let unzip (s : _ t) : _ t * _ t = named "unzip" (fun () -> Node.unzip s)
let unzip3 (s : _ t) : _ t * _ t * _ t = named "unzip3" (fun () -> Node.unzip3 s)

(* ---- over all elements *)

let reduced (s : _ t) f call : _ Node.scalar =
  Traced.use_combiner s.dtype f (fun fn ->
      Node.use s (fun pointer -> { Node.handle = Call.seq (call fn pointer); dtype = s.dtype }))

(* The identity is a literal of the written form. *)
let reduce_text f identity s = reduced s f (fun fn pointer out -> Raw.reduce fn (ocaml_string_start identity) pointer out)
let reduce f b (s : _ t) = named "reduce" (fun () -> reduce_text f (Layout.literal s.dtype b) s)

let reduce_op f (s : _ t) =
  named "reduce_op" (fun () ->
      reduced s f (fun fn pointer out -> Raw.reduce_default fn (from_voidp char null) pointer out))

let scan_ f b (s : _ t) inclusive : _ t * _ Node.scalar =
  let identity = ocaml_string_start (Layout.literal s.dtype b) in
  Traced.use_combiner s.dtype f (fun fn ->
      Node.use s (fun pointer -> Node.two s.dtype s.dtype (fun prefixes total -> Raw.scan fn identity pointer inclusive prefixes total)))

let scan f b s = named "scan" (fun () -> scan_ f b s 0)
let scan_incl_total f b s = named "scan_incl_total" (fun () -> scan_ f b s 1)
let scan_incl f b s = named "scan_incl" (fun () -> fst (scan_ f b s 1))

let filter f (s : _ t) : _ t =
  named "filter" (fun () ->
      Traced.use1 s.dtype Dtype.bool f (fun fn ->
          Node.use s (fun pointer -> { s with Node.handle = Call.seq (fun out -> Raw.filter fn pointer out) })))

let flag condition = if condition then 1 else 0

(* Sorted by the first columns. *)
let sorted keys descending (s : _ t) : _ t =
  Node.use s (fun pointer -> { s with Node.handle = Call.seq (fun out -> Raw.sort pointer keys (flag descending) out) })

(* ---- lengths and views *)

let count (s : _ t) : _ Node.scalar =
  named "count" (fun () ->
      Node.use s (fun pointer -> { Node.handle = Call.seq (fun out -> Raw.length pointer out); dtype = Dtype.int }))

let nth_ (s : _ t) i : _ Node.scalar =
  Node.use s (fun pointer -> { Node.handle = Call.seq (fun out -> Raw.nth pointer i out); dtype = s.dtype })

let nth s i = named "nth" (fun () -> nth_ s i)
let get s i = named "get" (fun () -> Scalar.value_of (nth_ s i))

let derived name (s : _ t) call : _ t =
  named name (fun () -> Node.use s (fun pointer -> { s with Node.handle = Call.seq (call pointer) }))

let subseq s start length = derived "subseq" s (fun pointer out -> Raw.subseq pointer start length out)
let take n s = derived "take" s (fun pointer out -> Raw.take pointer n out)
let drop n s = derived "drop" s (fun pointer out -> Raw.drop pointer n out)
let rev s = derived "rev" s (fun pointer out -> Raw.rev pointer out)

(* ---- views as in 15-210 *)

type ('a, 'b) list_view = Nil | Cons of 'a * ('a, 'b) t
type ('a, 'b) tree_view = Empty | One of 'a | Pair of ('a, 'b) t * ('a, 'b) t

let split_head s =
  Call.composed "split_head" (fun () -> if length s = 0 then Nil else Cons (get s 0, drop 1 s))

let split_mid s =
  Call.composed "split_mid" (fun () ->
      match length s with 0 -> Empty | 1 -> One (get s 0) | n -> Pair (take (n / 2) s, drop (n / 2) s))

let shortest f s t =
  let n = Stdlib.min (length s) (length t) in
  f (take n s) (take n t)

let zip_shortest s t = Call.composed "zip_shortest" (fun () -> shortest zip s t)
let map2_shortest f s t = Call.composed "map2_shortest" (fun () -> shortest (map2 f) s t)

(* ---- appending *)

let concat_ (s : _ t) sequences : _ t = Node.from_handles s.dtype (List.map (fun (s : _ t) -> s.handle) sequences) Raw.append

let concat = function
  | [] -> invalid_arg "Warpfold.Seq.concat: the list is empty, expected at least one sequence to take the type of"
  | s :: _ as sequences -> named "concat" (fun () -> concat_ s sequences)

let append s t = named "append" (fun () -> concat_ s [ s; t ])

(* ---- values *)

(* Computes the sequence and applies `f` to it. *)
let computed name f (s : _ t) =
  named name (fun () ->
      Node.force s;
      f s)

let to_array s = computed "to_array" Transfer.to_array s
let to_list s = Array.to_list (computed "to_list" Transfer.to_array s)
let to_bigarray ?(copy = false) s = computed "to_bigarray" (fun s -> if copy then Transfer.copied s else Transfer.to_bigarray s) s

let shaped name layout dimensions s =
  let array = Bigarray.genarray_of_array1 (computed name Transfer.to_bigarray s) in
  if Array.exists (fun d -> d < 0) dimensions || Array.fold_left ( * ) 1 dimensions <> length s then
    invalid_arg
      (Printf.sprintf "Warpfold.Seq.%s: the dimensions are %s, expected a product of %d, the length" name
         (String.concat " x " (List.map string_of_int (Array.to_list dimensions))) (length s));
  Bigarray.reshape (Bigarray.Genarray.change_layout array layout) dimensions

let to_genarray layout dimensions s = shaped "to_genarray" layout dimensions s
let to_array2 layout rows columns s = Bigarray.array2_of_genarray (shaped "to_array2" layout [| rows; columns |] s)
let reader name s = computed name (fun (s : _ t) -> Transfer.reader s s.dtype 0) s

let fold_left f first s =
  let read = reader "fold_left" s in
  let result = ref first in
  for i = 0 to length s - 1 do
    result := f !result (read i)
  done;
  !result

let iter f s =
  let read = reader "iter" s in
  for i = 0 to length s - 1 do
    f (read i)
  done

let to_seq s () =
  let read = reader "to_seq" s and n = length s in
  let rec from i () = if i = n then Stdlib.Seq.Nil else Stdlib.Seq.Cons (read i, from (i + 1)) in
  from 0 ()

(* ---- state *)

let is_manifest (s : _ t) = named "is_manifest" (fun () -> Node.is_manifest s)
let release (s : _ t) = Node.release s

(* ---- printing *)

let printed_elements = 20

let pp_elements ?(limit = printed_elements) pp_element out (s : _ t) =
  let n = length s in
  let comma out () = Format.fprintf out ",@," in
  let printers part = List.map (fun x out -> pp_element out x) (to_list part) in
  let shown =
    if n <= limit then printers s
    else
      let last = limit / 2 in
      printers (take (limit - last) s) @ [ (fun out -> Format.pp_print_string out "...") ] @ printers (drop (n - last) s)
  in
  Format.fprintf out "@[<hov 1><%a>@]" (Format.pp_print_list ~pp_sep:comma (fun out print -> print out)) shown

let to_string ?element ?limit (s : _ t) =
  named "to_string" (fun () ->
      Option.iter (fun limit -> if limit < 0 then invalid_arg (Printf.sprintf "warpfold: limit is %d, expected 0 or more" limit)) limit;
      Node.force s);
  let pp_element =
    match element with
    | Some text -> fun out x -> Format.pp_print_string out (text x)
    | None -> Dtype.pp_value s.dtype
  in
  let buffer = Buffer.create 100 in
  let out = Format.formatter_of_buffer buffer in
  Format.pp_set_margin out max_int;
  Format.fprintf out "%a@?" (pp_elements ?limit pp_element) s;
  Buffer.contents buffer

let pp out (s : _ t) =
  if Node.is_released s then Format.pp_print_string out "<released>"
  else if is_manifest s then pp_elements (Dtype.pp_value s.dtype) out s
  else
    match known_length s with
    | Some n -> Format.fprintf out "<%a, length %d, not computed yet>" Dtype.pp s.dtype n
    | None -> Format.fprintf out "<%a, not computed yet>" Dtype.pp s.dtype
