(* A sequence as the layers see it: the handle, where it lives, and what its elements are. A lazy scalar is the same. *)
structure Rep =
struct
  datatype 'a seq = Seq of {cell : Platform.cell, context : Context.t, ty : 'a Type.t}
  datatype 'a scalar = Scalar of 'a seq
end
