(* The C API's types in MLton; _build/mlton.sml has the functions, which raw/generate makes from warpfold.h. The program is linked with
   -lwarpfold. *)
structure CTypes =
struct
  type pointer = MLton.Pointer.t
  type text = string
  type int32 = Int32.int
  type int64 = Int64.int
end
