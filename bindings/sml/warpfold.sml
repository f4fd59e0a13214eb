(* For Poly/ML: use "DIRECTORY/warpfold.sml" works from any directory. The loader must find libwarpfold.so.0, or the environment variable
   WARPFOLD_LIBRARY must be the library's path. For MLton there is warpfold.mlb. *)
local
  val directory = case PolyML.getUseFileName () of SOME file => OS.Path.dir file | NONE => ""
  val depth = ! PolyML.Compiler.printDepth
  fun restore () = PolyML.Compiler.printDepth := depth
  fun useAll files = List.app (fn file => PolyML.use (OS.Path.concat (directory, file))) files
in
  val () = PolyML.Compiler.printDepth := 0
  val () =
    useAll
      ["raw/polyml/int64.sml", "raw/c_api.sig", "raw/polyml/c_api.sml", "raw/platform.sig", "raw/polyml/process.sml", "raw/polyml/cells.sml",
       "raw/polyml/platform.sml",
       "lib/warpfold.sig", "lib/warpfold.sml", "lib/context.sig", "lib/context.sml", "lib/single.sml",
       "lib/type.sig", "lib/type.sml", "lib/identity.sml", "lib/table.sml", "lib/term.sml", "lib/rep.sml", "lib/trace.sml",
       "lib/exp.sig", "lib/exp.sml", "lib/core.sml", "lib/orders.sml", "lib/sequence.sig", "lib/seq.sig", "lib/seq.sml",
       "lib/nested.sml", "lib/sequence.sml",
       "lib/inner.sig", "lib/inner.sml", "lib/search.sig", "lib/search.sml", "lib/order.sig", "lib/order.sml",
       "lib/numbers.sig", "lib/numbers.sml", "lib/segments.sig", "lib/segments.sml", "lib/scalar.sig", "lib/scalar.sml",
       "lib/random.sig", "lib/random.sml",
       "lib/lambdas.sig", "lib/lambdas.sml", "lib/native.sig", "lib/native.sml", "lib/interface.sml", "lib/mono.sml",
       "raw/polyml/toplevel.sml"]
    handle e => (restore (); raise e)
  val () = restore ()
end;
