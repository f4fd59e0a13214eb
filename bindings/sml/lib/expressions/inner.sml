(* An inner sequence is a length and a function from a position to an element, both of expressions. A reduction becomes a `fold` of the
   written form. *)
structure Inner =
struct
  open Trace

  type 'a outer = 'a Rep.seq
  (* Positions are i64. `length` is that before the filter `keeps`. `isChecked`: an element outside is an error of its own. *)
  datatype 'a seq =
    Seq of {length : Term.node, element : Term.node -> 'a exp, keeps : (Term.node -> bool exp) option, isChecked : bool}

  (* ---- positions *)

  fun literal i = Term.literal (Type.I64, Type.plain (Int.toString i) ^ ":i64")
  fun position (i : int exp) = convert (Type.I64, List.hd (nodes i))
  fun asInt node : int exp = E (Type.int, [convert (List.hd (Type.scalars Type.int), node)])
  fun operation name (x, y) = Term.apply (Type.I64, name, [x, y])

  (* Returns true if both nodes are known to be equal. *)
  fun areSame (Term.Node {id = a, form = x, ...}, Term.Node {id = b, form = y, ...}) =
    a = b
    orelse (case (x, y) of
              (Term.Literal x, Term.Literal y) => x = y
            | (Term.Length x, Term.Length y) => Platform.same (x, y)
            | _ => false)

  (* ---- sequences *)

  fun mapped (length, element) = Seq {length = length, element = element, keeps = NONE, isChecked = false}
  fun seq (s as Rep.Seq {cell, ty, ...}) =
    Seq {length = Term.length cell, element = fn j => Exp.element (s, j), keeps = NONE, isChecked = true}
  fun row (E (Type.T {zero = values, ...}, [first, length])) =
        Seq {length = length, element = fn j => Exp.element (values, operation "add" (first, j)), keeps = NONE, isChecked = false}
    | row _ = raise Match
  fun tabulate f n = mapped (position n, f o asInt)
  fun range (first, last) =
    let val first = position first
    in mapped (operation "sub" (position last, first), fn j => asInt (operation "add" (first, j))) end

  fun at (Seq {length, element, isChecked, ...}, j) = element (if isChecked then j else Term.check (j, length))
  fun beside (length, other as Seq {length = l, element, ...}, j) = if areSame (length, l) then element j else at (other, j)

  fun unfiltered (name, Seq {keeps = NONE, ...}) = ()
    | unfiltered (name, _) =
        raise Warpfold.failed
          (Warpfold.Argument,
           "Inner." ^ name ^ ": the positions of a filter's elements are not known inside a lambda; expected map, filter or a reduction of it")

  fun map f (Seq {length, element, keeps, ...}) = Seq {length = length, element = f o element, keeps = keeps, isChecked = false}
  fun pairs (name, f) (s as Seq {length, element, ...}, t) =
    (unfiltered (name, s); unfiltered (name, t); mapped (length, fn j => f (element j, beside (length, t, j))))
  fun zipWith f = pairs ("zipWith", f)
  fun zip (s, t) = pairs ("zip", Exp.pair) (s, t)
  fun filter f (Seq {length, element, keeps, isChecked}) =
    let
      fun kept j = f (element j)
      fun both keeps j = Exp.&& (keeps j, kept j)
    in
      Seq {length = length, element = element, keeps = SOME (case keeps of NONE => kept | SOME keeps => both keeps), isChecked = isChecked}
    end

  fun part (name, s, start, length) =
    (unfiltered (name, s); mapped (length, fn j => at (s, operation "add" (start, j))))
  fun subseq s (start, n) = part ("subseq", s, position start, position n)
  fun take s n = part ("take", s, literal 0, position n)
  fun drop (s as Seq {length, ...}) n = part ("drop", s, position n, operation "sub" (length, position n))
  fun rev (Seq {length, element, keeps, ...}) =
    let fun back j = operation "sub" (operation "sub" (length, literal 1), j)
    in Seq {length = length, element = element o back, keeps = Option.map (fn keeps => keeps o back) keeps, isChecked = false} end

  (* ---- reductions *)

  (* "((a f32) (b f32)) (add a b)": the function that combines, without `fn`. *)
  fun combiner (name, f, ty) =
    let
      fun refuse () =
        raise Warpfold.failed
          (Warpfold.Argument,
           name ^ ": the function that combines depends on more than its two arguments; expected one that does not, after a map of the elements")
      val scope = Term.newId ()
      val (x, y) = (variables (ty, scope), variables (ty, scope))
      val result = Term.inFunction (fn () => f (x, y))
    in
      case Term.function (nodes x @ nodes y, nodes result) handle Term.Outside => refuse () of
        (text, []) => String.substring (text, 4, String.size text - 5)
      | _ => refuse ()
    end

  (* The reduction; `identity` is the identity's literals for the type of the elements. *)
  fun fold (name, f, identity, Seq {length, element, keeps, ...}) =
    let
      val typeOfElement = ref NONE
      fun value j =
        let
          val E (ty, nodes) = element j
          val literals = identity ty
          fun orIdentity condition (node, text) =
            Term.apply (Term.scalar node, "where", [condition, node, Term.literal (Term.scalar node, text)])
          val values =
            case keeps of
              NONE => nodes
            | SOME keeps => ListPair.map (orIdentity (List.hd (Trace.nodes (keeps j)))) (nodes, literals)
        in
          typeOfElement := SOME ty;
          (values, combiner (name, f, ty) ^ " " ^ Core.tuple literals)
        end
      val results = Term.fold (length, value)
    in
      E (Option.valOf (!typeOfElement), results)
    end

  fun reduce f b s = fold ("Inner.reduce", f, fn ty => Type.literals ty b, s)

  fun sum s = fold ("Inner.sum", Exp.+, Identity.literals Identity.zero, s)
  fun min s = fold ("Inner.min", Exp.min, Identity.literals Identity.largest, s)
  fun max s = fold ("Inner.max", Exp.max, Identity.literals Identity.smallest, s)
  fun dot (s, t) = fold ("Inner.dot", Exp.+, Identity.literals Identity.zero, pairs ("dot", Exp.* ) (s, t))
  fun count f s = sum (map (fn x => Exp.cast Type.int (f x)) s)
  fun all f s = reduce Exp.&& true (map f s)
  fun any f s = reduce Exp.|| false (map f s)

  fun length (s as Seq {length, keeps, ...}) =
    if isSome keeps then sum (map (fn _ => Exp.int 1) s) else asInt (operation "max" (length, literal 0))
  fun nth s i = (unfiltered ("nth", s); at (s, position i))
end
