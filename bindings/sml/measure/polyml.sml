(* The functions of measure/small.c under Poly/ML. *)
structure InC =
struct
  local
    open Foreign
    val library = loadLibrary (Option.getOpt (OS.Process.getEnv "WARPFOLD_SMALL_IN_C", "libsmall.so"))
  in
    val small = buildCall2 (getSymbol library "small_in_c", (cLong, cLong), cDouble)
    val copy = buildCall1 (getSymbol library "copy_in_c", cLong, cDouble)
    fun allocate bytes = Memory.malloc (Word.fromInt bytes)
  end
end
