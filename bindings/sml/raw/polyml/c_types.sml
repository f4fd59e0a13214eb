(* Conversions of the C API's types in Poly/ML; _build/polyml.sml has the functions, which raw/generate makes from warpfold.h. The library is opened when
   the first function is called. Before that, Platform.ready loads the library that the environment variable WARPFOLD_LIBRARY names, so that its soname
   refers to that one. *)
structure CTypes =
struct
  open Foreign

  type pointer = Memory.voidStar
  type text = string
  type int32 = int
  type int64 = int

  (* cInt64 loses the sign, as does SysWord.fromInt. *)
  val int64 =
    makeConversion
      {ctype = LowLevel.cTypeInt64, load = fn p => SysWord.toIntX (Memory.get64 (p, 0w0)),
       store = fn (p, i) => (Memory.set64 (p, 0w0, Word.toLargeX (Word.fromInt i)); ignore)}
  val (pointer, text, int32, unit) = (cPointer, cString, cInt32, cVoid)

  val library = loadLibrary "libwarpfold.so.0"
  val symbol = getSymbol library
end
