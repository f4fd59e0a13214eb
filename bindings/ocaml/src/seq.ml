open Ctypes
module D = Warpfold_description
module Raw = Warpfold_raw

type ('a, 'b) t = ('a, 'b) Node.seq

let dtype (s : _ t) = s.dtype

(* ---- what is known *)

let context (s : _ t) =
  Node.use s (fun pointer -> Context.own (Raw.context_of pointer))

let force (s : _ t) = Node.force s

let known_length (s : _ t) =
  let n = Node.known_length s in
  if n < 0 then None else Some n

let length (s : _ t) =
  if Node.known_length s < 0 then force s;
  Node.known_length s

(* ---- from outside *)

external of_float_array_ : nativeint -> int -> float array -> nativeint -> int = "warpfold_of_float_array"
external of_string_ : nativeint -> string -> nativeint -> int = "warpfold_of_string"
external to_float_array_ : nativeint -> int -> float array -> int = "warpfold_to_float_array"
external adopt_ : nativeint -> int -> ('x, 'e, Bigarray.c_layout) Bigarray.Array1.t -> nativeint -> int = "warpfold_adopt"

external share_ : nativeint -> nativeint -> ('x, 'e) Bigarray.kind -> int -> ('x, 'e, Bigarray.c_layout) Bigarray.Array1.t
  = "warpfold_share"

let create context dtype bytes call : _ t =
  Context.use context (fun c -> { Node.handle = Call.seq ~bytes (call c); dtype })

let of_bigarray_element context element ~copy array =
  let n = Bigarray.Array1.dim array and code = Element.code element in
  create context (Dtype.Element element) (n * Element.size element) (fun c out ->
      if copy then Raw.from_host c code (to_voidp (bigarray_start array1 array)) n out
      else adopt_ (Handle.address c) code array (Handle.address out))

let of_bigarray (type a k) ?(context = Context.default ()) ?(copy = true)
    (dtype : (a, (a, k) Item.t) Dtype.t) array =
  match dtype with Element element -> of_bigarray_element context element ~copy array

(* Loops whose types the compiler knows: no call an element. *)
let bigarray_of_ints (ints : int array) =
  let array = Bigarray.(Array1.create int c_layout (Array.length ints)) in
  for i = 0 to Array.length ints - 1 do
    Bigarray.Array1.unsafe_set array i (Array.unsafe_get ints i)
  done;
  array

let ints_of_bigarray (array : (int, Bigarray.int_elt, Bigarray.c_layout) Bigarray.Array1.t) =
  let ints = Array.make (Bigarray.Array1.dim array) 0 in
  for i = 0 to Array.length ints - 1 do
    Array.unsafe_set ints i (Bigarray.Array1.unsafe_get array i)
  done;
  ints

let of_element_array : type a k. Context.t -> (a, k) Element.t -> a array -> (a, (a, k) Item.t) t =
 fun context element values ->
  let bytes = Array.length values * Element.size element in
  let of_floats (floats : float array) =
    create context (Dtype.Element element) bytes (fun c out ->
        of_float_array_ (Handle.address c) (Element.code element) floats (Handle.address out))
  in
  match element with
  | F32 -> of_floats values
  | F64 -> of_floats values
  | Int -> of_bigarray_element context Element.Int ~copy:false (bigarray_of_ints values)
  | _ ->
      let (Stored element) = Element.stored element in
      let stored i = Element.to_stored element values.(i) in
      let array = Bigarray.(Array1.init (Element.kind element) c_layout (Array.length values) stored) in
      of_bigarray_element context element ~copy:false array

let rec of_array : type a b. Context.t -> (a, b) Dtype.t -> a array -> (a, b) t =
 fun context dtype values ->
  let part : type c d. (c, d) Dtype.t -> (a -> c) -> D.seq Handle.t =
   fun dtype field -> (of_array context dtype (Array.map field values)).handle
  in
  let zip fields = Node.from_handles dtype fields Raw.zip in
  match dtype with
  | Element element -> of_element_array context element values
  | Pair (da, db) -> zip [ part da fst; part db snd ]
  | Triple (da, db, dc) -> zip [ part da (fun (a, _, _) -> a); part db (fun (_, b, _) -> b); part dc (fun (_, _, c) -> c) ]
  | Quadruple (da, db, dc, dd) ->
      zip
        [
          part da (fun (a, _, _, _) -> a);
          part db (fun (_, b, _, _) -> b);
          part dc (fun (_, _, c, _) -> c);
          part dd (fun (_, _, _, d) -> d);
        ]

