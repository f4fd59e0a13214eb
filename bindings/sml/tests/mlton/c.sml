(* The addresses of C functions, under MLton. *)
structure CFunctions =
struct
  val products = _address "products" public : MLton.Pointer.t;
  val factor = _address "factor" public : MLton.Pointer.t;
  val hypot = _address "hypot" public : MLton.Pointer.t;
  val sqrtf = _address "sqrtf" public : MLton.Pointer.t;
end

structure Host =
struct
  val tellsOfBasis = true (* true if exnMessage can be extended for exceptions of the Basis *)
  val malloc = _import "malloc" public : Word64.word -> MLton.Pointer.t;
  fun allocate bytes = malloc (Word64.fromInt bytes)
  val free = _import "free" public : MLton.Pointer.t -> unit;
end
