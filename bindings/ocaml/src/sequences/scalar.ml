open Ctypes
module Raw = Warpfold_raw

type ('a, 'b) t = ('a, 'b) Node.scalar

let read layout code pointer column =
  Call.output layout (fun out -> Raw.to_host pointer column 0 1 (to_voidp out) code 1)

let integer pointer column = read int64_t (Element.code I64) pointer column
let real pointer column = read double (Element.code F64) pointer column

let element : type a x e b. (a, x, e, b) Element.t -> Warpfold_description.seq ptr -> int -> a =
 fun element pointer column ->
  match element with
  | Bool -> integer pointer column <> 0L
  | U8 -> Int64.to_int (integer pointer column)
  | U32 -> Int64.to_int (integer pointer column)
  | Int -> Int64.to_int (integer pointer column)
  | I32 -> Int64.to_int32 (integer pointer column)
  | I64 -> integer pointer column
  | U64 -> Unsigned.UInt64.of_int64 (integer pointer column)
  | F32 -> real pointer column
  | F64 -> real pointer column

let rec value : type a b. (a, b) Layout.t -> Warpfold_description.seq ptr -> int -> a =
 fun dtype pointer column ->
  match dtype with
  | Element e -> element e pointer column
  | Pair (da, db) ->
      let second = column + Layout.columns da in
      (value da pointer column, value db pointer second)
  | Triple (da, db, dc) ->
      let second = column + Layout.columns da in
      let third = second + Layout.columns db in
      (value da pointer column, value db pointer second, value dc pointer third)
  | Conv (inner, { to_value; _ }) -> to_value (value inner pointer column)

let value_of (x : _ t) = Node.use x (fun pointer -> value x.dtype pointer 0)
let named name f = Call.named "Scalar." name f
let get x = named "get" (fun () -> value_of x)
let dtype (x : _ t) = x.dtype

let rec const : type a b. Context.t -> (a, b) Layout.t -> a -> (a, b) t =
 fun context dtype x ->
  match (dtype, x) with
  | Element e, x ->
      let cell = Bigarray.(Array1.create (Element.kind e) c_layout 1) in
      cell.{0} <- Element.to_stored e x;
      let call out c = Raw.scalar c (Element.code e) (to_voidp (bigarray_start array1 cell)) out in
      { handle = Context.use context (fun c -> Call.seq (fun out -> call out c)); dtype }
  | Pair (da, db), (a, b) -> Node.zip (const context da a) (const context db b)
  | Triple (da, db, dc), (a, b, c) ->
      let fields = [ (const context da a).handle; (const context db b).handle; (const context dc c).handle ] in
      Node.from_handles dtype fields Raw.zip
  | Conv (inner, { of_value; _ }), x -> { dtype; handle = (const context inner (of_value x)).handle }

let const ?context dtype x =
  named "const" (fun () -> const (match context with Some context -> context | None -> Context.default ()) dtype x)

let map f (x : _ t) : _ t = named "map" (fun () -> Node.map f x)
let map_to result f (x : _ t) : _ t = named "map_to" (fun () -> Node.map_to result f x)
let map2 f (x : _ t) (y : _ t) : _ t = named "map2" (fun () -> Node.map2 f x y)
let zip (x : _ t) (y : _ t) : _ t = named "zip" (fun () -> Node.zip x y)
let unzip (x : _ t) : _ t * _ t = named "unzip" (fun () -> Node.unzip x)
let is_manifest (x : _ t) = named "is_manifest" (fun () -> Node.is_manifest x)
let release (x : _ t) = Node.release x

let pp out (x : _ t) =
  if Node.is_released x then Format.pp_print_string out "<released>"
  else if is_manifest x then Layout.pp_value x.dtype out (get x)
  else Format.fprintf out "<%a, not computed yet>" Layout.pp x.dtype
