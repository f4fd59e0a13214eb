(* The addresses of C functions, under Poly/ML. *)
structure CFunctions =
struct
  fun address name = Foreign.symbolAsAddress (Foreign.getSymbol (Foreign.loadLibrary "libm.so.6") name)
  (* tests/block.c, compiled by the script `test`. *)
  val block = Foreign.loadLibrary (OS.Path.concat (Option.getOpt (OS.Process.getEnv "WARPFOLD_SML", "."), "_build/block.so"))
  val products = Foreign.symbolAsAddress (Foreign.getSymbol block "products")
  val factor = Foreign.symbolAsAddress (Foreign.getSymbol block "factor")
  val hypot = address "hypot"
  val sqrtf = address "sqrtf"
end

structure Host =
struct
  val tellsOfBasis = false (* true if exnMessage can be extended for exceptions of the Basis *)
  fun allocate bytes = Foreign.Memory.malloc (Word.fromInt bytes)
  val free = Foreign.Memory.free
end
