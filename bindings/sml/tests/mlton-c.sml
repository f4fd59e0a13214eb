(* The addresses of C functions, under MLton. *)
structure CFunctions =
struct
  val products = _address "products" public : MLton.Pointer.t;
  val factor = _address "factor" public : MLton.Pointer.t;
  val hypot = _address "hypot" public : MLton.Pointer.t;
  val sqrtf = _address "sqrtf" public : MLton.Pointer.t;
end

(* True if exnMessage can be told about exceptions of the Basis. *)
structure Host = struct val tellsOfBasis = true end
