(* The written form of a traced function (docs/written-form.md).

   A term that is used more than once stands in a `let`, at the outermost place where all that it depends on is known, so
   that the text is as long as the graph, however much is shared. So does a term that would nest too deeply, and every loop.
   Places are numbered by loops: 0 is the function's body, a loop's is the number of its first variable, and the inner of two
   loops has the larger number. An element of a sequence stays in the loop that reads it: its index counts only where the
   loop gets to it. *)

open Term

type info = {
  term : t;
  mutable uses : int;
  mutable height : int;
  mutable place : int;
  mutable bound : bool;
  mutable label : int;
}

type writer = {
  owner : int;
  parameters : int;
  out : Buffer.t;
  infos : (int, info) Hashtbl.t;
  mutable ordered : info array;  (* operands before users *)
  mutable loops : (int * int) list;  (* numbers of their first and last terms *)
  mutable captures : Warpfold_description.seq Handle.t list;  (* the last first *)
  mutable labels : int;
}

let max_height = 100
let info writer term = Hashtbl.find writer.infos term.id

let stray () =
  invalid_arg "warpfold: an expression is used outside of the function or loop that it was made for"

(* Everything that the roots need, down to number `first`; visit is called on each once, in no particular order. *)
let reach ~first visit roots =
  let seen = Hashtbl.create 16 in
  let rec go = function
    | [] -> ()
    | term :: rest when term.id < first || Hashtbl.mem seen term.id -> go rest
    | term :: rest ->
        Hashtbl.add seen term.id ();
        visit term;
        go (List.rev_append (operands term) rest)
  in
  go roots;
  seen

(* ---- analysis: uses, places, heights *)

let collect writer roots =
  let add term =
    Hashtbl.add writer.infos term.id { term; uses = 0; height = 0; place = 0; bound = false; label = -1 }
  in
  ignore (reach ~first:0 add roots);
  let use term =
    let i = info writer term in
    i.uses <- i.uses + 1
  in
  List.iter use roots;
  Hashtbl.iter (fun _ i -> List.iter use (operands i.term)) writer.infos;
  let ordered = Array.of_seq (Hashtbl.to_seq_values writer.infos) in
  Array.sort (fun a b -> compare a.term.id b.term.id) ordered;
  writer.ordered <- ordered

(* The innermost loop during whose tracing the term was made. *)
let loop_around loops id =
  List.fold_left (fun inner (first, last) -> if first <= id && id < last && first > inner then first else inner) 0 loops

let is_open loops place id = place = 0 || List.exists (fun (first, last) -> first = place && id <= last) loops

let analyse writer =
  let loops =
    Array.fold_left
      (fun loops i -> match i.term.node with Loop { first; _ } -> (first, i.term.id) :: loops | _ -> loops)
      [] writer.ordered
  in
  writer.loops <- loops;
  let of_operand i term =
    let operand = info writer term in
    i.height <- Stdlib.max i.height (operand.height + 1);
    if not (is_open loops operand.place i.term.id) then stray ();
    operand.place
  in
  let examine i =
    let id = i.term.id in
    let places = List.map (of_operand i) (operands i.term) in
    (i.place <-
       (match i.term.node with
       | Parameter { owner; _ } -> if owner = writer.owner then 0 else stray ()
       | Variable { loop; _ } -> if is_open loops loop id then loop else stray ()
       | Loop _ | At _ -> loop_around loops id
       | _ -> List.fold_left Stdlib.max 0 places));
    i.bound <-
      (match i.term.node with
      | Parameter _ | Literal _ | Variable _ | Value _ -> false
      | Loop _ -> true
      | _ -> i.uses > 1 || i.height >= max_height);
    if i.bound then i.height <- 0
  in
  Array.iter examine writer.ordered

(* ---- text *)

let add writer = Buffer.add_string writer.out
let add_int writer n = add writer (string_of_int n)

let slot writer seq =
  let rec find k = function
    | [] ->
        writer.captures <- seq :: writer.captures;
        List.length writer.captures - 1
    | s :: rest -> if s == seq then k else find (k - 1) rest
  in
  find (List.length writer.captures - 1) writer.captures

