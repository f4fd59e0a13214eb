(* The written form of a traced function.

   A term that is used more than once is bound by a `let`, in the outermost scope that has all of its operands, so that the text
   is linear in the size of the graph. A term that would nest too deeply, every loop and every form with values are also bound. A place is the
   number of a scope: 0 is the function's body, a loop's place is the id of its first variable, and of two nested loops the inner has
   the larger number. Functions of forms have places as loops have. An element of a sequence stays in the loop that reads it: its index is checked
   only if the loop evaluates it. *)

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
  text : Text.t;
  infos : (int, info) Hashtbl.t;
  ordered : info array;  (* operands before users *)
  loops : (int * int) list;  (* and forms: ids of their first and last terms *)
  mutable labels : int;
}

let max_height = 100
let info infos term = Hashtbl.find infos term.id

(* All terms with id `first` or more that the roots depend on; visits each once, in no particular order. *)
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

let collect roots =
  let infos = Hashtbl.create 64 in
  let visit term =
    Hashtbl.add infos term.id { term; uses = 0; height = 0; place = 0; bound = false; label = -1 }
  in
  ignore (reach ~first:0 visit roots);
  let use term =
    let i = info infos term in
    i.uses <- i.uses + 1
  in
  List.iter use roots;
  Hashtbl.iter (fun _ i -> List.iter use (operands i.term)) infos;
  infos

(* The innermost loop that was being traced when the term was made. *)
let loop_around loops id =
  List.fold_left (fun inner (first, last) -> if first <= id && id < last && first > inner then first else inner) 0 loops

let is_open loops place id = place = 0 || List.exists (fun (first, last) -> first = place && id <= last) loops

(* Computes height, place and bound of a term whose operands have been examined. *)
let examine infos loops i =
  let id = i.term.id in
  let operand_place term =
    let operand = info infos term in
    i.height <- Stdlib.max i.height (operand.height + 1);
    if is_open loops operand.place id then operand.place else Text.stray ()
  in
  let innermost = List.fold_left (fun place x -> Stdlib.max place (operand_place x)) 0 (operands i.term) in
  i.place <-
    (match i.term.node with
    | Variable { loop; _ } -> loop
    | Loop _ | Form _ | At _ | Check _ -> loop_around loops id
    | Parameter _ | Literal _ | Apply _ | Cast _ | Length _ | Captured _ | Value _ -> innermost);
  i.bound <-
    (match i.term.node with
    | Parameter _ | Literal _ | Variable _ | Captured _ | Value _ -> false
    | Loop _ -> true
    | Form { width; _ } when width > 0 -> true
    | Form _ | Apply _ | Cast _ | At _ | Length _ | Check _ -> i.uses > 1 || i.height >= max_height);
  if i.bound then i.height <- 0

let analyse text roots =
  let infos = collect roots in
  let ordered = Array.of_seq (Hashtbl.to_seq_values infos) in
  Array.sort (fun a b -> Int.compare a.term.id b.term.id) ordered;
  let add_loop loops i = match i.term.node with Loop { first; _ } | Form { first; _ } -> (first, i.term.id) :: loops | _ -> loops in
  let loops = Array.fold_left add_loop [] ordered in
  Array.iter (examine infos loops) ordered;
  List.iter (fun root -> if (info infos root).place <> 0 then Text.stray ()) roots;
  { text; infos; ordered; loops; labels = 0 }

(* ---- text *)

let add writer = Text.add writer.text
let bound_name i = "t" ^ string_of_int i.label

(* Loops are numbered from 0 in each function, so that every trace of the same function has the same text. *)
let variable_name writer loop index =
  let rec count k = function
    | (first, _) :: rest -> if first = loop then k else count (k + 1) rest
    | [] -> Text.stray ()
  in
  Printf.sprintf "v%d_%d" (count 0 writer.loops) index

let rec value writer term =
  match term.node with
  | Parameter { owner; index } -> Text.add_own_parameter writer.text owner index
  | Literal text -> add writer text
  | Variable { loop; index } | Value { loop = { node = Loop { first = loop; _ } | Form { first = loop; _ }; _ }; index } ->
      add writer (variable_name writer loop index)
  | Captured seq -> Text.add_slot writer.text seq
  | Apply _ | Cast _ | At _ | Length _ | Check _ | Value _ | Loop _ | Form _ ->
      let i = info writer.infos term in
      if i.bound then add writer (bound_name i) else operation writer term

and operation writer term =
  match term.node with Form form -> form_text writer form | _ -> Text.add_operation writer.text (value writer) term

(* Writes the bindings of this place that the roots need, then the roots' values. *)
and body writer place roots =
  let needed = reach ~first:place ignore roots in
  let has_let = ref false in
  let bind i =
    if i.bound && i.place = place && Hashtbl.mem needed i.term.id then (
      add writer (if !has_let then " (" else "(let ((");
      has_let := true;
      binding writer i;
      add writer ")")
  in
  Array.iter bind writer.ordered;
  if !has_let then add writer ") ";
  Text.add_roots writer.text (value writer) roots;
  if !has_let then add writer ")"

and binding writer i =
  let results first count =
    let names = List.init count (variable_name writer first) in
    add writer (match names with [ one ] -> one | several -> "(" ^ String.concat " " several ^ ")");
    add writer " ";
    names
  in
  match i.term.node with
  | Loop loop -> loop_text writer loop (results loop.first (List.length loop.initial))
  | Form form when form.width > 0 ->
      ignore (results form.first form.width);
      form_text writer form
  | _ ->
      i.label <- writer.labels;
      writer.labels <- writer.labels + 1;
      add writer (bound_name i);
      add writer " ";
      operation writer i.term

and loop_text writer loop names =
  let start name initial =
    add writer ("(" ^ name ^ " ");
    value writer initial;
    add writer ")"
  in
  add writer "(loop (";
  List.iter2 start names loop.initial;
  add writer ") ";
  body writer loop.first [ loop.condition ];
  add writer " ";
  body writer loop.first loop.next;
  add writer ")"

and form_text writer form =
  add writer ("(" ^ form.head);
  if form.parameters <> [] then (
    let parameter index code = Printf.sprintf "(%s %s)" (variable_name writer form.first index) Element.code_names.(code) in
    add writer (" (" ^ String.concat " " (List.mapi parameter form.parameters) ^ ") ");
    body writer form.first form.results);
  let operand x =
    add writer " ";
    value writer x
  in
  List.iter operand form.operands;
  add writer ")"

(* The function with these results: its text, and its captures $0, $1, ... *)
let fn ~owner ~parameters ~results =
  let write add_body =
    let text = Text.create ~owner ~parameters in
    Text.add_function text (fun () -> add_body text);
    Text.result text
  in
  try write (fun text -> Text.add_tree text results)
  with Text.Not_a_tree -> write (fun text -> body (analyse text results) 0 results)
