(* Terms: the operations of a lambda on its arguments. A term is a graph without cycles. `function` prints it in the written form. A term that
   is used more than once is bound by a `let`, in the innermost scope that it depends on. *)
structure Term =
struct
  datatype node = Node of {id : int, scalar : Type.scalar, scopes : int list, form : form}
  and form =
      Variable                            (* of a function or a loop; it is named when they are printed *)
    | Literal of string
    | Apply of string * node list         (* "add", "cast f32" *)
    | At of Platform.cell * int * node    (* column k of a captured sequence *)
    | Length of Platform.cell
    | Captured of Platform.cell           (* a sequence *)
    | Sequence of block                   (* a form that is a sequence *)
    | Result of block * int               (* the k-th value of a loop or a form *)
  and kind =
      Loop of {variables : node list, starts : node list, test : node, nexts : node list}
    (* A form of sequences (docs/written-form.md): "(map ((x0 f32)) result operand)". `head` ends with the texts that are known when it is made; a
       form without a function has no variables. `count` is that of its values. *)
    | Form of {head : string, variables : node list, results : node list, operands : node list, count : int}
  (* A loop or a form. `scope` is the id of its scope, that is, of the terms that depend on its variables. *)
  withtype block = {scope : int, kind : kind, outer : int list}

  (* The ids of a thread grow, so an inner scope has a greater one than those around it. Threads take many at a time. `scopes` are those
     of the loops and forms that are being traced, innermost first. *)
  val idsAtATime = 65536
  val lastTaken = Platform.perProcess (fn () => ref 0)
  type state = {last : int ref, scopes : int list ref, count : int ref}
  val ofThread = Platform.perThread () : {get : unit -> state option, set : state option -> unit}
  fun takeIds () = Platform.synchronized (fn () => !(lastTaken ()) before lastTaken () := !(lastTaken ()) + idsAtATime)
  fun state () =
    case #get ofThread () of
      SOME state => state
    | NONE => (#set ofThread (SOME {last = ref (takeIds ()), scopes = ref [], count = ref 0}); state ())
  fun newId () =
    let val {last, ...} = state ()
    in last := (if !last mod idsAtATime = idsAtATime - 1 then takeIds () else !last) + 1; !last end

  fun withScopes change f =
    let
      val {scopes, ...} = state ()
      val outer = !scopes
      val () = scopes := change outer
      val result = f () handle e => (scopes := outer; raise e)
    in
      scopes := outer;
      result
    end
  fun inScope scope f = withScopes (fn outer => scope :: outer) f
  (* Calls f to trace a function of its own. `count` is the number of its terms. *)
  fun inFunction f = (#count (state ()) := 0; withScopes (fn _ => []) f)

  fun scalar (Node {scalar, ...}) = scalar
  fun scopes (Node {scopes, ...}) = scopes

  (* The scopes whose variables a term depends on, innermost first. *)
  fun union (xs, []) = xs
    | union ([], ys) = ys
    | union (x :: xs, y :: ys) =
        if x = y then x :: union (xs, ys) else if x > y then x :: union (xs, y :: ys) else y :: union (x :: xs, ys)
  fun scopesOf nodes = List.foldl (fn (n, s) => union (scopes n, s)) [] nodes

  (* A lambda that calls itself until an Exp.cond ends it would be traced for ever. *)
  val mostTerms = 1000000
  fun counted () =
    let val {count, ...} = state ()
    in
      count := !count + 1;
      if !count > mostTerms then
        (count := 0;
         raise Warpfold.failed
           (Warpfold.Argument,
            "the trace of a lambda has more than " ^ Int.toString mostTerms
            ^ " operations; expected a lambda that ends: Exp.cond evaluates both of its branches in ML, and Exp.loop repeats"))
      else ()
    end
  fun node (scalar, scopes, form) = (counted (); Node {id = newId (), scalar = scalar, scopes = scopes, form = form})
  fun literal (scalar, text) = node (scalar, [], Literal text)
  fun apply (scalar, operation, operands) = node (scalar, scopesOf operands, Apply (operation, operands))
  (* A term that can fail belongs to the loop or form that makes it: outside, it would fail for values that the loop never uses. *)
  fun here scopes = union (!(#scopes (state ())), scopes)
  fun at (scalar, cell, column, index) = node (scalar, here (scopes index), At (cell, column, index))
  fun check (index, length) = node (Type.I64, here (scopesOf [index, length]), Apply ("check", [index, length]))
  fun length cell = node (Type.I64, [], Length cell)
  fun variable (scalar, scope) = node (scalar, [scope], Variable)

  fun outerScopes (scope, outside, inside) = union (outside, List.filter (fn s => s <> scope) (scopesOf inside))
  fun results (block as {outer, ...} : block, scalars) =
    List.tabulate (List.length scalars, fn k => node (List.nth (scalars, k), outer, Result (block, k)))

  fun loop (starts, test, next) =
    let
      val scope = newId ()
      val variables = List.map (fn start => variable (scalar start, scope)) starts
      val (test, nexts) = inScope scope (fn () => (test variables, next variables))
      val kind = Loop {variables = variables, starts = starts, test = test, nexts = nexts}
    in
      results ({scope = scope, kind = kind, outer = outerScopes (scope, scopesOf starts, test :: nexts)}, List.map scalar starts)
    end

  (* A form with a function of parameters of these types; it can fail. *)
  fun form (head, parameters, function, operands, count) : block =
    let
      val scope = newId ()
      val variables = List.map (fn scalar => variable (scalar, scope)) parameters
      val results = inScope scope (fn () => function variables)
      val kind = Form {head = head, variables = variables, results = results, operands = operands, count = count}
    in
      {scope = scope, kind = kind, outer = here (outerScopes (scope, scopesOf operands, results))}
    end
  fun captured cell = node (Type.I64, [], Captured cell)
  fun sequence (block as {outer, ...} : block) = node (Type.I64, outer, Sequence block)

  (* An item that can be named: a term, or a block, whose values are all named. *)
  datatype item = Shared of node | Block of block

  (* The library accepts expressions nested 1000 deep; longer chains are cut into named parts. *)
  val deepest = 100

  fun parts (Loop {starts, test, nexts, ...}) = starts @ test :: nexts
    | parts (Form {results, operands, ...}) = results @ operands

  (* The items to name in a scope, each after those that it depends on: the terms of the scope that are used twice or nested too
     deeply, and its blocks. `isNamed` is true for ids that are named already. *)
  fun items (isNamed, isOfScope, roots) =
    let
      val seen : {isShared : bool ref, depth : int} Table.t = Table.table ()
      val order : (item * bool ref) list ref = ref []

      fun visit (node as Node {id, scopes, form, ...}) =
        if isNamed id then 0
        else
          case form of
            Variable => 0
          | Literal _ => 0
          | Length _ => 0
          | Captured _ => 0
          | Sequence {kind, ...} => visitTerm (node, parts kind)
          | Result (block, _) => (visitBlock block; 0)
          | Apply (_, operands) => visitTerm (node, operands)
          | At (_, _, index) => visitTerm (node, [index])

      and visitTerm (node as Node {id, scopes, ...}, operands) =
        case Table.find (seen, id) of
          SOME {isShared, depth} => (isShared := true; depth)
        | NONE =>
            let
              val depth = 1 + List.foldl (fn (n, d) => Int.max (visit n, d)) 0 operands
              val isShared = ref (depth >= deepest)
            in
              if isOfScope scopes then order := (Shared node, isShared) :: !order else ();
              Table.insert (seen, id, {isShared = isShared, depth = depth mod deepest});
              depth mod deepest
            end

      and visitBlock (block as {scope, kind, outer}) =
        if isNamed scope orelse isSome (Table.find (seen, scope)) then ()
        else
          (Table.insert (seen, scope, {isShared = ref true, depth = 0});
           List.app (ignore o visit) (parts kind);
           if isOfScope outer then order := (Block block, ref true) :: !order else ())
    in
      List.app (ignore o visit) roots;
      List.rev (List.mapPartial (fn (item, isShared) => if !isShared then SOME item else NONE) (!order))
    end

  (* Raised if a result depends on a variable of another function, loop or fold. *)
  exception Outside

  (* The written form of the function with these parameters and results, and the sequences that it captures, in order. *)
  fun function (parameters, results) =
    let
      val text : string list ref = ref []
      fun emit s = text := s :: !text
      fun between (separator, f, xs) =
        ignore (List.foldl (fn (x, first) => (if first then () else emit separator; f x; false)) true xs)

      val names : string list Table.t = Table.table () (* of terms by their ids, of blocks by their scopes *)
      fun isNamed id = isSome (Table.find (names, id))
      val count = ref 0
      fun newName prefix = (count := !count + 1; prefix ^ Int.toString (!count - 1))
      fun declare (name, Node {id, ...}) = (Table.insert (names, id, [name]); name)
      (* a, b, c, ... *)
      val parameterNames =
        List.tabulate (List.length parameters, fn k => if k < 26 then String.str (Char.chr (97 + k)) else "p" ^ Int.toString k)

      val captures : Platform.cell list ref = ref [] (* last first *)
      fun slot cell =
        let
          fun find [] = (captures := cell :: !captures; List.length (!captures) - 1)
            | find (c :: rest) = if Platform.same (c, cell) then List.length rest else find rest
        in
          "$" ^ Int.toString (find (!captures))
        end

      fun show (Node {id, form, ...}) =
        case Table.find (names, id) of
          SOME name => emit (List.hd name)
        | NONE =>
            case form of
              Variable => raise Outside
            | Literal literal => emit literal
            | Apply (operation, operands) => (emit "("; emit operation; List.app (fn n => (emit " "; show n)) operands; emit ")")
            | At (cell, column, index) =>
                (List.app emit ["(at ", slot cell, ".", Int.toString column, " "]; show index; emit ")")
            | Length cell => emit ("(length " ^ slot cell ^ ")")
            | Captured cell => emit (slot cell)
            | Sequence block => showBlock block
            | Result ({scope, ...}, k) =>
                (case Table.find (names, scope) of SOME results => emit (List.nth (results, k)) | NONE => raise Outside)

      and tuple [node] = show node
        | tuple nodes = (emit "(tuple "; between (" ", show, nodes); emit ")")

      (* The body of a scope: its items are named first. *)
      and body (isOfScope, nodes) =
        case items (isNamed, isOfScope, nodes) of
          [] => tuple nodes
        | items => (emit "(let ("; between (" ", name, items); emit ") "; tuple nodes; emit ")")

      and showBlock ({scope, kind, ...} : block) =
        let
          fun ofBlock (s :: _) = s = scope
            | ofBlock [] = false
          fun start (variable, value) = (emit ("(" ^ declare (newName "x", variable) ^ " "); show value; emit ")")
          fun parameter (variable as Node {scalar, ...}) = List.app emit ["(", declare (newName "x", variable), " ", Type.scalarName scalar, ")"]
        in
          case kind of
            Loop {variables, starts, test, nexts} =>
              (emit "(loop (";
               between (" ", start, ListPair.zip (variables, starts));
               emit ") ";
               body (ofBlock, [test]);
               emit " ";
               body (ofBlock, nexts))
          | Form {head, variables, results, operands, ...} =>
              (emit ("(" ^ head);
               if List.null variables then ()
               else (emit " ("; between (" ", parameter, variables); emit ") "; body (ofBlock, results));
               List.app (fn n => (emit " "; show n)) operands);
          emit ")"
        end

      and name (Shared (node as Node {id, ...})) =
            let val name = newName "v"
            in
              emit ("(" ^ name ^ " ");
              show node;
              emit ")";
              Table.insert (names, id, [name])
            end
        | name (Block (block as {scope, kind, ...})) =
            let
              val count = case kind of Loop {starts, ...} => List.length starts | Form {count, ...} => count
              val results = List.tabulate (count, fn _ => newName "r")
            in
              emit "((";
              between (" ", emit, results);
              emit ") ";
              showBlock block;
              emit ")";
              Table.insert (names, scope, results)
            end

      val functionScope = case parameters of [] => 0 | first :: _ => List.hd (scopes first)
      fun ofFunction (scope :: _) = scope = functionScope
        | ofFunction [] = true
    in
      emit "(fn (";
      between (" ", fn (name, p) => List.app emit ["(", declare (name, p), " ", Type.scalarName (scalar p), ")"],
               ListPair.zip (parameterNames, parameters));
      emit ") ";
      body (ofFunction, results);
      emit ")";
      (String.concat (List.rev (!text)), List.rev (!captures))
    end
end
