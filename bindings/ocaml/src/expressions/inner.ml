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

(* Bounds of 64 bits may be so far apart that their difference wraps around. *)
let range first last =
  let is_narrow x = (Expression.term x).code < i64 in
  let wraps = not (is_narrow first && is_narrow last) in
  let first = position first and last = position last in
  let difference = sub last first in
  let is_ascending = Term.make (Element.code Bool) (Apply ("gt", [ last; first ])) in
  let n = if wraps then Term.make i64 (Apply ("where", [ is_ascending; difference; literal 0 ])) else difference in
  make n Layout.of_expression (fun j -> expression (add first j))

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

(* The first length of sequences that are read together. If the other one is larger, the index of its last element is out of range; if it is
   smaller, `beside` checks each element. *)
let common_length (x : Term.t) (y : Term.t) =
  if same x y then x
  else
    let checked = Term.make i64 (Check { index = sub y (literal 1); length = x }) in
    let is_longer = Expr.(expression y > expression x && expression y > int 0) in
    Term.make i64 (Apply ("where", [ Expression.term is_longer; checked; x ]))

let together name s t dtype f =
  unfiltered name s;
  unfiltered name t;
  make (common_length s.length t.length) dtype (fun j ->
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

(* The elements of both up to the length of the shorter one. *)
let shortest name s t =
  let n = operation "min" s.length t.length in
  (part name s (literal 0) n, part name t (literal 0) n)

let map2_shortest f s t =
  let s, t = shortest "map2_shortest" s t in
  map2 f s t

let zip_shortest s t =
  let s, t = shortest "zip_shortest" s t in
  zip s t

(* ---- elements and their indices *)

let iota n = init n Stdlib.Fun.id

let mapi f s =
  unfiltered "mapi" s;
  make s.length Layout.of_expression (fun j -> f (expression j) (s.element j))

let enumerate s =
  unfiltered "enumerate" s;
  make s.length (fun (_, x) -> Layout.Pair (Element Element.Int, s.dtype x)) (fun j -> (expression j, s.element j))

let filteri f s =
  unfiltered "filteri" s;
  { s with keeps = Some (fun j -> f (expression j) (s.element j)) }

let pack_index f s =
  unfiltered "pack_index" s;
  { (make s.length Layout.of_expression expression) with keeps = Some (fun j -> f (s.element j)) }

let partition f s = (filter f s, filter (fun x -> Expr.not (f x)) s)

(* ---- parts put together *)

let append s t =
  let not_negative n = operation "max" n (literal 0) in
  let m = not_negative s.length and n = not_negative t.length in
  let is_left j = Expr.(expression j < expression m) in
  let element j =
    let x = s.element j in
    Expr.choose (s.dtype x) (is_left j) x (t.element (sub j m))
  in
  let kept s j = match s.keeps with Some keeps -> keeps j | None -> Expr.bool true in
  let keeps =
    if Option.is_none s.keeps && Option.is_none t.keeps then None else Some (fun j -> Expr.where (is_left j) (kept s j) (kept t (sub j m)))
  in
  { (make (add m n) s.dtype element) with keeps }

let concat = function
  | [] -> invalid_arg "Warpfold.Inner.concat: the list is empty, expected at least one sequence to take the type of"
  | s :: rest -> List.fold_left append s rest

let rotate k s =
  unfiltered "rotate" s;
  let k = expression (position k) and n = expression s.length in
  let first = Expr.(where (k mod n < int 0) ((k mod n) + n) (k mod n)) in
  let turned j = Expr.(where (j < n - first) (j + first) (j - (n - first))) in
  make s.length s.dtype (fun j -> s.element (Expression.term (turned (expression j))))

let interleave s t =
  let both = together "interleave" s t (fun (x, y) -> Layout.Pair (s.dtype x, t.dtype y)) (fun x y -> (x, y)) in
  let turn j =
    let x, y = both.element (Expression.term Expr.(expression j / int 2)) in
    Expr.(choose (s.dtype x) (expression j mod int 2 = int 0) x y)
  in
  make (operation "mul" both.length (literal 2)) s.dtype turn

let update s i x =
  unfiltered "update" s;
  let replaced = expression (Term.make i64 (Check { index = position i; length = s.length })) in
  make s.length s.dtype (fun j -> Expr.(choose (s.dtype x) (expression j = replaced) x (s.element j)))

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

let product s = fold "product" Expr.mul Identities.ones s
let minmax s = (min s, max s)

let mean s =
  let total = sum (map (fun x -> Expr.cast Dtype.f64 x) s) and n = Expr.cast Dtype.f64 (length s) in
  Expr.(total / n)

let map_reduce f g b s = reduce g b (map f s)

(* The loop's state is a position and the state of `f`. *)
let iterate dtype f b s =
  let next (j, state) =
    let position = Expression.term j in
    let after = f state (s.element position) in
    let after = match s.keeps with None -> after | Some keeps -> Expr.choose dtype (keeps position) after state in
    Expr.(j + int 1, after)
  in
  let init = (Expr.int 0, Expr.const dtype b) in
  snd (Expr.loop (Layout.Pair (Element Element.Int, dtype)) ~init ~while_:(fun (j, _) -> Expr.(j < expression s.length)) next)

(* ---- positions of elements. The positions in a filtered sequence are counted: a part is its number of elements, and a position in it, which
   is -1 for none. *)

let counted_pairs = Layout.(Pair (Element Element.Int, Element Element.Int))

let find_index f s =
  match s.keeps with
  | None ->
      let found = min (mapi (fun j x -> Expr.(where (f x) j (int Stdlib.max_int))) s) in
      Expr.(where (found = int Stdlib.max_int) (int (-1)) found)
  | Some _ ->
      let one x = Expr.(int 1, where (f x) (int 0) (int (-1))) in
      let first (m, i) (n, j) = Expr.(m + n, where (i >= int 0) i (where (j >= int 0) (m + j) (int (-1)))) in
      snd (fold "find_index" first (fun _ -> [ "0:i64"; "-1:i64" ]) (mapped one (fun _ -> counted_pairs) s))

(* The first position of an element that is not less than another one. *)
let index_of name less s =
  let counted x = Layout.Pair (s.dtype x, counted_pairs) in
  let one j = (s.element j, (Expr.int 1, if Option.is_none s.keeps then expression j else Expr.int 0)) in
  let later (x, (m, i)) (y, (n, j)) =
    let is_right = Expr.(i < int 0 || (j >= int 0 && less x y)) in
    let moved = if Option.is_none s.keeps then j else Expr.(where (j < int 0) (int (-1)) (m + j)) in
    (Expr.choose (s.dtype x) is_right y x, Expr.(m + n, where is_right moved i))
  in
  let pairs = { s with element = one; dtype = (fun (x, _) -> counted x); checks_index = false } in
  let _, (_, i) = fold name later (fun (Layout.Pair (dtype, _)) -> Layout.zeros dtype @ [ "0:i64"; "-1:i64" ]) pairs in
  i

let argmax s = index_of "argmax" Ordering.smaller s
let argmin s = index_of "argmin" Ordering.larger s
let argmax_by less s = index_of "argmax_by" less s

(* ---- comparisons *)

let equal f s t =
  let same_length = Expr.eq (length s) (length t) in
  let s, t = shortest "equal" s t in
  Expr.(same_length && for_all (fun (x, y) -> f x y) (zip s t))

(* A part of a filtered sequence is: if it has an element, if it is in order, its first and its last element. *)
let is_sorted ?(descending = false) s =
  let wrong x y = Ordering.ordered (s.dtype x) ~descending y x in
  match s.keeps with
  | None ->
      let neighbours j = Expr.not (wrong (s.element j) (s.element (add j (literal 1)))) in
      reduce Expr.( && ) true (make (sub s.length (literal 1)) Layout.of_expression neighbours)
  | Some _ ->
      let flags = Layout.(Pair (Element Element.Bool, Element Element.Bool)) in
      let dtype x = Layout.(Pair (flags, Pair (s.dtype x, s.dtype x))) in
      let one x = ((Expr.bool true, Expr.bool true), (x, x)) in
      let both ((has_x, is_x), (x, x')) ((has_y, is_y), (y, y')) =
        let chosen condition = Expr.choose (s.dtype x) condition in
        let in_order = Expr.(is_x && is_y && (not has_x || not has_y || not (wrong x' y))) in
        ((Expr.(has_x || has_y), in_order), (chosen has_x x y, chosen has_y y' x'))
      in
      let none (Layout.Pair (_, dtype)) = [ "false"; "true" ] @ Layout.zeros dtype in
      let (_, in_order), _ = fold "is_sorted" both none (mapped one (fun (_, (x, _)) -> dtype x) s) in
      in_order

let compare_with name before s t =
  let m = length s and n = length t in
  let s, t = shortest name s t in
  let sign x y = Expr.(where (before x y) (int (-1)) (where (before y x) (int 1) (int 0))) in
  let first = reduce Expr.(fun a b -> where (a <> int 0) a b) 0 (map2 sign s t) in
  Expr.(where (first <> int 0) first (where (m < n) (int (-1)) (where (m > n) (int 1) (int 0))))

let compare s t = compare_with "compare" (fun x y -> Ordering.before (s.dtype x) x y) s t
let compare_by less s t = compare_with "compare_by" less s t

let get s i =
  unfiltered "get" s;
  at s (position i)
