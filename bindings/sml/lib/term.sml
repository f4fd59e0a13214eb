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
    | Result of loop * int                (* the k-th value of a loop *)
  (* `scope` is the id of the loop's scope, that is, of the terms that depend on its variables. *)
  withtype loop = {scope : int, variables : node list, starts : node list, test : node, nexts : node list, outer : int list}

  (* The ids of a thread grow, so an inner scope has a greater one than those around it. Threads take many at a time. *)
  val idsAtATime = 65536
  val lastTaken = Platform.perProcess (fn () => ref 0)
  val lastId = Platform.perThread () : {get : unit -> int ref option, set : int ref option -> unit}
  fun takeIds () = Platform.synchronized (fn () => !(lastTaken ()) before lastTaken () := !(lastTaken ()) + idsAtATime)
  fun newId () =
    case #get lastId () of
      SOME last =>
        (last := (if !last mod idsAtATime = idsAtATime - 1 then takeIds () else !last) + 1; !last)
    | NONE => (#set lastId (SOME (ref (takeIds ()))); newId ())

  fun scalar (Node {scalar, ...}) = scalar
  fun scopes (Node {scopes, ...}) = scopes

  (* The scopes whose variables a term depends on, innermost first. *)
  fun union (xs, []) = xs
    | union ([], ys) = ys
    | union (x :: xs, y :: ys) =
        if x = y then x :: union (xs, ys) else if x > y then x :: union (xs, y :: ys) else y :: union (x :: xs, ys)
  fun scopesOf nodes = List.foldl (fn (n, s) => union (scopes n, s)) [] nodes

  fun node (scalar, scopes, form) = Node {id = newId (), scalar = scalar, scopes = scopes, form = form}
  fun literal (scalar, text) = node (scalar, [], Literal text)
  fun apply (scalar, operation, operands) = node (scalar, scopesOf operands, Apply (operation, operands))
  fun at (scalar, cell, column, index) = node (scalar, scopes index, At (cell, column, index))
  fun length cell = node (Type.I64, [], Length cell)
  fun variable (scalar, scope) = node (scalar, [scope], Variable)

  fun loop (starts, test, next) =
    let
      val scope = newId ()
      val variables = List.map (fn start => variable (scalar start, scope)) starts
      val (test, nexts) = (test variables, next variables)
      val outer = union (scopesOf starts, List.filter (fn s => s <> scope) (scopesOf (test :: nexts)))
      val loop = {scope = scope, variables = variables, starts = starts, test = test, nexts = nexts, outer = outer}
    in
      List.tabulate (List.length starts, fn k => node (scalar (List.nth (starts, k)), outer, Result (loop, k)))
    end

  (* An item that can be named: a term, or a loop, whose values are all named. *)
  datatype item = Shared of node | Loop of loop

  (* The library accepts expressions nested 1000 deep; longer chains are cut into named parts. *)
  val deepest = 100

  (* The items to name in a scope, each after those that it depends on: the terms of the scope that are used twice or nested too
     deeply, and its loops. `isNamed` is true for ids that are named already. *)
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
          | Result (loop, _) => (visitLoop loop; 0)
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

      and visitLoop (loop as {scope, starts, test, nexts, outer, ...}) =
        if isNamed scope orelse isSome (Table.find (seen, scope)) then ()
        else
          (Table.insert (seen, scope, {isShared = ref true, depth = 0});
           List.app (ignore o visit) starts;
           List.app (ignore o visit) (test :: nexts);
           if isOfScope outer then order := (Loop loop, ref true) :: !order else ())
    in
      List.app (ignore o visit) roots;
      List.rev (List.mapPartial (fn (item, isShared) => if !isShared then SOME item else NONE) (!order))
    end

  (* The written form of the function with these parameters and results, and the sequences that it captures, in order. *)
  fun function (parameters, results) =
    let
      val text : string list ref = ref []
      fun emit s = text := s :: !text
      fun between (separator, f, xs) =
        ignore (List.foldl (fn (x, first) => (if first then () else emit separator; f x; false)) true xs)

      val names : string list Table.t = Table.table () (* of terms by their ids, of loops by their scopes *)
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

      fun foreign () =
        raise Warpfold.Warpfold
          {code = Warpfold.Argument, message = "an Exp was used outside of the function or loop that it belongs to"}

      fun show (Node {id, form, ...}) =
        case Table.find (names, id) of
          SOME name => emit (List.hd name)
        | NONE =>
            case form of
              Variable => foreign ()
            | Literal literal => emit literal
            | Apply (operation, operands) => (emit "("; emit operation; List.app (fn n => (emit " "; show n)) operands; emit ")")
            | At (cell, column, index) =>
                (List.app emit ["(at ", slot cell, ".", Int.toString column, " "]; show index; emit ")")
            | Length cell => emit ("(length " ^ slot cell ^ ")")
            | Result ({scope, ...}, k) =>
                (case Table.find (names, scope) of SOME results => emit (List.nth (results, k)) | NONE => foreign ())

      and tuple [node] = show node
        | tuple nodes = (emit "(tuple "; between (" ", show, nodes); emit ")")

      (* The body of a scope: its items are named first. *)
      and body (isOfScope, nodes) =
        case items (isNamed, isOfScope, nodes) of
          [] => tuple nodes
        | items => (emit "(let ("; between (" ", name isOfScope, items); emit ") "; tuple nodes; emit ")")

      and name _ (Shared (node as Node {id, ...})) =
            let val name = newName "v"
            in
              emit ("(" ^ name ^ " ");
              show node;
              emit ")";
              Table.insert (names, id, [name])
            end
        | name _ (Loop loop) =
            let
              val results = List.map (fn _ => newName "r") (#starts loop)
              fun ofLoop (scope :: _) = scope = #scope loop
                | ofLoop [] = false
            in
              emit "((";
              between (" ", emit, results);
              emit ") (loop (";
              between (" ", fn (variable, start) => (emit ("(" ^ declare (newName "x", variable) ^ " "); show start; emit ")"),
                       ListPair.zip (#variables loop, #starts loop));
              emit ") ";
              body (ofLoop, [#test loop]);
              emit " ";
              body (ofLoop, #nexts loop);
              emit "))";
              Table.insert (names, #scope loop, results)
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
