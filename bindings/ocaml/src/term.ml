(* What a traced function did to its parameters: a graph of immutable terms. Numbers rise from operands to users, so they
   are a topological order, and the terms made while a loop was being traced are those between its first and its own. *)

type t = { id : int; code : int; (* of the type; -1 for a loop *) node : node }

and node =
  | Parameter of { owner : int; index : int }
  | Literal of string
  | Apply of string * t list
  | Cast of t
  | At of { seq : Warpfold_description.seq Handle.t; column : int; (* -1: the only one *) index : t }
  | Length of Warpfold_description.seq Handle.t
  | Variable of { loop : int; index : int }
  | Loop of loop
  | Value of { loop : t; index : int }

and loop = { first : int; initial : t list; condition : t; next : t list }

let last_id = ref 0

let fresh () =
  incr last_id;
  !last_id

let make code node = { id = fresh (); code; node }

let operands term =
  match term.node with
  | Parameter _ | Literal _ | Length _ | Variable _ -> []
  | Apply (_, operands) -> operands
  | Cast x -> [ x ]
  | At { index; _ } -> [ index ]
  | Loop { initial; condition; next; _ } -> initial @ (condition :: next)
  | Value { loop; _ } -> [ loop ]

let cast code x = if x.code = code then x else make code (Cast x)
