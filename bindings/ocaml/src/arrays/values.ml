open Bigarray
module Raw = Warpfold_raw

type ('rank, 'a, 'b) t = ('rank, 'a, 'b) Node.t

let named name f = Call.composed ~folder:"Ndarray." name f

(* ---- properties *)

let dtype (a : _ t) = a.dtype
let context (a : _ t) = named "context" (fun () -> Node.context a)
let shape (a : _ t) = named "shape" (fun () -> Axes.of_list (Shape.known a))
let strides (a : _ t) = named "strides" (fun () -> Axes.of_list (Shape.strides (Shape.known a)))
let conforms (a : _ t) (b : _ t) = named "conforms" (fun () -> Stdlib.( = ) (Shape.known a) (Shape.known b))
let length (a : _ t) = named "length" (fun () -> Shape.length (Shape.known a))
let is_manifest (a : _ t) = named "is_manifest" (fun () -> Node.is_manifest a)
let release (a : _ t) = Node.release a
let force (a : _ t) = named "force" (fun () -> Node.force a)

(* ---- elements *)

(* The row-major index; check axis n i returns i, which is an index along this axis. *)
let row_major check add mul extents indices =
  match List.mapi (fun k (n, i) -> (n, check k n i)) (List.combine extents indices) with
  | [] -> None
  | (_, first) :: rest -> Some (List.fold_left (fun index (n, i) -> add (mul index n) i) first rest)

let get (a : _ t) indices =
  named "get" (fun () ->
      let extents = Shape.known a and indices = Axes.to_list indices in
      let check k n i =
        if i < 0 || i >= n then
          invalid_arg
            (Printf.sprintf "warpfold: index %d is out of range along axis %d, expected %s, for shape %s" i k
               (if n = 0 then "an axis with elements" else Printf.sprintf "0 to %d" (n - 1))
               (Shape.text extents));
        i
      in
      match row_major check ( + ) ( * ) extents indices with
      | None -> Scalar.value_of { a with handle = a.handle }
      | Some index -> Primitives.get (Views.flatten a) index)

(* The first index needs no check of its own: if the others are in range, the row-major index is out of range with it. *)
let at (a : _ t) indices =
  let extents = Shape.known a in
  let number n = Expr.int n in
  let check k n i =
    if k = 0 then i
    else
      Expression.make Element.Int
        (Term.make Node.index_code (Check { index = Expression.term i; length = Expression.term (number n) }))
  in
  let index = row_major check Expr.add (fun index n -> Expr.mul index (number n)) extents (Axes.to_list indices) in
  Node.element a (Expression.term (Option.value index ~default:(number 0)))

(* ---- to the host *)

let to_array a = named "to_array" (fun () -> Printed.elements a)

let to_arrays (m : _ t) =
  named "to_arrays" (fun () ->
      match Shape.known m with
      | [ rows; columns ] ->
          let values = to_array m in
          Array.init rows (fun i -> Array.sub values (i * columns) columns)
      | _ -> assert false)

(* The elements of an array in its row-major order, or for the Fortran layout, of its transpose: the same memory. *)
let to_memory (type l) (layout : l layout) (a : _ t) : (_, _, l) Genarray.t =
  let dimensions = Array.of_list (Shape.known a) in
  let elements (a : _ t) =
    Node.force a;
    genarray_of_array1 (Transfer.to_bigarray { a with handle = a.handle })
  in
  match layout with
  | C_layout -> reshape (elements a) dimensions
  | Fortran_layout -> reshape (Genarray.change_layout (elements (Viewed.transposed a)) fortran_layout) dimensions

let to_genarray layout a = named "to_genarray" (fun () -> to_memory layout a)
let to_array2 layout a = named "to_array2" (fun () -> array2_of_genarray (to_memory layout a))
let to_array3 layout a = named "to_array3" (fun () -> array3_of_genarray (to_memory layout a))

let to_dlpack ?(versioned = false) ?(stream = 0) (a : _ t) =
  named "to_dlpack" (fun () ->
      Node.use a (fun pointer ->
          let flag = if versioned then 1 else 0 in
          let call out = Raw.to_dlpack_stream pointer 0 flag stream out in
          Ctypes.(raw_address_of_ptr (Call.output (ptr void) call))))

(* ---- printing *)

let to_string ?element ?limit a = named "to_string" (fun () -> Printed.text ?element ?limit a)

let pp out (a : _ t) =
  if Node.is_released a then Format.pp_print_string out "<released>"
  else if Node.is_manifest a then
    Format.fprintf out "@[<v>%a@]" (Format.pp_print_list Format.pp_print_string) (String.split_on_char '\n' (Printed.text ~is_brief:true a))
  else Format.fprintf out "<%a, %s, not computed yet>" Dtype.pp a.dtype (Shape.text (Shape.of_node a))
