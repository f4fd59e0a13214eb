open Viewed

type ('rank, 'a, 'b) t = ('rank, 'a, 'b) Node.t

let named name f = Call.composed ~folder:"Ndarray." name f

(* ---- shapes *)

let reshape shape a = named "reshape" (fun () -> reshaped (Axes.to_list shape) a)
let flatten a = named "flatten" (fun () -> reshaped [ Shape.length (Shape.known a) ] a)
let broadcast shape a = named "broadcast" (fun () -> broadcasted (Axes.to_list shape) a)
let permute axes a = named "permute" (fun () -> permuted (Axes.to_list axes) a)
let transpose a = named "transpose" (fun () -> transposed a)

let expand axis a = named "expand" (fun () -> expanded axis a)

let like (a : _ t) (b : _ t) =
  named "like" (fun () ->
      let rank = List.length (Shape.of_node a) and extents = Shape.known b in
      let missing = rank - List.length extents in
      if missing < 0 then
        invalid_arg (Printf.sprintf "warpfold: the shape is %s, expected at most the rank %d of the first array" (Shape.text extents) rank);
      reshaped (List.init missing (fun _ -> 1) @ extents) b)

(* ---- parts *)

let slice (items : (_, _) Parts.items) a =
  named "slice" (fun () ->
      let parts = Parts.of_items 0 (Shape.known a) items in
      let each f = List.map f parts in
      let counts = each (fun (_, count, _, _) -> count) in
      let part = sliced (each (fun (start, _, _, _) -> start)) counts (each (fun (_, _, step, _) -> step)) a in
      if List.for_all (fun (_, _, _, stays) -> stays) parts then { part with handle = part.handle }
      else reshaped (List.filter_map (fun (_, count, _, stays) -> if stays then Some count else None) parts) part)

let flip axis a =
  named "flip" (fun () ->
      let extents = Shape.known a in
      let n = List.nth extents (Shape.axis extents axis) in
      part_along axis (Stdlib.max 0 (n - 1), n, -1) a)

let roll axis k a =
  named "roll" (fun () ->
      let extents = Shape.known a in
      let axis = Shape.axis extents axis in
      let n = Stdlib.max 1 (List.nth extents axis) in
      let shift = ((k mod n) + n) mod n in
      if shift = 0 then part_along axis (0, List.nth extents axis, 1) a
      else joined axis [ part_along axis (n - shift, shift, 1) a; part_along axis (0, n - shift, 1) a ])

let row i m = named "row" (fun () -> slice Parts.[ At i; All ] m)
let column j m = named "column" (fun () -> slice Parts.[ All; At j ] m)

let diagonal ?(offset = 0) m =
  named "diagonal" (fun () ->
      match Shape.known m with
      | [ rows; columns ] ->
          let first_row = Stdlib.max 0 (-offset) and first_column = Stdlib.max 0 offset in
          let n = Stdlib.max 0 (Stdlib.min (rows - first_row) (columns - first_column)) in
          viewed ((first_row * columns) + first_column) [ n ] [ columns + 1 ] m
      | _ -> assert false)

let windows axis width a =
  named "windows" (fun () ->
      let extents = Shape.known a in
      let k = Shape.axis extents axis in
      let n = List.nth extents k and strides = Shape.strides extents in
      if width < 1 || width > n then
        invalid_arg
          (Printf.sprintf "warpfold: the width is %d, expected 1 to %d, the extent of shape %s along axis %d" width n
             (Shape.text extents) k);
      viewed 0 (Shape.with_extent k (n - width + 1) extents @ [ width ]) (strides @ [ List.nth strides k ]) a)

let translate ?outside distances (a : _ t) =
  named "translate" (fun () -> translated (Axes.to_list distances) (Option.map (Layout.literal a.dtype) outside) a)

let view ?(offset = 0) shape strides a = named "view" (fun () -> viewed offset (Axes.to_list shape) (Axes.to_list strides) a)

let split axis counts a =
  named "split" (fun () ->
      let extents = Shape.known a in
      let k = Shape.axis extents axis in
      let n = List.nth extents k in
      if List.exists (fun count -> count < 0) counts || List.fold_left ( + ) 0 counts <> n then
        invalid_arg
          (Printf.sprintf "warpfold: the extents of the parts are [%s], expected numbers from 0 with the sum %d, the extent of shape %s along axis %d"
             (String.concat "; " (List.map string_of_int counts)) n (Shape.text extents) k);
      let part start count = part_along k ((if count = 0 then 0 else start), count, 1) a in
      snd (List.fold_left_map (fun start count -> (start + count, part start count)) 0 counts))

(* ---- several arrays as one *)

let check_some name arrays =
  if arrays = [] then
    invalid_arg ("Warpfold.Ndarray." ^ name ^ ": the list is empty, expected at least one array to take the type of")

let join axis arrays =
  check_some "join" arrays;
  named "join" (fun () -> joined axis arrays)

let stack axis arrays =
  check_some "stack" arrays;
  named "stack" (fun () ->
      let extents = Shape.known (List.hd arrays) in
      let k = Shape.new_axis extents axis in
      List.iter
        (fun a ->
          let other = Shape.known a in
          if other <> extents then
            invalid_arg (Printf.sprintf "warpfold: shapes %s and %s differ, expected equal shapes" (Shape.text extents) (Shape.text other)))
        arrays;
      joined k (List.map (expanded k) arrays))
