(* Converts lambdas to functions of the library: a lambda is called once, with variables, and the resulting term is printed. *)
structure Exp =
struct
  (* An expression has one node per column of its type. *)
  datatype 'a t = E of 'a Type.t * Term.node list
end
structure Trace =
struct
  datatype exp = datatype Exp.t

  fun typeOf (E (ty, _)) = ty
  fun nodes (E (_, nodes)) = nodes

  fun variables (ty, scope) = E (ty, List.map (fn scalar => Term.variable (scalar, scope)) (Type.scalars ty))

  fun const ty x = E (ty, ListPair.map Term.literal (Type.scalars ty, Type.literals ty x))
  fun convert (scalar, node) =
    if Term.scalar node = scalar then node else Term.apply (scalar, "cast " ^ Type.scalarName scalar, [node])

  (* A function: a small tree and its hash, or a written form and the sequences that it captures. *)
  datatype function = Small of Tree.t * word | Written of {text : string, captures : Platform.cell list}
  fun function (name, parameters, results) =
    let
      val tree = {parameters = parameters, results = results}
    in
      case Tree.hash tree of
        SOME hash => Small (tree, hash)
      | NONE =>
          let
            val (text, captures) =
              Term.function (parameters, results)
              handle Term.Outside =>
                raise Warpfold.failed
                  (Warpfold.Argument,
                   name ^ ": an Exp was used outside of the function or loop that it belongs to; for sequences that depend on a lambda's argument, \
                   \Inner has the functions of Seq")
          in
            Written {text = text, captures = captures}
          end
    end
  fun captures (Small _) = []
    | captures (Written {captures, ...}) = captures

  fun newFunction (name, text, captured) =
    Warpfold.pointers (captured, fn (array, n) => Warpfold.scratch (fn out =>
      (Warpfold.check (name, CApi.wf_fn_create (Platform.text text, array, n, out)); Platform.getPointer (out, 0))))

  (* A program traces the same lambdas again and again, so the last small functions are kept; each may be overwritten by another thread at any
     time. *)
  val kept : unit -> (Tree.t * Platform.cell) option array = Platform.perProcess (fn () => Array.array (256, NONE))
  fun placeOf hash = Word.toInt (Word.andb (Word.xorb (hash, Word.>> (hash, 0w8)), 0w255))
  fun keptFunction (name, tree as {parameters, results} : Tree.t, hash) =
    let
      val (kept, place) = (kept (), placeOf hash)
      fun make _ = newFunction (name, #1 (Term.function (parameters, results)), [])
      fun new () =
        let val cell = Platform.cell {from = [], make = make, give = CApi.wf_fn_release, isRecorded = false}
        in Array.update (kept, place, SOME (tree, cell)); cell end
    in
      case Array.sub (kept, place) of
        SOME (known, cell) => if Tree.same (tree, known) then cell else new ()
      | NONE => new ()
    end

  (* The wf_fn of the function, as long as `use` runs; `captured` are the handles of its captures. *)
  fun withFunction (name, Small (tree, hash), _) use = Platform.using ([keptFunction (name, tree, hash)], use o List.hd)
    | withFunction (name, Written {text, ...}, captured) use =
        Warpfold.protected (CApi.wf_fn_release, newFunction (name, text, captured), use)
end
