open Ctypes
module D = Warpfold_description
module Raw = Warpfold_raw

external find_ : string -> string -> nativeint = "warpfold_find_function"

type ('b, 'c, 'd) t = { fn : D.fn Handle.t; result : ('c, 'd) Dtype.t }

let of_address (type c k) ?name address parameters (result : (c, (c, k) Item.t) Dtype.t) : (_, c, _) t =
  let codes = CArray.of_list D.int32_t (Dtype.codes parameters) in
  let (Element element) = result in
  let pointer =
    Call.output (ptr D.fn) (fun out ->
        Raw.fn_foreign name (ptr_of_raw_address address) (CArray.start codes) (CArray.length codes)
          (Element.code element) out)
  in
  { fn = Handle.own Handle.Fn pointer; result }

let by_name ?(library = "") name parameters result =
  match find_ library name with
  | 0n -> invalid_arg (Printf.sprintf "Warpfold.Foreign.by_name: there is no function %s%s" name
                         (if library = "" then "" else " in " ^ library))
  | address -> of_address ~name address parameters result

let map (type a b c d) (f : (b, c, d) t) (s : (a, b) Node.seq) : (c, d) Node.seq =
  Handle.use Handle.Fn f.fn (fun fn -> Node.from_handles f.result [ s.handle ] (Raw.map fn))

let release f = Handle.release Handle.Fn f.fn