let of_array ?(context = Context.default ()) dtype values = of_array context dtype values
let of_list ?context dtype values = of_array ?context dtype (Array.of_list values)

let of_string ?(context = Context.default ()) text =
  create context Dtype.u8 (String.length text) (fun c out -> of_string_ (Handle.address c) text (Handle.address out))

let of_file (type a k) ?(context = Context.default ()) (dtype : (a, (a, k) Item.t) Dtype.t) path : (a, _) t =
  match dtype with
  | Element element -> create context dtype 0 (fun c out -> Raw.from_file c (Element.code element) path out)

(* r[i] = f i *)
let tabulated context fn n dtype =
  Context.use context (fun c -> { Node.handle = Call.seq (fun out -> Raw.tabulate c fn n out); dtype })

let init_to ?(context = Context.default ()) result n f : _ t =
  Traced.use1 Dtype.int result f (fun fn -> tabulated context fn n result)

let init ?(context = Context.default ()) n f : _ t =
  let start = Traced.start () in
  let (x : _ Item.t) = f (Traced.parameter start Dtype.int) in
  Traced.use start [ x.term ] (fun fn -> tabulated context fn n (Dtype.Element x.element))

let tabulate ?context f n = init ?context n f

(* ---- element by element *)

let map f (s : _ t) : _ t = Node.map f s
let map_to result f (s : _ t) : _ t = Node.map_to result f s
let map2 f (s : _ t) (t : _ t) : _ t = Node.map2 f s t
let map3 f (s : _ t) (t : _ t) (u : _ t) : _ t = Node.map3 f s t u

let mapi f (s : _ t) : _ t = Node.map2 f (init ~context:(context s) (length s) Fun.id) s
let zip (s : _ t) (t : _ t) : _ t = Node.zip s t

let zip3 (s : _ t) (t : _ t) (u : _ t) : _ t =
  Node.from_handles (Dtype.Triple (s.dtype, t.dtype, u.dtype)) [ s.handle; t.handle; u.handle ] Raw.zip

let unzip (s : _ t) : _ t * _ t = Node.unzip s
let unzip3 (s : _ t) : _ t * _ t * _ t = Node.unzip3 s

(* ---- over all elements *)

let reduced (s : _ t) f call : _ Node.scalar =
  Traced.use_combiner s.dtype f (fun fn ->
      Node.use s (fun pointer -> { Node.handle = Call.seq (call fn pointer); dtype = s.dtype }))

let reduce f b (s : _ t) =
  let identity = Dtype.literal s.dtype b in
  reduced s f (fun fn pointer out -> Raw.reduce fn (ocaml_string_start identity) pointer out)

let reduce_op f (s : _ t) =
  reduced s f (fun fn pointer out -> Raw.reduce_default fn (from_voidp char null) pointer out)

let scan_ f b (s : _ t) inclusive : _ t * _ Node.scalar =
  let identity = ocaml_string_start (Dtype.literal s.dtype b) in
  let own cell = { Node.handle = Handle.own Handle.Seq cell; dtype = s.dtype } in
  Traced.use_combiner s.dtype f (fun fn ->
      Node.use s (fun pointer ->
          let cell = Scratch.take () in
          let call prefixes = Raw.scan fn identity pointer inclusive prefixes (from_voidp (ptr D.seq) cell.memory) in
          let prefixes = { Node.handle = Call.seq call; dtype = s.dtype } in
          let total = own cell in
          Scratch.give cell;
          (prefixes, total)))

let scan f b s = scan_ f b s 0
let scan_incl_total f b s = scan_ f b s 1
let scan_incl f b s = fst (scan_incl_total f b s)

let filter f (s : _ t) : _ t =
  Traced.use1 s.dtype Dtype.bool f (fun fn ->
      Node.use s (fun pointer -> { s with Node.handle = Call.seq (fun out -> Raw.filter fn pointer out) }))

(* ---- lengths and views *)

let derived (s : _ t) call : _ Node.t = Node.use s (fun pointer -> { s with Node.handle = Call.seq (call pointer) })

let count (s : _ t) : _ Node.scalar =
  Node.use s (fun pointer -> { Node.handle = Call.seq (fun out -> Raw.length pointer out); dtype = Dtype.int })

