(* The toplevel of Poly/ML prints a sequence without computing it; and the inner structures are hidden. *)
val () = PolyML.addPrettyPrinter (fn _ => fn _ => fn s => PolyML.PrettyString (Seq.describe s))
val () = PolyML.addPrettyPrinter (fn _ => fn _ => fn a => PolyML.PrettyString (Tensor.describe a))
val () = PolyML.addPrettyPrinter (fn _ => fn _ => fn e => PolyML.PrettyString ("<Exp of " ^ Type.name (Exp.typeOf e) ^ ">"))
val () = PolyML.addPrettyPrinter (fn _ => fn _ => fn t => PolyML.PrettyString (Type.name t))
val () = PolyML.addPrettyPrinter (fn _ => fn _ => fn c => PolyML.PrettyString ("context " ^ Context.name c))
val () = List.app PolyML.Compiler.forgetStructure ["Core", "Identity", "Nested", "Trace", "Rep", "Shape", "Term", "Table"]
val () = PolyML.Compiler.forgetFunctor "Axes"
