(* The representation of a sequence: the handle, its context, the type of its elements, and its length once it is known. A lazy scalar has
   the same representation. Compilers name the types as here. *)
structure Seq =
struct
  datatype 'a seq = Seq of {cell : Platform.cell, context : Context.t, ty : 'a Type.t, length : int option ref}
end
structure Scalar =
struct
  datatype 'a t = Scalar of 'a Seq.seq
end
structure Rep =
struct
  datatype seq = datatype Seq.seq
  datatype scalar = datatype Scalar.t
end