let nth (s : _ t) i : _ Node.scalar =
  Node.use s (fun pointer -> { Node.handle = Call.seq (fun out -> Raw.nth pointer i out); dtype = s.dtype })

let get s i = Scalar.get (nth s i)
let subseq s start length : _ t = derived s (fun pointer out -> Raw.subseq pointer start length out)
let take n s : _ t = derived s (fun pointer out -> Raw.take pointer n out)
let drop n s : _ t = derived s (fun pointer out -> Raw.drop pointer n out)
let rev s : _ t = derived s (fun pointer out -> Raw.rev pointer out)

let concat (sequences : _ t list) : _ t =
  match sequences with
  | [] -> invalid_arg "Warpfold.Seq.concat: the empty list has no element type"
  | s :: _ -> Node.from_handles s.dtype (List.map (fun (s : _ t) -> s.handle) sequences) Raw.append

let append s t = concat [ s; t ]

(* ---- values *)

let column_data pointer column =
  let data = allocate_n D.const_data ~count:1 in
  let n = Call.int64 (fun n -> Raw.data pointer column data n) in
  (raw_address_of_ptr !@data, n)

let column_view (s : _ Node.seq) column kind =
  Node.use s (fun pointer ->
      let data, n = column_data pointer column in
      share_ (Handle.address (Handle.acquire Handle.Seq s.handle)) data kind n)

let to_bigarray (type a c x e) (s : (a, (a, c * (x, e) Bigarray.kind) Item.t) t) =
  force s;
  match s.dtype with Element element -> column_view s 0 (Element.kind element)

let element_column : type a k. _ Node.seq -> (a, k) Element.t -> int -> a array =
 fun s element column ->
  let floats () =
    let values = Array.create_float (length s) in
    Node.use s (fun pointer -> Call.check (fun () -> to_float_array_ (Handle.address pointer) column values));
    values
  in
  match element with
  | F32 -> floats ()
  | F64 -> floats ()
  | Int -> ints_of_bigarray (column_view s column Bigarray.int)
  | _ ->
      let (Stored element) = Element.stored element in
      let view = column_view s column (Element.kind element) in
      Array.init (Bigarray.Array1.dim view) (fun i -> Element.of_stored element view.{i})

let rec values : type a b. _ Node.seq -> (a, b) Dtype.t -> int -> a array =
 fun s dtype column ->
  match dtype with
  | Element element -> element_column s element column
  | Pair (da, db) -> Array.map2 (fun a b -> (a, b)) (values s da column) (values s db (column + Dtype.columns da))
  | Triple (da, db, dc) ->
      let rest = values s (Pair (db, dc)) (column + Dtype.columns da) in
      Array.map2 (fun a (b, c) -> (a, b, c)) (values s da column) rest
  | Quadruple (da, db, dc, dd) ->
      let rest = values s (Triple (db, dc, dd)) (column + Dtype.columns da) in
      Array.map2 (fun a (b, c, d) -> (a, b, c, d)) (values s da column) rest

let to_array (s : _ t) =
  force s;
  values s s.dtype 0

let to_list s = Array.to_list (to_array s)
let is_manifest (s : _ t) = Node.is_manifest s
let release (s : _ t) = Node.release s

(* ---- printing *)

let printed_elements = 20

let pp_elements out (s : _ t) =
  let n = length s in
  let comma out () = Format.fprintf out ",@," in
  let shown = to_list (take (Stdlib.min n printed_elements) s) in
  let more = if n > printed_elements then ",..." else "" in
  Format.fprintf out "@[<hov 1><%a%s>@]" (Format.pp_print_list ~pp_sep:comma (Dtype.pp_value s.dtype)) shown more

let to_string s =
  force s;
  let buffer = Buffer.create 100 in
  let out = Format.formatter_of_buffer buffer in
  Format.pp_set_margin out max_int;
  Format.fprintf out "%a@?" pp_elements s;
  Buffer.contents buffer

let pp out (s : _ t) =
  if Node.is_released s then Format.pp_print_string out "<released>"
  else if is_manifest s then pp_elements out s
  else
    match known_length s with
    | Some n -> Format.fprintf out "<%a, length %d, not computed yet>" Dtype.pp s.dtype n
    | None -> Format.fprintf out "<%a, not computed yet>" Dtype.pp s.dtype
