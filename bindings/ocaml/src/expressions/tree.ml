(* Small functions as trees: results that consist of at most `largest` operations, literals and uses of the parameters. Two traces of one
   function are the same tree, and comparing trees costs less than writing them. *)

open Term

type t = { codes : int list (* of the parameters *); results : Term.t list }

let largest = 32

exception Other

let add_text hash text =
  let hash = ref hash in
  for k = 0 to String.length text - 1 do
    hash := (31 * !hash) + Char.code (String.unsafe_get text k)
  done;
  !hash

(* None if the results are not small trees of this owner's parameters. *)
let hash ~owner results =
  let left = ref largest in
  let rec visit hash term =
    decr left;
    if !left < 0 then raise_notrace Other;
    match term.node with
    | Parameter parameter when parameter.owner = owner -> (31 * hash) + parameter.index
    | Literal text -> add_text hash text
    | Apply (name, operands) -> List.fold_left visit (add_text hash name) operands
    | Cast x -> visit ((31 * hash) + term.code) x
    | Parameter _ | At _ | Length _ | Check _ | Variable _ | Loop _ | Captured _ | Form _ | Value _ -> raise_notrace Other
  in
  match List.fold_left visit 0 results with hash -> Some hash | exception Other -> None

(* Returns true if both small trees are the same function. *)
let same a b =
  let rec equal x y =
    match (x.node, y.node) with
    | Parameter p, Parameter q -> p.index = q.index
    | Literal p, Literal q -> String.equal p q
    | Apply (p, xs), Apply (q, ys) -> String.equal p q && all xs ys
    | Cast p, Cast q -> x.code = y.code && equal p q
    | _ -> false
  and all xs ys =
    match (xs, ys) with
    | [], [] -> true
    | x :: xs, y :: ys -> equal x y && all xs ys
    | _ -> false
  in
  List.equal Int.equal a.codes b.codes && all a.results b.results
