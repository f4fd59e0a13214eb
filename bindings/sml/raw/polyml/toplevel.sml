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
