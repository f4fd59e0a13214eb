(* The functions of measure/small.c under MLton, which links it. *)
structure InC =
struct
  val smallInC = _import "small_in_c" public : Int64.int * Int64.int -> real;
  val copyInC = _import "copy_in_c" public : Int64.int -> real;
  val malloc = _import "malloc" public : Word64.word -> MLton.Pointer.t;
  fun allocate bytes = malloc (Word64.fromInt bytes)
  fun small (n, calls) = smallInC (Int64.fromInt n, Int64.fromInt calls)
  fun copy bytes = copyInC (Int64.fromInt bytes)
end
