(* The addresses of C functions, under MLton. *)
structure CFunctions =
struct
  val hypot = _address "hypot" public : MLton.Pointer.t;
  val sqrtf = _address "sqrtf" public : MLton.Pointer.t;
end
