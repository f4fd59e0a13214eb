(* The addresses of C functions, under Poly/ML. *)
structure CFunctions =
struct
  fun address name = Foreign.symbolAsAddress (Foreign.getSymbol (Foreign.loadLibrary "libm.so.6") name)
  val hypot = address "hypot"
  val sqrtf = address "sqrtf"
end
