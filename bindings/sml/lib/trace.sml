(* Converts lambdas to functions of the library: a lambda is called once, with variables, and the resulting term is printed. *)
structure Trace =
struct
  (* An expression has one node per column of its type. *)
  datatype 'a exp = E of 'a Type.t * Term.node list

  fun typeOf (E (ty, _)) = ty
  fun nodes (E (_, nodes)) = nodes

  fun variables (ty, scope) = E (ty, List.map (fn scalar => Term.variable (scalar, scope)) (Type.scalars ty))

  fun const ty x = E (ty, ListPair.map Term.literal (Type.scalars ty, Type.literals ty x))
  fun convert (scalar, node) =
    if Term.scalar node = scalar then node else Term.apply (scalar, "cast " ^ Type.scalarName scalar, [node])

  (* A function: its written form, and the sequences that it captures. *)
  type function = {text : string, captures : Platform.cell list}
  fun function (parameters, results) : function =
    let val (text, captures) = Term.function (parameters, results)
    in {text = text, captures = captures} end

  (* Calls `use` with the wf_fn of the text, which exists while `use` runs. `captured` are the handles of its captures. *)
  fun withFunction (name, text, captured) use =
    Warpfold.pointers (captured, fn (array, n) => Warpfold.scratch (fn out =>
      let
        val () = Warpfold.check (name, Door.wf_fn_create (Platform.text text, array, n, out))
      in
        Warpfold.protected (Door.wf_fn_release, Platform.getPointer (out, 0), use)
      end))
end
