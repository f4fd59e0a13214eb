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
  (* Bounds of 64 bits may be so far apart that their difference wraps around. *)
  fun range (first, last) =
    let
      val (first, last) = (position first, position last)
      val difference = operation "sub" (last, first)
      val isAscending = Term.apply (Type.Bool, "gt", [last, first])
      val n = if Type.scalars Type.int = [Type.I64] then Term.apply (Type.I64, "where", [isAscending, difference, literal 0]) else difference
    in
      mapped (n, fn j => asInt (operation "add" (first, j)))
    end

  fun at (Seq {length, element, isChecked, ...}, j) = element (if isChecked then j else Term.check (j, length))
  fun beside (length, other as Seq {length = l, element, ...}, j) = if areSame (length, l) then element j else at (other, j)

  fun unfiltered (name, Seq {keeps = NONE, ...}) = ()
    | unfiltered (name, _) =
        raise Warpfold.failed
          (Warpfold.Argument,
           "Inner." ^ name ^ ": the positions of a filter's elements are not known inside a lambda; expected map, filter or a reduction of it")

  (* The first length of sequences that are read together. If the other one is larger, the index of its last element is out of range; if it is
     smaller, `beside` checks each element. *)
  fun commonLength (a, b) =
    if areSame (a, b) then a
    else
      let
        fun isTrue (name, x, y) = Term.apply (Type.Bool, name, [x, y])
        val isLonger = isTrue ("and", isTrue ("gt", b, a), isTrue ("gt", b, literal 0))
      in
        Term.apply (Type.I64, "where", [isLonger, Term.check (operation "sub" (b, literal 1), a), a])
      end

  fun map f (Seq {length, element, keeps, ...}) = Seq {length = length, element = f o element, keeps = keeps, isChecked = false}
  fun pairs (name, f) (s as Seq {length, element, ...}, t) =
    let val Seq {length = other, ...} = t
    in
      unfiltered (name, s);
      unfiltered (name, t);
      mapped (commonLength (length, other), fn j => f (element j, beside (length, t, j)))
    end
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

  (* f of both up to the length of the shorter one *)
  fun shorter (name, f) (s as Seq {length = m, ...}, t as Seq {length = n, ...}) =
    let
      val length = operation "min" (m, n)
      fun cut s = part (name, s, literal 0, length)
    in
      if areSame (m, n) then f (s, t) else f (cut s, cut t)
    end
  fun zipWith f = shorter ("zipWith", pairs ("zipWith", f))
  fun zip (s, t) = shorter ("zip", pairs ("zip", Exp.pair)) (s, t)

  (* ---- elements and their positions *)

  fun iota n = tabulate (fn i => i) n
  fun mappedIdx (name, f) (s as Seq {length, element, ...}) =
    (unfiltered (name, s); mapped (length, fn j => f (asInt j, element j)))
  fun mapIdx f s = mappedIdx ("mapIdx", f) s
  fun enum s = mappedIdx ("enum", Exp.pair) s
  fun filterIdx f (s as Seq {length, element, isChecked, ...}) =
    (unfiltered ("filterIdx", s);
     Seq {length = length, element = element, keeps = SOME (fn j => f (asInt j, element j)), isChecked = isChecked})
  fun packIndex f (s as Seq {length, element, ...}) =
    (unfiltered ("packIndex", s); Seq {length = length, element = asInt, keeps = SOME (f o element), isChecked = false})
  fun partition f s = (filter f s, filter (Exp.not o f) s)

  (* ---- parts put together *)

  fun append (Seq {length = m, element = x, keeps = k, ...}, Seq {length = n, element = y, keeps = l, ...}) =
    let
      fun notNegative n = operation "max" (n, literal 0)
      val (m, n) = (notNegative m, notNegative n)
      fun choose (f, g) j =
        Exp.cond (E (Type.bool, [Term.apply (Type.Bool, "lt", [j, m])]), f j, g (operation "sub" (j, m)))
      fun kept NONE = (fn _ => Exp.B true)
        | kept (SOME keeps) = keeps
    in
      Seq
        {length = operation "add" (m, n), element = choose (x, y),
         keeps = if isSome k orelse isSome l then SOME (choose (kept k, kept l)) else NONE, isChecked = false}
    end
  fun concat s [] = s
    | concat s (t :: rest) = concat (append (s, t)) rest
  fun rotate (s as Seq {length, element, ...}) k =
    let
      val () = unfiltered ("rotate", s)
      val remainder = operation "rem" (position k, length)
      fun whether (name, x, y, a, b) = Term.apply (Type.I64, "where", [Term.apply (Type.Bool, name, [x, y]), a, b])
      val first = whether ("lt", remainder, literal 0, operation "add" (remainder, length), remainder)
      val left = operation "sub" (length, first)
    in
      mapped (length, fn j => element (whether ("lt", j, left, operation "add" (j, first), operation "sub" (j, left))))
    end
  fun interleave (s, t) =
    let
      val Seq {length, element, ...} = pairs ("interleave", Exp.pair) (s, t)
      fun isEven j = E (Type.bool, [Term.apply (Type.Bool, "eq", [operation "rem" (j, literal 2), literal 0])])
    in
      mapped
        (operation "mul" (length, literal 2),
         fn j => let val (x, y) = Exp.unpair (element (operation "div" (j, literal 2))) in Exp.cond (isEven j, x, y) end)
    end
  fun update (s as Seq {length, element, ...}, (i, x)) =
    let
      val () = unfiltered ("update", s)
      val replaced = Term.check (position i, length)
    in
      mapped (length, fn j => Exp.cond (E (Type.bool, [Term.apply (Type.Bool, "eq", [j, replaced])]), x, element j))
    end

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

  fun product s = fold ("Inner.product", Exp.*, Identity.literals Identity.one, s)
  fun minmax s = (min s, max s)
  fun mean s = Exp./ (sum (map (Exp.cast Type.real) s), Exp.cast Type.real (length s))
  fun mapReduce f g b s = reduce g b (map f s)
  (* The loop's state is a position and the state of f. *)
  fun iterate ty f b (Seq {length, element, keeps, ...}) =
    let
      fun next p =
        let
          val (j, state) = Exp.unpair p
          val after = f (state, element (List.hd (nodes j)))
          val after = case keeps of NONE => after | SOME keeps => Exp.cond (keeps (List.hd (nodes j)), after, state)
        in
          Exp.pair (Exp.+ (j, E (Type.int64, [literal 1])), after)
        end
      fun isInside p = E (Type.bool, [Term.apply (Type.Bool, "lt", [List.hd (nodes (#1 (Exp.unpair p))), length])])
    in
      #2 (Exp.unpair (Exp.loop {start = Exp.pair (E (Type.int64, [literal 0]), const ty b), continue = isInside, next = next}))
    end

  (* ---- positions of elements. The positions in a filtered sequence are counted: a part is its number of elements, and a position in it, which
     is ~1 for none. *)

  fun wide i : Int64.int exp = E (Type.int64, [position i])
  val (none, zero, one) = (fn () => E (Type.int64, [literal ~1]), fn () => E (Type.int64, [literal 0]), fn () => E (Type.int64, [literal 1]))
  fun narrow (i : Int64.int exp) : int exp = asInt (List.hd (nodes i))
  fun isPosition i = Exp.>= (i, zero ())
  (* Element j with its position, or with 1 and 0 if positions are counted *)
  fun counted (Seq {length, element, keeps, ...}, f) =
    Seq
      {length = length, keeps = keeps, isChecked = false,
       element = fn j => f (element j, if isSome keeps then zero () else E (Type.int64, [j]))}
  fun moved (Seq {keeps, ...} : 'a seq, m, j) = if isSome keeps then Exp.cond (isPosition j, Exp.+ (m, j), none ()) else j

  fun findIndex f s =
    let
      fun part (x, j) = Exp.pair (one (), Exp.cond (f x, j, none ()))
      fun first (p, q) =
        let val ((m, i), (n, j)) = (Exp.unpair p, Exp.unpair q)
        in Exp.pair (Exp.+ (m, n), Exp.cond (isPosition i, i, moved (s, m, j))) end
    in
      narrow (#2 (Exp.unpair (fold ("Inner.findIndex", first, fn _ => ["0:i64", "-1:i64"], counted (s, part)))))
    end
  (* The first element that is after all others, in an order that `isRight` tells: does the second come after the first. *)
  fun best (name, isRight, s) =
    let
      fun later (p, q) =
        let
          val ((m, i, x), (n, j, y)) = (Exp.untriple p, Exp.untriple q)
          val chosen = Exp.|| (Exp.not (isPosition i), Exp.&& (isPosition j, isRight (x, y)))
        in
          Exp.triple (Exp.+ (m, n), Exp.cond (chosen, moved (s, m, j), i), Exp.cond (chosen, y, x))
        end
      fun nothing ty = ["0:i64", "-1:i64"] @ List.map Identity.zero (List.drop (Type.scalars ty, 2))
      val (_, i, _) = Exp.untriple (fold (name, later, nothing, counted (s, fn (x, j) => Exp.triple (one (), j, x))))
    in
      narrow i
    end
  fun argmax less s = best ("Inner.argmax", less, s)
  fun argmin less s = best ("Inner.argmin", fn (x, y) => less (y, x), s)

  (* ---- comparisons *)

  fun equal f (s, t) =
    Exp.&& (Exp.== (length s, length t), all (fn p => f (Exp.unpair p)) (zip (s, t)))
  (* A part of a filtered sequence is: if it has an element and is in order, its first and its last element. *)
  fun isSorted less (s as Seq {length, element, keeps = NONE, ...}) =
        let
          fun inOrder j = Exp.not (less (element (operation "add" (j, literal 1)), element j))
        in
          reduce Exp.&& true (mapped (operation "sub" (length, literal 1), inOrder))
        end
    | isSorted less s =
        let
          fun one x = Exp.quadruple (Exp.B true, Exp.B true, x, x)
          fun both (p, q) =
            let
              val ((hasP, isP, first, x), (hasQ, isQ, y, last)) = (Exp.unquadruple p, Exp.unquadruple q)
              val meet = Exp.|| (Exp.not (Exp.&& (hasP, hasQ)), Exp.not (less (y, x)))
            in
              Exp.quadruple
                (Exp.|| (hasP, hasQ), Exp.&& (Exp.&& (isP, isQ), meet), Exp.cond (hasP, first, y), Exp.cond (hasQ, last, x))
            end
          fun nothing ty = ["false", "true"] @ List.map Identity.zero (List.drop (Type.scalars ty, 2))
        in
          #2 (Exp.unquadruple (fold ("Inner.isSorted", both, nothing, map one s)))
        end
  (* ~1, 0 or 1 *)
  fun collate less (s, t) =
    let
      fun sign (isLess, isGreater) = Exp.cond (isLess, Exp.int ~1, Exp.cond (isGreater, Exp.int 1, Exp.int 0))
      fun first (a, b) = Exp.cond (Exp.<> (a, Exp.int 0), a, b)
      val decides = reduce first 0 (shorter ("collate", pairs ("collate", fn (x, y) => sign (less (x, y), less (y, x)))) (s, t))
      val (m, n) = (length s, length t)
    in
      first (decides, sign (Exp.< (m, n), Exp.> (m, n)))
    end
end
