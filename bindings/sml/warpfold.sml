(* For Poly/ML: use "DIRECTORY/warpfold.sml" works from any directory. The loader must find libwarpfold.so.0, or the environment variable
   WARPFOLD_LIBRARY must be the library's path. For MLton there is warpfold.mlb. *)
local
  val directory = case PolyML.getUseFileName () of SOME file => OS.Path.dir file | NONE => ""
  val depth = ! PolyML.Compiler.printDepth
  fun restore () = PolyML.Compiler.printDepth := depth
  (* warpfold.mlb lists the files and the public names, in the order of the declarations; files of the raw layer are those of Poly/ML here. *)
  fun path file = OS.Path.concat (directory, file)
  val words =
    let val file = TextIO.openIn (path "warpfold.mlb")
    in String.tokens Char.isSpace (TextIO.inputAll file) before TextIO.closeIn file end
  val raw = ["polyml/int64.sml", "_build/c_api.sig", "polyml/c_types.sml", "_build/polyml.sml", "platform.sig", "polyml/process.sml", "polyml/cells.sml",
             "polyml/platform.sml"]
  val library = List.filter (String.isPrefix "lib/") words
  fun publicNames kind =
    let
      fun named (word :: name :: rest) = if word = kind then name :: named rest else named (name :: rest)
        | named _ = []
    in
      named words
    end
  (* Names that the program had defined are defined again as before, and those of inner structures are forgotten. *)
  val names = PolyML.globalNameSpace
  val earlier = (#allStruct names (), #allSig names (), #allFunct names ())
  fun hide (all, enter, forget, kind) before_ =
    let val public = "Int64" :: publicNames kind
    in
      List.app
        (fn (name, _) =>
           if List.exists (fn other => other = name) public then ()
           else case List.find (fn (other, _) => other = name) before_ of SOME old => enter old | NONE => forget name)
        (all ())
    end
  fun hideAll () =
    let
      open PolyML.Compiler
      val (structures, signatures, functors) = earlier
    in
      hide (#allStruct names, #enterStruct names, forgetStructure, "structure") structures;
      hide (#allSig names, #enterSig names, forgetSignature, "signature") signatures;
      hide (#allFunct names, #enterFunct names, forgetFunctor, "functor") functors
    end
  fun useAll files = List.app (fn file => PolyML.use (path file)) files
in
  val () =
    if OS.FileSys.access (path "raw/_build/c_api.sig", []) then ()
    else raise Fail (path "raw/_build" ^ " is missing: expected `meson setup build` to have made it")
  val () = PolyML.Compiler.printDepth := 0
  val () =
    (useAll (List.map (fn file => "raw/" ^ file) raw @ library @ ["raw/polyml/toplevel.sml"]); hideAll ())
    handle e => (restore (); raise e)
  val () = restore ()
end;
