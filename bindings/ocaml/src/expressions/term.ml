[@@@warning "-30"] (* loops and forms both have a `first` *)

(* The operations of a traced function on its parameters: a graph of immutable terms. Ids increase from operands to users, so they
   are a topological order. The terms made while a loop or the function of a form was traced have the ids between its `first` and its own. *)

type guard

external guard : unit -> guard = "warpfold_term_guard"

type t = {
  guard : guard;  (* first, so that structural comparison is refused: see terms.c *)
  id : int;
  code : int;  (* of the type; -1 for a loop, a form or a captured sequence *)
  node : node;
}

and node =
  | Parameter of { owner : int; index : int }
  | Literal of string
  | Apply of string * t list
  | Cast of t
  | At of { seq : Warpfold_description.seq Handle.t; column : int; (* -1: the only one *) index : t }
  | Length of Warpfold_description.seq Handle.t
  | Check of { index : t; length : t }
  | Variable of { loop : int; index : int }
  | Loop of loop
  | Captured of Warpfold_description.seq Handle.t
  | Form of form
  | Value of { loop : t; index : int }  (* of a loop or form *)

and loop = { first : int; initial : t list; condition : t; next : t list }

(* A form of sequences (docs/written-form.md): "(map ((a f32)) result operand)". It has `width` values; 0: it is a sequence. The text `head` ends
   with what is known when it is made; a form without a function has no parameters. *)
and form = { first : int; head : string; parameters : int list; results : t list; operands : t list; width : int }

let last_id = Atomic.make 0
let fresh () = 1 + Atomic.fetch_and_add last_id 1

(* A trace that makes more terms than this does not end by itself. `last_allowed` is an id, max_int while nothing is traced; traces of several threads
   make it larger. *)
let most = 100_000
let last_allowed = Atomic.make max_int

let endless () =
  Atomic.set last_allowed max_int;
  invalid_arg
    (Printf.sprintf
       "warpfold: the function makes more than %d operations, as a recursion that ends by the value of an expression does; expected Expr.loop, since \
        Expr.where traces both branches" most)

let make code node =
  let id = fresh () in
  if id > Atomic.get last_allowed then endless ();
  { guard = guard (); id; code; node }

let operands term =
  match term.node with
  | Parameter _ | Literal _ | Length _ | Captured _ | Variable _ -> []
  | Apply (_, operands) -> operands
  | Cast x -> [ x ]
  | At { index; _ } -> [ index ]
  | Check { index; length } -> [ index; length ]
  | Loop { initial; condition; next; _ } -> initial @ (condition :: next)
  | Form { results; operands; _ } -> results @ operands
  | Value { loop; _ } -> [ loop ]

let cast code x = if x.code = code then x else make code (Cast x)
