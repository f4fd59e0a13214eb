open Ctypes
module Raw = Warpfold_raw

let named name f = Call.composed ~folder:"Files." name f

let read ?context ?format ?name shape (dtype : (_, _) Dtype.t) path : _ Ndarray.t =
  named "read" (fun () ->
      let context = match context with Some context -> context | None -> Context.default () in
      let code = List.hd (Layout.codes dtype) in
      let call c out = Raw.read_array c path format name code out in
      let a = Context.use context (fun c -> { Node.handle = Call.seq (call c); dtype }) in
      Shape.check_is (Shape.known a) (Axes.to_list shape);
      a)

(* The memory of the names is used until the call returns. *)
let written ?format path handles names =
  let texts = List.map CArray.of_string names in
  let array = CArray.of_list (ptr char) (List.map CArray.start texts) in
  Handle.use_seqs handles (fun arrays n ->
      Call.check (fun () -> Raw.write_arrays path format arrays (CArray.start array) n));
  ignore (Sys.opaque_identity (texts, array))

let write ?format path (a : _ Ndarray.t) = named "write" (fun () -> written ?format path [ a.handle ] [ "" ])

let write_npz path arrays =
  named "write_npz" (fun () ->
      written ~format:"npz" path (List.map (fun (_, any) -> Any.handle any) arrays) (List.map fst arrays))

let names path =
  named "names" (fun () ->
      let text = Call.text (Raw.array_names path) in
      List.filter (fun name -> name <> "") (String.split_on_char '\n' text))
