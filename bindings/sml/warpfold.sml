(* For Poly/ML: use "DIRECTORY/warpfold.sml" works from any directory. The loader must find libwarpfold.so.0, or the environment variable
   WARPFOLD_LIBRARY must be the library's path. For MLton there is warpfold.mlb. *)
local
  val directory = case PolyML.getUseFileName () of SOME file => OS.Path.dir file | NONE => ""
  val depth = ! PolyML.Compiler.printDepth
  fun restore () = PolyML.Compiler.printDepth := depth
  fun useAll files = List.app (fn file => PolyML.use (OS.Path.concat (directory, file))) files
  fun useLibrary parts = useAll (List.map (fn part => "lib/" ^ part) parts)
in
  val () = PolyML.Compiler.printDepth := 0
  val () =
    (useAll
       ["raw/polyml/int64.sml", "raw/c_api.sig", "raw/polyml/c_api.sml", "raw/platform.sig", "raw/polyml/process.sml", "raw/polyml/cells.sml",
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
        "arrays/cell.sig", "arrays/cell.sml", "arrays/jit.sig", "arrays/jit.sml", "arrays/along.sig", "arrays/along.sml", "arrays/matrix.sig", "arrays/matrix.sml",
        "arrays/files.sig", "arrays/files.sml", "arrays/linear.sig", "arrays/linear.sml",
        "arrays/blas.sig", "arrays/blas.sml", "arrays/random_matrix.sig", "arrays/random_matrix.sml",
        "interface.sml", "mono.sml"];
     useAll ["raw/polyml/toplevel.sml"])
    handle e => (restore (); raise e)
  val () = restore ()
end;
