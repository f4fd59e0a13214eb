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
  fun function (name, parameters, results) : function =
    let
      val (text, captures) =
        Term.function (parameters, results)
        handle Term.Outside =>
          raise Warpfold.failed
            (Warpfold.Argument,
             name ^ ": an Exp was used outside of the function or loop that it belongs to; for sequences that depend on a lambda's argument, Inner has \
             \the functions of Seq")
    in
      {text = text, captures = captures}
    end

  fun newFunction (name, text, captured) =
    Warpfold.pointers (captured, fn (array, n) => Warpfold.scratch (fn out =>
      (Warpfold.check (name, CApi.wf_fn_create (Platform.text text, array, n, out)); Platform.getPointer (out, 0))))

  (* A program traces the same lambdas again and again, so the last functions without captures are kept, by their texts; each may be
     overwritten by another thread at any time. *)
  val kept : unit -> (string * Platform.cell) option array = Platform.perProcess (fn () => Array.array (256, NONE))
  fun placeOf text =
    let
      fun hash (k, h) = if k = 0 then h else hash (k - 1, Word.+ (Word.* (0w31, h), Word.fromInt (Char.ord (String.sub (text, k - 1)))))
      val bits = hash (String.size text, 0w0)
    in
      Word.toInt (Word.andb (Word.xorb (bits, Word.>> (bits, 0w8)), 0w255))
    end
  fun keptFunction (name, text) =
    let
      val (kept, place) = (kept (), placeOf text)
      fun new () =
        let
          val cell =
            Platform.cell {from = [], make = fn _ => newFunction (name, text, []), give = CApi.wf_fn_release, isRecorded = false}
        in
          Array.update (kept, place, SOME (text, cell));
          cell
        end
    in
      case Array.sub (kept, place) of
        SOME (known, cell) => if known = text then cell else new ()
      | NONE => new ()
    end

  (* The wf_fn of the text, as long as `use` runs; `captured` are the handles of its captures. *)
  fun withFunction (name, text, []) use = Platform.using ([keptFunction (name, text)], use o List.hd)
    | withFunction (name, text, captured) use = Warpfold.protected (CApi.wf_fn_release, newFunction (name, text, captured), use)
end
