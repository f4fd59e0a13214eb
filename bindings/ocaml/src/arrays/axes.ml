(* Lists of one value per axis, with their length in the type: shapes, indices, permutations of arrays of a rank. *)

(* The number of axes in unary: a matrix has the rank rank0 axis axis, or rank2. *)
type rank0 = private Rank0
type 'rank axis = private Axis of 'rank
type rank1 = rank0 axis
type rank2 = rank1 axis
type rank3 = rank2 axis
type ('e, 'rank) t = [] : ('e, rank0) t | ( :: ) : 'e * ('e, 'rank) t -> ('e, 'rank axis) t

(* The representation is that of lists: the constructors are the same but for their types. The caller knows the rank. *)
external to_list : ('e, 'rank) t -> 'e list = "%identity"
external of_list : 'e list -> ('e, 'rank) t = "%identity"

let map f axes = of_list (List.map f (to_list axes))
let pp out axes = Format.fprintf out "[%s]" (String.concat "; " (List.map string_of_int (to_list axes)))
