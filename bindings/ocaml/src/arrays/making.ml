open Bigarray
module P = Primitives
module Raw = Warpfold_raw

type ('rank, 'a, 'b) t = ('rank, 'a, 'b) Node.t

let named name f = Call.composed ~folder:"Ndarray." name f
let default = function Some context -> context | None -> Context.default ()

let check_extents extents =
  List.iteri
    (fun k n -> if n < 0 then invalid_arg (Printf.sprintf "warpfold: the extent along axis %d is %d, expected 0 or more" k n))
    extents

(* ---- from functions *)

(* The index along each axis, repeated to the whole shape: a kernel reads its own index there. *)
let indices context extents =
  let only k n = List.mapi (fun i _ -> if i = k then n else 1) extents in
  List.mapi (fun k n -> Viewed.broadcasted extents (Viewed.reshaped (only k n) (P.iota ~context n))) extents

(* r[i, j, ...] = f [i; j; ...]; `describe` returns the terms of an element and its type. An array without axes is element 0 of a sequence. *)
let tabulated context extents f describe : _ t =
  check_extents extents;
  let start = Traced.start () in
  let parameter () = Traced.parameter start Dtype.int in
  let parameters = List.map (fun _ -> parameter ()) extents in
  if extents = [] then ignore (parameter ());
  let terms, dtype = describe (f (Axes.of_list parameters)) in
  Traced.use start terms (fun fn ->
      match indices context extents with
      | [] -> Viewed.reshaped [] (P.tabulated context fn 1 dtype)
      | indices -> Node.from_handles dtype (List.map (fun (i : _ t) -> i.handle) indices) (Raw.map fn))

let init ?context shape f =
  let describe x = ([ Expression.term x ], Layout.of_expression x) in
  named "init" (fun () -> tabulated (default context) (Axes.to_list shape) f describe)

let init_to ?context result shape f =
  named "init_to" (fun () -> tabulated (default context) (Axes.to_list shape) f (fun x -> (Layout.terms result x, result)))

let fill ?context dtype shape x : _ t =
  named "fill" (fun () ->
      check_extents (Axes.to_list shape);
      Viewed.broadcasted (Axes.to_list shape) (Scalar.const ?context dtype x))

let eye ?context dtype n =
  let is_diagonal : (Expr.int, Axes.rank2) Axes.t -> _ = fun [ i; j ] -> Expr.(cast dtype (i = j)) in
  named "eye" (fun () -> init ?context Axes.[ n; n ] is_diagonal)

let iota ?context shape =
  named "iota" (fun () ->
      let extents = Axes.to_list shape in
      check_extents extents;
      Viewed.reshaped extents (P.iota ~context:(default context) (Shape.length extents)))

let of_diagonal (v : _ t) =
  named "of_diagonal" (fun () ->
      let n = Shape.length (Shape.known v) and context = Node.context v in
      let places extents = Viewed.reshaped extents (P.iota ~context n) in
      let element i j x = Expr.(where (i = j) x (cast v.Node.dtype (int 0))) in
      Broadcast.map3 element (places [ n; 1 ]) (places [ 1; n ]) (Viewed.reshaped [ 1; n ] v))

(* ---- from the host *)

let of_array ?context dtype shape values =
  named "of_array" (fun () -> Viewed.reshaped (Axes.to_list shape) (Transfer.of_array (default context) dtype values))

let of_arrays ?context dtype rows =
  named "of_arrays" (fun () ->
      let columns = if rows = [||] then 0 else Array.length rows.(0) in
      Array.iteri
        (fun i row ->
          if Array.length row <> columns then
            invalid_arg
              (Printf.sprintf "warpfold: row %d has length %d, expected %d as row 0" i (Array.length row) columns))
        rows;
      let values = Array.concat (Array.to_list rows) in
      Viewed.reshaped [ Array.length rows; columns ] (Transfer.of_array (default context) dtype values))

(* The memory is copied or adopted as it is; in the Fortran layout, it is that of the transpose. *)
let of_memory (type l) context dtype ~copy (array : (_, _, l) Genarray.t) =
  let extents = Array.to_list (Genarray.dims array) in
  let s = Transfer.of_genarray (default context) dtype ~copy array in
  match Genarray.layout array with
  | C_layout -> Viewed.reshaped extents s
  | Fortran_layout -> Viewed.transposed (Viewed.reshaped (List.rev extents) s)

let of_array2 ?context ?(copy = true) dtype array =
  named "of_array2" (fun () -> of_memory context dtype ~copy (genarray_of_array2 array))

let of_array3 ?context ?(copy = true) dtype array =
  named "of_array3" (fun () -> of_memory context dtype ~copy (genarray_of_array3 array))

let of_genarray ?context ?(copy = true) shape dtype array =
  named "of_genarray" (fun () ->
      Shape.check_is (Array.to_list (Genarray.dims array)) (Axes.to_list shape);
      of_memory context dtype ~copy array)

(* ---- DLPack *)

let of_dlpack ?context ?(versioned = false) ?(stream = 0) shape dtype address =
  named "of_dlpack" (fun () ->
      let tensor = Ctypes.ptr_of_raw_address address in
      let adopt c = Call.seq (Raw.from_dlpack_stream c tensor (P.flag versioned) stream) in
      let a : _ t = { handle = Context.use (default context) adopt; dtype } in
      let check () =
        Shape.check_is (Shape.known a) (Axes.to_list shape);
        let code = Node.use a (fun pointer -> Call.int32 (Raw.column_type pointer 0)) in
        if code <> List.hd (Layout.codes dtype) then
          let name = Option.value (Raw.type_name code) ~default:"unknown" in
          raise (Call.Error (Type, Printf.sprintf "warpfold: the tensor has elements of type %s, expected %s" name (Dtype.name dtype)))
      in
      match check () with
      | () -> a
      | exception e ->
          Node.release a;
          raise e)