(* x; or a, b, c, ... up to s, since t names bound terms *)
let parameter_name writer index =
  if writer.parameters = 1 then "x"
  else if index < 19 then String.make 1 (Char.chr (Char.code 'a' + index))
  else "x" ^ string_of_int index

let fresh_label writer =
  writer.labels <- writer.labels + 1;
  writer.labels

let bound_name i = "t" ^ string_of_int i.label

(* Loops are counted anew, so that the same function has the same text whenever it is traced. *)
let variable_name writer loop index =
  let rec count k = function
    | (first, _) :: rest -> if first = loop then k else count (k + 1) rest
    | [] -> stray ()
  in
  Printf.sprintf "v%d_%d" (count 0 writer.loops) index

let rec value writer term =
  match term.node with
  | Parameter { index; _ } -> add writer (parameter_name writer index)
  | Literal text -> add writer text
  | Variable { loop; index } -> add writer (variable_name writer loop index)
  | Value { loop = { node = Loop { first; _ }; _ }; index } -> add writer (variable_name writer first index)
  | _ ->
      let i = info writer term in
      if i.bound then add writer (bound_name i) else operation writer term

and operation writer term =
  add writer "(";
  (match term.node with
  | Apply (name, _) -> add writer name
  | Cast _ ->
      add writer "cast ";
      add writer Element.code_names.(term.code)
  | At { seq; column; _ } ->
      add writer "at $";
      add_int writer (slot writer seq);
      if column >= 0 then (
        add writer ".";
        add_int writer column)
  | Length seq ->
      add writer "length $";
      add_int writer (slot writer seq)
  | Parameter _ | Literal _ | Variable _ | Value _ | Loop _ -> assert false);
  List.iter
    (fun operand ->
      add writer " ";
      value writer operand)
    (operands term);
  add writer ")"

let values writer = function
  | [ one ] -> value writer one
  | several ->
      add writer "(tuple";
      List.iter
        (fun term ->
          add writer " ";
          value writer term)
        several;
      add writer ")"

(* The roots' values, after the bindings of the terms of this place that they need. *)
let rec body writer place roots =
  let needed = reach ~first:place ignore roots in
  let has_let = ref false in
  let bind i =
    if i.bound && i.place = place && Hashtbl.mem needed i.term.id then (
      add writer (if !has_let then " " else "(let (");
      has_let := true;
      binding writer i)
  in
  Array.iter bind writer.ordered;
  if !has_let then add writer ") ";
  values writer roots;
  if !has_let then add writer ")"

and binding writer i =
  add writer "(";
  (match i.term.node with
  | Loop loop ->
      let names = List.mapi (fun k _ -> variable_name writer loop.first k) loop.initial in
      add writer (match names with [ one ] -> one | several -> "(" ^ String.concat " " several ^ ")");
      add writer " ";
      loop_text writer loop names
  | _ ->
      i.label <- fresh_label writer;
      add writer (bound_name i);
      add writer " ";
      operation writer i.term);
  add writer ")"

and loop_text writer loop names =
  add writer "(loop (";
  List.iter2
    (fun name initial ->
      add writer ("(" ^ name ^ " ");
      value writer initial;
      add writer ")")
    names loop.initial;
  add writer ") ";
  body writer loop.first [ loop.condition ];
  add writer " ";
  body writer loop.first loop.next;
  add writer ")"

(* The function with these results; its captures are $0, $1, ... of the text. *)
let fn ~owner ~parameters ~results =
  let writer =
    { owner; parameters = List.length parameters; out = Buffer.create 128; infos = Hashtbl.create 16; ordered = [||]; loops = []; captures = []; labels = 0 }
  in
  collect writer results;
  analyse writer;
  add writer "(fn (";
  List.iteri
    (fun k code -> add writer (Printf.sprintf "(%s %s)" (parameter_name writer k) Element.code_names.(code)))
    parameters;
  add writer ") ";
  body writer 0 results;
  add writer ")";
  (Buffer.contents writer.out, List.rev writer.captures)
