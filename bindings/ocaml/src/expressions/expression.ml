(* The representation of expressions; see Item. *)

type any = Any : ('a, 'x, 'e, 'b) Element.t -> any [@@unboxed]
type t = { term : Term.t; element : any }

(* Valid only for types of expressions. *)
external show : 'b -> t = "%identity"
external hide : t -> 'b = "%identity"

let make (element : (_, _, _, 'b) Element.t) term : 'b = hide { term; element = Any element }
let term x = (show x).term
let element x = (show x).element

(* An expression of the same type. *)
let like (x : 'b) term : 'b = hide { (show x) with term }
