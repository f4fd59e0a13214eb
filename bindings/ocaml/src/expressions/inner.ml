(* An inner sequence is a length and a function from a position to an element, both of expressions. A reduction becomes a `fold` of
   the written form. *)

type ('a, 'b) t = {
  length : Term.t;  (* an i64; before the filter *)
  element : Term.t -> 'b;
  dtype : 'b -> ('a, 'b) Layout.t;  (* of an element *)
  keeps : (Term.t -> Expr.bool) option;  (* the filter *)
  checks_index : bool;  (* an element outside is an error of its own *)
}

let named name f = Call.named "Inner." name f

(* ---- positions *)

let i64 = Element.code Element.I64
let literal i = Term.make i64 (Literal (string_of_int i ^ ":i64"))
let position i = Term.cast i64 (Expression.term i)
let expression term : Expr.int = Expression.make Element.Int term
let operation name x y = Term.make i64 (Apply (name, [ x; y ]))
let add x y = operation "add" x y
let sub x y = operation "sub" x y

(* Returns true if both terms are known to be equal. *)
let same (x : Term.t) (y : Term.t) =
  match (x.node, y.node) with
  | Literal x, Literal y -> String.equal x y
  | Length x, Length y -> x == y
  | _ -> x == y

(* ---- sequences *)

let make length dtype element = { length; element; dtype; keeps = None; checks_index = false }

let seq (s : _ Node.seq) =
  { (make (Node.length s) (fun _ -> s.dtype) (Node.element s)) with checks_index = true }

let init n f = make (position n) Layout.of_expression (fun j -> f (expression j))
let tabulate f n = init n f

let range first last =
  let first = position first in
  make (sub (position last) first) Layout.of_expression (fun j -> expression (add first j))

let at s j = s.element (if s.checks_index then j else Term.make i64 (Check { index = j; length = s.length }))
let beside length other j = if same length other.length then other.element j else at other j

let unfiltered name s =
  if Option.is_some s.keeps then
    invalid_arg
      (Printf.sprintf
         "Warpfold.Inner.%s: the positions of a filter's elements are not known inside a function, expected map, filter or a reduction of it" name)

let mapped f dtype s = { s with dtype; element = (fun j -> f (s.element j)); checks_index = false }
let map f s = mapped f Layout.of_expression s
let map_to result f s = mapped f (fun _ -> result) s

let together name s t dtype f =
  unfiltered name s;
  unfiltered name t;
  make s.length dtype (fun j ->
      let x = s.element j in
      f x (beside s.length t j))

let map2 f s t = together "map2" s t Layout.of_expression f
let zip s t = together "zip" s t (fun (x, y) -> Layout.Pair (s.dtype x, t.dtype y)) (fun x y -> (x, y))

let filter f s =
  let kept j = f (s.element j) in
  let keeps = match s.keeps with None -> kept | Some keeps -> fun j -> Expr.(keeps j && kept j) in
  { s with keeps = Some keeps }

let part name s start length =
  unfiltered name s;
  make length s.dtype (fun j -> at s (add start j))

let subseq s start length = part "subseq" s (position start) (position length)
let take n s = part "take" s (literal 0) (position n)
let drop n s = part "drop" s (position n) (sub s.length (position n))

let rev s =
  let back j = sub (sub s.length (literal 1)) j in
  let keeps = Option.map (fun keeps j -> keeps (back j)) s.keeps in
  { s with element = (fun j -> s.element (back j)); keeps; checks_index = false }

(* ---- reductions *)

(* "((a f32) (b f32)) (add a b)": the function that combines, without `fn`. *)
let combiner name dtype f =
  let start = Traced.start () in
  let left = Traced.parameter start dtype in
  let right = Traced.parameter start dtype in
  let results = Layout.terms dtype (f left right) in
  let refuse () =
    invalid_arg
      (Printf.sprintf
         "Warpfold.Inner.%s: the function that combines depends on more than its two arguments, expected one that does not, after a map of the \
          elements" name)
  in
  match Written.fn ~owner:start.owner ~parameters:(List.rev start.codes) ~results with
  | text, [] -> String.sub text 4 (String.length text - 5)
  | _ -> refuse ()
  | exception Invalid_argument _ -> refuse ()

(* The reduction; `identity` makes the identity's literals for the type of the elements. *)
let fold name f identity s =
  let first = Term.fresh () in
  let j = Term.make i64 (Variable { loop = first; index = 0 }) in
  let x = s.element j in
  let dtype = s.dtype x in
  let literals = identity dtype and terms = Layout.terms dtype x in
  let values =
    match s.keeps with
    | None -> terms
    | Some keeps ->
        let kept = Expression.term (keeps j) in
        let or_identity (x : Term.t) text =
          Term.make x.code (Apply ("where", [ kept; x; Term.make x.code (Literal text) ]))
        in
        List.map2 or_identity terms literals
  in
  let combiner = combiner name dtype f ^ " " ^ Layout.joined literals in
  let fold = Term.make (-1) (Fold { first; count = s.length; combiner; values }) in
  Layout.build dtype (Layout.counted (fun index code -> Term.make code (Value { loop = fold; index })))

let reduce f b s = named "reduce" (fun () -> fold "reduce" f (fun dtype -> Layout.add_literals dtype b []) s)

let sum s = fold "sum" Expr.add Identities.zeros s
let min s = fold "min" Expr.min Identities.of_min s
let max s = fold "max" Expr.max Identities.of_max s
let dot s t = fold "dot" Expr.add Identities.zeros (together "dot" s t (fun x -> s.dtype x) Expr.mul)
let count f s = sum (map (fun x -> Expr.cast Dtype.int (f x)) s)
let for_all f s = reduce Expr.( && ) true (map f s)
let exists f s = reduce Expr.( || ) false (map f s)

let length s =
  if Option.is_some s.keeps then sum (map (fun _ -> Expr.int 1) s) else expression (operation "max" s.length (literal 0))

let get s i =
  unfiltered "get" s;
  at s (position i)
