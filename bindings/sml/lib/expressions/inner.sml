(* An inner sequence is a form of the written form (docs/written-form.md), which the library lowers. Here it is traced and printed. *)
structure Inner =
struct
  open Trace

  datatype 'a seq = Seq of {node : Term.node, ty : 'a Type.t, isFiltered : bool}

  (* ---- positions *)

  fun literal i = Term.literal (Type.I64, Type.plain (Int.toString i) ^ ":i64")
  fun position (i : int exp) = convert (Type.I64, List.hd (nodes i))
  fun asInt node : int exp = E (Type.int, [convert (List.hd (Type.scalars Type.int), node)])
  fun operation name (x, y) = Term.apply (Type.I64, name, [x, y])
  val integer : int exp -> Term.node = List.hd o nodes

  (* ---- forms *)

  fun nodeOf (Seq {node, ...}) = node
  fun typeOfSeq (Seq {ty, ...}) = ty
  fun sequence (ty, block) = Seq {node = Term.sequence block, ty = ty, isFiltered = false}
  fun plain (head, operands, count) = Term.form (head, [], fn _ => [], operands, count)
  fun value (head, ty, operands) =
    let val scalars = Type.scalars ty
    in E (ty, Term.results (plain (head, operands, List.length scalars), scalars)) end

  (* The form with the function f of elements of this type, and the type of its result. *)
  fun applied (head, ty, f, operands, count) =
    let
      val found = ref NONE
      fun trace variables = let val E (result, nodes) = f (E (ty, variables)) in found := SOME result; nodes end
      val block = Term.form (head, Type.scalars ty, trace, operands, count)
    in
      (block, Option.valOf (!found))
    end
  (* The value, of one column, of a form with a function. *)
  fun valueOf (head, ty, f, operands, scalar) = List.hd (Term.results (#1 (applied (head, ty, f, operands, 1)), [scalar]))

  (* ---- sequences *)

  fun seq (Rep.Seq {cell, ty, ...}) = Seq {node = Term.captured cell, ty = ty, isFiltered = false}
  fun part (Seq {node, ty, ...}, first, n) = sequence (ty, plain ("subseq", [node, first, n], 0))
  fun row (E (Type.T {zero = values, ...}, [first, length])) = part (seq values, first, length)
    | row _ = raise Match
  fun made (head, ty, f, operands) = let val (block, result) = applied (head, ty, f, operands, 0) in sequence (result, block) end
  fun tabulate f n = made ("tabulate", Type.int, f, [integer n])
  fun range (first, last) = sequence (Type.int, plain ("range", [integer first, integer last], 0))

  fun unfiltered (name, Seq {isFiltered, ...}) =
    if isFiltered then
      raise Warpfold.failed
        (Warpfold.Argument,
         "Inner." ^ name ^ ": the positions of a filter's elements are not known inside a lambda; expected map, filter or a reduction of it")
    else ()
  fun setFiltered isFiltered (Seq {node, ty, ...}) = Seq {node = node, ty = ty, isFiltered = isFiltered}

  fun map f (Seq {node, ty, isFiltered}) = setFiltered isFiltered (made ("map", ty, f, [node]))
  fun filter f (Seq {node, ty, ...}) = setFiltered true (sequence (ty, #1 (applied ("filter", ty, f, [node], 0))))
  (* The type of the elements of both. *)
  fun both (name, s, t) = (unfiltered (name, s); unfiltered (name, t); Type.pair (typeOfSeq s, typeOfSeq t))
  fun pairs (name, head) (s, t) = sequence (both (name, s, t), plain (head, [nodeOf s, nodeOf t], 0))
  fun zipWith f st = map (f o Exp.unpair) (pairs ("zipWith", "zip_shortest") st)
  fun zip st = pairs ("zip", "zip_shortest") st

  (* A form of s, whose elements have the same type. *)
  fun like (name, Seq {node, ty, isFiltered}, operands) = setFiltered isFiltered (sequence (ty, plain (name, node :: operands, 0)))
  fun ofPositions (name, s, operands) = (unfiltered (name, s); like (name, s, operands))
  fun subseq s (start, n) = ofPositions ("subseq", s, [integer start, integer n])
  fun take s n = ofPositions ("take", s, [integer n])
  fun drop s n = ofPositions ("drop", s, [integer n])

  (* ---- elements and their positions *)

  fun iota n = tabulate (fn i => i) n
  fun indexed (name, s as Seq {node, ty, ...}) = (unfiltered (name, s); sequence (Type.pair (Type.int, ty), plain ("enumerate", [node], 0)))
  fun mapIdx f s = map (f o Exp.unpair) (indexed ("mapIdx", s))
  fun enum s = map (fn p => p) (indexed ("enum", s))
  fun filterIdx f s = map (#2 o Exp.unpair) (filter (f o Exp.unpair) (indexed ("filterIdx", s)))
  fun packIndex f s = map (#1 o Exp.unpair) (filter (f o #2 o Exp.unpair) (indexed ("packIndex", s)))
  fun partition f s = (filter f s, filter (Exp.not o f) s)

  (* ---- parts put together *)

  fun concat s rest =
    setFiltered (List.exists (fn Seq {isFiltered, ...} => isFiltered) (s :: rest)) (like ("append", s, List.map nodeOf rest))
  fun append (s, t) = concat s [t]
  fun rotate s k = ofPositions ("rotate", s, [integer k])
  fun interleave (s, t) = (unfiltered ("interleave", t); ofPositions ("interleave", s, [nodeOf t]))
  fun update (s, (i, x)) = ofPositions ("update", s, integer i :: nodes x)
  fun rev s = like ("rev", s, [])

  (* ---- reductions *)

  (* "((a f32) (b f32)) (add a b)": a function of two elements that depends on nothing else, without `fn`. *)
  fun closed (name, f, ty) =
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
        (text, []) => " " ^ String.substring (text, 4, String.size text - 5)
      | _ => refuse ()
    end

  (* The reduction; `identity` makes the identity's literals for the type of the elements. *)
  fun fold (name, f, identity, Seq {node, ty, ...}) =
    value ("reduce" ^ closed (name, f, ty) ^ " " ^ Core.tuple (identity ty), ty, [node])
  fun reduce f b s = fold ("Inner.reduce", f, fn ty => Type.literals ty b, s)

  fun sum s = fold ("Inner.sum", Exp.+, Identity.literals Identity.zero, s)
  fun min s = fold ("Inner.min", Exp.min, Identity.literals Identity.largest, s)
  fun max s = fold ("Inner.max", Exp.max, Identity.literals Identity.smallest, s)
  fun dot st = fold ("Inner.dot", Exp.+, Identity.literals Identity.zero, map (Exp.* o Exp.unpair) (pairs ("dot", "zip") st))
  fun count f s = sum (map (fn x => Exp.cast Type.int (f x)) s)
  fun all f s = reduce Exp.&& true (map f s)
  fun any f s = reduce Exp.|| false (map f s)

  fun positionOf (head, operands) = asInt (List.hd (Term.results (plain (head, operands, 1), [Type.I64])))
  (* The length of a part needs no elements, so that it captures nothing. *)
  fun length (Seq {node = Term.Node {form = Term.Sequence {kind = Term.Form {head = "subseq", operands = [_, _, n], ...}, ...}, ...}, ...}) =
        asInt (operation "max" (convert (Type.I64, n), literal 0))
    | length s = positionOf ("length", [nodeOf s])
  fun nth s i = (unfiltered ("nth", s); value ("at", typeOfSeq s, [nodeOf s, integer i]))

  fun product s = fold ("Inner.product", Exp.*, Identity.literals Identity.one, s)
  fun minmax s = (min s, max s)
  fun mean s = Exp./ (sum (map (Exp.cast Type.real) s), Exp.cast Type.real (length s))
  fun mapReduce f g b s = reduce g b (map f s)
  fun iterate ty f b (Seq {node, ty = element, ...}) =
    let
      val scalars = Type.scalars ty
      val head = "iterate " ^ Core.tuple (Type.literals ty b)
      val (block, _) = applied (head, Type.pair (ty, element), f o Exp.unpair, [node], List.length scalars)
    in
      E (ty, Term.results (block, scalars))
    end

  (* ---- positions and comparisons *)

  fun findIndex f (Seq {node, ty, ...}) = asInt (valueOf ("find_index", ty, f, [node], Type.I64))
  fun best (name, less, Seq {node, ty, ...}) = positionOf ("argmax" ^ closed (name, less, ty), [node])
  fun argmax less s = best ("Inner.argmax", less, s)
  fun argmin less s = best ("Inner.argmin", fn (x, y) => less (y, x), s)

  fun truthOf (head, ty, f, operands) = E (Type.bool, [valueOf (head, ty, f o Exp.unpair, operands, Type.Bool)])
  fun equal f (s, t) = truthOf ("equal", both ("equal", s, t), f, [nodeOf s, nodeOf t])
  fun isSorted less (Seq {node, ty, ...}) = truthOf ("is_sorted", Type.pair (ty, ty), less, [node])
  (* ~1, 0 or 1 *)
  fun collate less (s, t) =
    asInt (valueOf ("compare", both ("collate", s, t), less o Exp.unpair, [nodeOf s, nodeOf t], Type.I64))
end
