(* The toplevel of Poly/ML prints a sequence without computing it. *)
val () = PolyML.addPrettyPrinter (fn _ => fn _ => fn s => PolyML.PrettyString (Seq.describe s))
val () = PolyML.addPrettyPrinter (fn _ => fn _ => fn a => PolyML.PrettyString (Tensor.describe a))
val () = PolyML.addPrettyPrinter (fn _ => fn _ => fn e => PolyML.PrettyString ("<Exp of " ^ Type.name (Exp.typeOf e) ^ ">"))
val () = PolyML.addPrettyPrinter (fn _ => fn _ => fn t => PolyML.PrettyString (Type.name t))
val () = PolyML.addPrettyPrinter (fn _ => fn _ => fn c => PolyML.PrettyString ("context " ^ Context.name c))
(* Ctrl-C raises Interrupt in the threads, which a call of C delays until it ends. *)
val () =
  case Signal.signal (2, Signal.SIG_DFL) of
    Signal.SIG_HANDLE interrupt => ignore (Signal.signal (2, Signal.SIG_HANDLE (fn signal => (interrupt signal; Context.cancel () handle _ => ()))))
  | other => ignore (Signal.signal (2, other))
(* Size and Subscript have no message of their own: if a function of the library raised the exception, its message is printed. The others are printed as by
   default: the identity of a declared exception has the printer of its argument, and those that are not declared have no argument or a text. *)
local
  val raw = OS.Path.dir (OS.Path.dir (Option.getOpt (PolyML.getUseFileName (), "")))
  val folders = [raw, OS.Path.concat (OS.Path.dir raw, "lib")]
  fun isOurs e =
    case PolyML.Exception.exceptionLocation e of
      SOME {file, ...} => List.exists (fn folder => String.isPrefix folder file) folders
    | NONE => false
  fun text why = SOME (PolyML.PrettyString ("\"" ^ String.toString why ^ "\""))
  fun argument (Fail why, _) = text why
    | argument (Foreign.Foreign why, _) = text why
    | argument (Thread.Thread why, _) = text why
    | argument (OS.SysErr (why, _), _) = text why
    | argument (e, depth) =
        let val (identity, _, value, _) : (word * FixedInt.int -> PolyML.pretty) option ref * string * word * word = RunCall.unsafeCast e
        in
          if RunCall.isShort identity then if isOurs e then SOME (PolyML.PrettyString (Warpfold.lastMessage ())) else NONE
          else Option.map (fn print => print (value, depth - 1)) (!identity)
        end
  fun pretty depth _ (e : exn) =
    case argument (e, depth) of
      NONE => PolyML.PrettyString (exnName e)
    | SOME shown => PolyML.PrettyBlock (1, false, [], [PolyML.PrettyString (exnName e), PolyML.PrettyBreak (1, 0), shown])
in
  val () = PolyML.addPrettyPrinter pretty
end
