(* For Poly/ML: use "DIRECTORY/warpfold.sml" works from any directory. The loader must find libwarpfold.so.0, or the environment variable
   WARPFOLD_LIBRARY must be the library's path. For MLton there is warpfold.mlb. *)
local
  val directory = case PolyML.getUseFileName () of SOME file => OS.Path.dir file | NONE => ""
  val depth = ! PolyML.Compiler.printDepth
  fun restore () = PolyML.Compiler.printDepth := depth
  (* Names that the program had defined are defined again as before, and those of inner structures are forgotten. *)
  val names = PolyML.globalNameSpace
  val earlier = (#allStruct names (), #allSig names (), #allFunct names ())
  fun hide (all, enter, forget, isPublic) before_ =
    List.app
      (fn (name, _) =>
         if isPublic name then ()
         else case List.find (fn (other, _) => other = name) before_ of SOME old => enter old | NONE => forget name)
      (all ())
  val publicStructures =
    ["Warpfold", "Context", "Single", "Type", "Exp", "Seq", "Inner", "Scalar", "Search", "Order", "Numbers", "Random", "Segments", "Lambdas", "Native",
     "Tensor", "Along", "Keep", "Cell", "Jit", "Gradient", "Matrix", "Files", "Linear", "Blas", "RandomMatrix", "SeqArray", "CApi", "Int64"]
  val publicSignatures =
    ["ALONG", "AXES", "BLAS", "CELL", "CONTEXT", "EXP", "EXTRA", "FILES", "GRADIENT", "INNER", "JIT", "LAMBDAS", "LINEAR", "MATRIX", "NATIVE", "NUMBERS", "ORDER",
     "RANDOM", "RANDOM_MATRIX", "SCALAR", "SEARCH", "SEGMENTS", "SEQ", "SEQUENCE", "TENSOR", "TYPE", "WARPFOLD", "C_API"]
  fun isIn list name = List.exists (fn other => other = name) list
  fun isMono name = List.exists (fn ending => String.isSuffix ending name) ["Seq", "Tensor", "Matrix"]
  fun hideAll () =
    let
      open PolyML.Compiler
      val (structures, signatures, functors) = earlier
    in
      hide (#allStruct names, #enterStruct names, forgetStructure, fn name => isIn publicStructures name orelse isMono name) structures;
      hide (#allSig names, #enterSig names, forgetSignature, isIn publicSignatures) signatures;
      hide (#allFunct names, #enterFunct names, forgetFunctor, isIn ["MonoSeq", "MonoTensor", "MonoMatrix"]) functors
    end
  fun useAll files = List.app (fn file => PolyML.use (OS.Path.concat (directory, file))) files
  fun useLibrary parts = useAll (List.map (fn part => "lib/" ^ part) parts)
in
  val () =
    if OS.FileSys.access (OS.Path.concat (directory, "raw/_build/c_api.sig"), []) then ()
    else raise Fail (OS.Path.concat (directory, "raw/_build") ^ " is missing: expected `meson setup build` to have made it")
  val () = PolyML.Compiler.printDepth := 0
  val () =
    (useAll
       ["raw/polyml/int64.sml", "raw/_build/c_api.sig", "raw/polyml/c_types.sml", "raw/_build/polyml.sml", "raw/platform.sig", "raw/polyml/process.sml", "raw/polyml/cells.sml",
        "raw/polyml/platform.sml"];
     useLibrary
       ["handles/warpfold.sig", "handles/warpfold.sml", "handles/context.sig", "handles/context.sml", "expressions/single.sml",
        "expressions/type.sig", "expressions/type.sml", "expressions/identity.sml", "handles/table.sml", "expressions/term.sml",
        "handles/rep.sml", "expressions/tree.sml", "expressions/trace.sml", "expressions/exp.sig", "expressions/exp.sml",
        "sequences/core.sml", "sequences/orders.sml", "sequences/sequence.sig", "sequences/seq.sig", "sequences/seq.sml",
        "sequences/nested.sml", "sequences/sequence.sml", "expressions/inner.sig", "expressions/inner.sml",
        "sequences/search.sig", "sequences/search.sml", "sequences/order.sig", "sequences/order.sml",
        "sequences/numbers.sig", "sequences/numbers.sml", "sequences/segments.sig", "sequences/segments.sml",
        "sequences/scalar.sig", "sequences/scalar.sml", "sequences/random.sig", "sequences/random.sml",
        "expressions/lambdas.sig", "expressions/lambdas.sml", "expressions/native.sig", "expressions/native.sml",
        "arrays/shape.sml", "arrays/tensor.sig", "arrays/tensor.sml", "arrays/views.sml", "arrays/print.sml",
        "arrays/cell.sig", "arrays/cell.sml", "arrays/jit.sig", "arrays/jit.sml", "arrays/gradient.sig", "arrays/gradient.sml", "arrays/along.sig", "arrays/along.sml", "arrays/matrix.sig", "arrays/matrix.sml",
        "arrays/files.sig", "arrays/files.sml", "arrays/linear.sig", "arrays/linear.sml",
        "arrays/blas.sig", "arrays/blas.sml", "arrays/random_matrix.sig", "arrays/random_matrix.sml",
        "interface.sml", "mono.sml"];
     useAll ["raw/polyml/toplevel.sml"];
     hideAll ())
    handle e => (restore (); raise e)
  val () = restore ()
end;
