open Ctypes
module D = Warpfold_description
module Raw = Warpfold_raw

external find_ : string -> string -> nativeint = "warpfold_find_function"

let named name f = Call.named "Foreign." name f

type ('b, 'c, 'd) t = { fn : D.fn Handle.t; result : ('c, 'd) Dtype.t }

let codes dtype = CArray.of_list D.int32_t (Layout.codes dtype)
let create result call = { fn = Call.handle Handle.Fn call; result }

let of_address ?name address parameters result =
  let types = codes parameters in
  let code = List.hd (Layout.codes result) in
  let call out =
    Raw.fn_foreign name (ptr_of_raw_address address) (CArray.start types) (CArray.length types) code out
  in
  named "of_address" (fun () -> create result call)

let by_name ?(library = "") name parameters result =
  match find_ library name with
  | 0n -> invalid_arg (Printf.sprintf "Warpfold.Foreign.by_name: there is no function %s%s" name
                         (if library = "" then "" else " in " ^ library))
  | address -> of_address ~name address parameters result

let block ?name ?(user = 0n) address parameters result =
  let types = codes parameters and result_types = codes result and text = Option.map CArray.of_string name in
  let b = make D.Block.layout in
  setf b D.Block.name (match text with Some text -> CArray.start text | None -> from_voidp char null);
  setf b D.Block.function_ (coerce (ptr void) D.block_function (ptr_of_raw_address address));
  setf b D.Block.user (ptr_of_raw_address user);
  setf b D.Block.destroy (coerce (ptr void) D.deleter null);
  setf b D.Block.param_types (CArray.start types);
  setf b D.Block.result_types (CArray.start result_types);
  setf b D.Block.n_params (CArray.length types);
  setf b D.Block.n_results (CArray.length result_types);
  let made = named "block" (fun () -> create result (Raw.fn_block (addr b))) in
  ignore (Sys.opaque_identity (types, result_types, text));  (* b stores only their addresses *)
  made

let source ?host name text parameters result =
  let types = codes parameters and result_types = codes result in
  let call host out =
    Raw.fn_source (Some name) (ocaml_string_start text) (CArray.start types) (CArray.length types) (CArray.start result_types)
      (CArray.length result_types) host out
  in
  named "source" (fun () ->
      match host with
      | None -> create result (call (from_voidp D.fn null))
      | Some { fn; _ } -> Handle.use Handle.Fn fn (fun host -> create result (call host)))

let map (type a b c d) (f : (b, c, d) t) (s : (a, b) Node.seq) : (c, d) Node.seq =
  named "map" (fun () -> Handle.use Handle.Fn f.fn (fun fn -> Node.from_handles f.result [ s.handle ] (Raw.map fn)))

let release f = Handle.release Handle.Fn f.fn
