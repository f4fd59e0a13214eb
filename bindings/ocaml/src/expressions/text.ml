(* The syntax of the written form (docs/written-form.md), and functions whose terms form a tree, as most do: no loops, and no term
   used twice. A tree is written in one traversal. *)

open Term

type t = {
  owner : int;  (* of the parameters *)
  parameters : int list;  (* their types *)
  out : Buffer.t;
  mutable captures : Warpfold_description.seq Handle.t list;  (* in reverse order *)
}

let create ~owner ~parameters = { owner; parameters; out = Buffer.create 128; captures = [] }
let add text s = Buffer.add_string text.out s
let add_char text c = Buffer.add_char text.out c
let add_int text n = add text (string_of_int n)
let result text = (Buffer.contents text.out, List.rev text.captures)

let stray () =
  invalid_arg
    "warpfold: an expression is used outside of the function or loop that it was made for; for sequences that depend on a function's \
     argument, Inner has the functions of Seq"

(* One parameter is x; several are a, b, c, ... up to s, since t names bound terms. *)
let add_parameter text index =
  match text.parameters with
  | [ _ ] -> add_char text 'x'
  | _ when index < 19 -> add_char text (Char.chr (Char.code 'a' + index))
  | _ ->
      add_char text 'x';
      add_int text index

let add_slot text seq =
  let rec find k = function
    | [] ->
        text.captures <- seq :: text.captures;
        List.length text.captures - 1
    | s :: rest -> if s == seq then k else find (k - 1) rest
  in
  add_char text '$';
  add_int text (find (List.length text.captures - 1) text.captures)

(* "(fn ((x f32)) body)" *)
let add_function text body =
  add text "(fn (";
  let parameter index code =
    if index > 0 then add_char text ' ';
    add_char text '(';
    add_parameter text index;
    add_char text ' ';
    add text Element.code_names.(code);
    add_char text ')'
  in
  List.iteri parameter text.parameters;
  add text ") ";
  body ();
  add_char text ')'

(* "(add a b)"; `operand` writes a and b. *)
let add_operation text operand term =
  add_char text '(';
  (match term.node with
  | Apply (name, _) -> add text name
  | Cast _ ->
      add text "cast ";
      add text Element.code_names.(term.code)
  | At { seq; column; _ } ->
      add text "at ";
      add_slot text seq;
      if column >= 0 then (
        add_char text '.';
        add_int text column)
  | Length seq ->
      add text "length ";
      add_slot text seq
  | Check _ -> add text "check"
  | Parameter _ | Literal _ | Variable _ | Value _ | Loop _ | Captured _ | Form _ -> assert false);
  List.iter
    (fun x ->
      add_char text ' ';
      operand x)
    (operands term);
  add_char text ')'

(* Writes the value of one root, or a tuple of several. *)
let add_roots text value = function
  | [ one ] -> value one
  | several ->
      add text "(tuple";
      List.iter
        (fun root ->
          add_char text ' ';
          value root)
        several;
      add_char text ')'

let add_own_parameter text owner index = if owner = text.owner then add_parameter text index else stray ()

exception Not_a_tree

(* The largest number of terms that add_tree searches for one that is used twice. *)
let largest_tree = 40

(* @raise Not_a_tree *)
let add_tree text roots =
  let seen = ref [] and size = ref 0 in
  let rec value term =
    match term.node with
    | Parameter { owner; index } -> add_own_parameter text owner index
    | Literal literal -> add text literal
    | Variable _ | Value _ | Loop _ | Captured _ | Form _ -> raise_notrace Not_a_tree
    | Apply _ | Cast _ | At _ | Length _ | Check _ ->
        incr size;
        if !size > largest_tree || List.memq term !seen then raise_notrace Not_a_tree;
        seen := term :: !seen;
        add_operation text value term
  in
  add_roots text value roots

(* A term for printing: parameters by their index, and "..." for terms nested too deeply to read. *)
let outline term =
  let text = create ~owner:0 ~parameters:[] in
  let rec value depth term =
    match term.node with
    | Parameter { index; _ } -> add_parameter text index
    | Literal literal -> add text literal
    | Variable { index; _ } -> add text ("v" ^ string_of_int index)
    | Value { loop = { node = Form { head; _ }; _ }; index } -> add text (Printf.sprintf "(%s ...).%d" (List.hd (String.split_on_char ' ' head)) index)
    | Value { index; _ } -> add text ("(loop ...)." ^ string_of_int index)
    | Loop _ -> add text "(loop ...)"
    | Captured _ | Form _ -> add text "(sequence ...)"
    | Apply _ | Cast _ | At _ | Length _ | Check _ ->
        if depth = 0 then add text "..." else add_operation text (value (depth - 1)) term
  in
  value 4 term;
  Buffer.contents text.out
