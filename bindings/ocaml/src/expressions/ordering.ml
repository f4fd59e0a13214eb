(* The order of Seq.sort inside traced functions: numbers by value, -0 before 0, NaN after every number, false before true; tuples by
   their fields, one after another. *)

let truth name operands = Term.make (Element.code Bool) (Apply (name, operands))
let both x y = truth "and" [ x; y ]
let either x y = truth "or" [ x; y ]
let negation x = truth "not" [ x ]
let is_float code = code = Element.code F32 || code = Element.code F64

let scalar_before (x : Term.t) (y : Term.t) =
  let less = truth "lt" [ x; y ] in
  if not (is_float x.code) then less
  else
    let sign (x : Term.t) =
      let one = Term.make x.code (Literal ("1.0:" ^ Element.code_names.(x.code))) in
      Term.make x.code (Apply ("copysign", [ one; x ]))
    in
    let zeros = both (truth "eq" [ x; y ]) (truth "lt" [ sign x; sign y ]) in
    either less (either zeros (both (truth "isnan" [ y ]) (negation (truth "isnan" [ x ]))))

let rec terms_before xs ys =
  match (xs, ys) with
  | [ x ], [ y ] -> scalar_before x y
  | x :: xs, y :: ys -> either (scalar_before x y) (both (negation (scalar_before y x)) (terms_before xs ys))
  | _ -> assert false

(* Returns true if x comes before y. *)
let before dtype x y : Expr.bool = Expression.make Element.Bool (terms_before (Layout.terms dtype x) (Layout.terms dtype y))

(* The orders of argmax and argmin: numbers are compared by value and chosen instead of NaN. *)
let chosen (x : Term.t) (y : Term.t) better : Expr.bool =
  Expression.make Element.Bool
    (if is_float x.code then either better (both (truth "isnan" [ x ]) (negation (truth "isnan" [ y ]))) else better)

let smaller x y =
  let x = Expression.term x and y = Expression.term y in
  chosen x y (truth "lt" [ x; y ])

let larger x y =
  let x = Expression.term x and y = Expression.term y in
  chosen x y (truth "lt" [ y; x ])

let ordered dtype ~descending x y = if descending then before dtype y x else before dtype x y
