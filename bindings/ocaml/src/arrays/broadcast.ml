(* Arrays of one rank repeated to one shape. *)

let repeated extents own a = if own = extents then a else Viewed.broadcasted extents a

(* f of both with one shape. Two vectors of unknown lengths are compared by the call. *)
let together a b f =
  let first = Shape.of_node a and second = Shape.of_node b in
  if first = second then f a b
  else
    let first = Shape.known a and second = Shape.known b in
    let extents = Shape.together first second in
    f (repeated extents first a) (repeated extents second b)

let together3 a b c f =
  let first = Shape.known a and second = Shape.known b and third = Shape.known c in
  let extents = Shape.together (Shape.together first second) third in
  f (repeated extents first a) (repeated extents second b) (repeated extents third c)

let map2 f a b = together a b (Node.map2 f)
let map3 f a b c = together3 a b c (Node.map3 f)
