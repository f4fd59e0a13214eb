(* Small terms as trees: the results of a function that has at most `most` operations, literals and uses of its parameters, and nothing else. Two
   traces of one lambda are the same tree, and comparing trees costs less than printing them. *)
structure Tree =
struct
  open Term

  type t = {parameters : node list, results : node list}

  val most = 32

  fun hashText (text, h) =
    let
      fun go (k, h) = if k = 0 then h else go (k - 1, Word.+ (Word.* (0w31, h), Word.fromInt (Char.ord (String.sub (text, k - 1)))))
    in
      go (String.size text, h)
    end

  (* The position of a parameter by its id; ~1 for a variable of another function. *)
  fun position (id : int, parameters) =
    let
      fun go (_, []) = ~1
        | go (k, Node {id = other, ...} :: rest) = if id = other then k else go (k + 1, rest)
    in
      go (0, parameters)
    end

  (* NONE if the results are not small trees. *)
  fun hash ({parameters, results} : t) =
    let
      (* `left` is the number of terms that may follow; 0 after a term that is not part of a small tree. *)
      fun visit (Node {id, form, ...}, (left, h)) =
        if left = 0 then (0, h)
        else
          case form of
            Variable =>
              (case position (id, parameters) of
                 ~1 => (0, h)
               | k => (left - 1, Word.+ (Word.* (0w31, h), Word.fromInt k)))
          | Literal text => (left - 1, hashText (text, h))
          | Apply (operation, operands) => List.foldl visit (left - 1, hashText (operation, h)) operands
          | _ => (0, h)
    in
      case List.foldl visit (most + 1, 0w0) results of
        (0, _) => NONE
      | (_, h) => SOME h
    end

  (* Returns true if both are the same function. The first must be a small tree. *)
  fun same ({parameters, results} : t, {parameters = others, results = otherResults} : t) =
    let
      fun equal (Node {id, form, ...}, Node {id = other, form = otherForm, ...}) =
        case (form, otherForm) of
          (Variable, Variable) => position (id, parameters) = position (other, others)
        | (Literal a, Literal b) => a = b
        | (Apply (operation, operands), Apply (otherOperation, otherOperands)) =>
            operation = otherOperation andalso ListPair.allEq equal (operands, otherOperands)
        | _ => false
    in
      ListPair.allEq (fn (p, q) => scalar p = scalar q) (parameters, others) andalso ListPair.allEq equal (results, otherResults)
    end
end
