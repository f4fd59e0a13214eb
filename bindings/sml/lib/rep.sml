(* A sequence as the layers see it: the handle, its context, the type of its elements, and its length once something has asked
   for it. A lazy scalar is the same. *)
structure Rep =
struct
  datatype 'a seq = Seq of {cell : Platform.cell, context : Context.t, ty : 'a Type.t, length : int option ref}
  datatype 'a scalar = Scalar of 'a seq
end
