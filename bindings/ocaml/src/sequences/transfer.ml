(* Transfer of elements between OCaml and sequences. *)

open Ctypes
open Bigarray
module D = Warpfold_description
module Raw = Warpfold_raw

external of_float_array_ : nativeint -> int -> float array -> nativeint -> int = "warpfold_of_float_array"
external of_string_ : nativeint -> string -> nativeint -> int = "warpfold_of_string"
external to_float_array_ : nativeint -> int -> float array -> int = "warpfold_to_float_array"
external adopt_ : nativeint -> int -> ('x, 'e, 'l) Genarray.t -> nativeint -> int = "warpfold_adopt"
external share_ : nativeint -> nativeint -> ('x, 'e) kind -> int -> ('x, 'e, c_layout) Array1.t = "warpfold_share"

(* ---- in *)

let create context dtype bytes call : _ Node.seq =
  Context.use context (fun c -> { Node.handle = Call.seq ~bytes (call c); dtype })

let elements array = Array.fold_left ( * ) 1 (Genarray.dims array)

(* The elements in memory order. *)
let of_genarray context dtype ~copy array =
  let n = elements array and code = List.hd (Layout.codes dtype) in
  create context dtype (n * Layout.size dtype) (fun c out ->
      if copy then Raw.from_host c code (to_voidp (bigarray_start genarray array)) n out
      else adopt_ (Handle.address c) code array (Handle.address out))

(* Adopts a bigarray that has no other user. *)
let of_own_bigarray context element array =
  of_genarray context (Layout.Element element) ~copy:false (genarray_of_array1 array)

(* The types are monomorphic so that the loop makes no call per element. *)
let bigarray_of_ints (ints : int array) =
  let array = Array1.create int c_layout (Array.length ints) in
  for i = 0 to Array.length ints - 1 do
    Array1.unsafe_set array i (Array.unsafe_get ints i)
  done;
  array

let of_element_array : type a x e b. Context.t -> (a, x, e, b) Element.t -> a array -> (a, b) Node.seq =
 fun context element values ->
  let of_floats (floats : float array) =
    create context (Layout.Element element) (Array.length floats * Element.size element) (fun c out ->
        of_float_array_ (Handle.address c) (Element.code element) floats (Handle.address out))
  in
  match element with
  | F32 -> of_floats values
  | F64 -> of_floats values
  | Int -> of_own_bigarray context Element.Int (bigarray_of_ints values)
  | Bool | U8 | I32 | U32 | I64 | U64 ->
      let stored i = Element.to_stored element values.(i) in
      of_own_bigarray context element (Array1.init (Element.kind element) c_layout (Array.length values) stored)

let rec of_array : type a b. Context.t -> (a, b) Layout.t -> a array -> (a, b) Node.seq =
 fun context dtype values ->
  let part : type c d. (c, d) Layout.t -> (a -> c) -> D.seq Handle.t =
   fun dtype field -> (of_array context dtype (Array.map field values)).handle
  in
  let zip fields = Node.from_handles dtype fields Raw.zip in
  match dtype with
  | Element element -> of_element_array context element values
  | Pair (da, db) -> zip [ part da fst; part db snd ]
  | Triple (da, db, dc) -> zip [ part da (fun (a, _, _) -> a); part db (fun (_, b, _) -> b); part dc (fun (_, _, c) -> c) ]
  | Conv (inner, { of_value; _ }) -> { dtype; handle = part inner of_value }

let of_string context dtype text =
  create context dtype (String.length text) (fun c out -> of_string_ (Handle.address c) text (Handle.address out))

let of_file context dtype path =
  create context dtype 0 (fun c out -> Raw.from_file c (List.hd (Layout.codes dtype)) path out)

(* ---- out, of sequences that have been computed *)

let column_data pointer column =
  let data = allocate_n D.const_data ~count:1 in
  let n = Call.int64 (fun n -> Raw.data pointer column data n) in
  (raw_address_of_ptr !@data, n)

let column_view (s : _ Node.seq) column kind =
  Node.use s (fun pointer ->
      let data, n = column_data pointer column in
      share_ (Handle.address (Handle.acquire Handle.Seq s.handle)) data kind n)

(* The value of a bigarray's element i. The types in each case are monomorphic, so the compiler reads without a call. *)
let element_reader : type a x e b. (a, x, e, b) Element.t -> (x, e, c_layout) Array1.t -> int -> a =
 fun element view ->
  let bytes (view : (int, int8_unsigned_elt, c_layout) Array1.t) i = Array1.unsafe_get view i in
  let words (view : (int32, int32_elt, c_layout) Array1.t) i = Array1.unsafe_get view i in
  let longs (view : (int64, int64_elt, c_layout) Array1.t) i = Array1.unsafe_get view i in
  let ints (view : (int, int_elt, c_layout) Array1.t) i = Array1.unsafe_get view i in
  let singles (view : (float, float32_elt, c_layout) Array1.t) i = Array1.unsafe_get view i in
  let doubles (view : (float, float64_elt, c_layout) Array1.t) i = Array1.unsafe_get view i in
  match element with
  | Bool -> fun i -> bytes view i <> 0
  | U8 -> bytes view
  | I32 -> words view
  | U32 -> fun i -> Int32.to_int (words view i) land Element.u32_mask
  | Int -> ints view
  | I64 -> longs view
  | U64 -> fun i -> Unsigned.UInt64.of_int64 (longs view i)
  | F32 -> singles view
  | F64 -> doubles view

(* A function from i to element i; it keeps the memory alive. *)
let rec reader : type a b. _ Node.seq -> (a, b) Layout.t -> int -> int -> a =
 fun s dtype column ->
  match dtype with
  | Element element -> element_reader element (column_view s column (Element.kind element))
  | Pair (da, db) ->
      let a = reader s da column and b = reader s db (column + Layout.columns da) in
      fun i -> (a i, b i)
  | Triple (da, db, dc) ->
      let a = reader s da column and rest = reader s (Pair (db, dc)) (column + Layout.columns da) in
      fun i ->
        let b, c = rest i in
        (a i, b, c)
  | Conv (inner, { to_value; _ }) ->
      let inner = reader s inner column in
      fun i -> to_value (inner i)

let floats s =
  let values = Array.create_float (Node.known_length s) in
  Node.use s (fun pointer -> Call.check (fun () -> to_float_array_ (Handle.address pointer) 0 values));
  values

let ints s =
  let view = column_view s 0 int in
  let values = Array.make (Array1.dim view) 0 in
  for i = 0 to Array.length values - 1 do
    Array.unsafe_set values i (Array1.unsafe_get view i)
  done;
  values

let to_array (type a b) (s : (a, b) Node.seq) : a array =
  match s.dtype with
  | Element F32 -> floats s
  | Element F64 -> floats s
  | Element Int -> ints s
  | dtype -> Array.init (Node.known_length s) (reader s dtype 0)

let to_bigarray s = column_view s 0 (Layout.kind s.Node.dtype)

let copied s =
  let view = to_bigarray s in
  let copy = Array1.create (Array1.kind view) c_layout (Array1.dim view) in
  Array1.blit view copy;
  copy
