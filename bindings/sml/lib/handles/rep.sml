(* The representation of a sequence: the handle, its context, the type of its elements, and its length once it is known. A lazy scalar has
   the same representation. *)
structure Rep =
struct
  datatype 'a seq = Seq of {cell : Platform.cell, context : Context.t, ty : 'a Type.t, length : int option ref}
  datatype 'a scalar = Scalar of 'a seq
end
