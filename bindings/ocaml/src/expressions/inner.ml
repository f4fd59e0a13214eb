(* An inner sequence is a form of the written form (docs/written-form.md), which the library lowers. Here it is traced and printed. *)

type ('a, 'b) t = { term : Term.t; dtype : ('a, 'b) Layout.t; is_filtered : bool }

let named name f = Call.named "Inner." name f

(* ---- forms *)

let i64 = Element.code Element.I64
let position i = Expression.term i

let form head operands =
  Term.make (-1) (Form { first = Term.fresh (); head; parameters = []; results = []; operands; width = 0 })

(* The form with the function f of elements of this type, and f's result; `terms` are those of the result. *)
let form_of head ~width dtype f terms operands =
  let first = Term.fresh () in
  let x = Layout.build dtype (Layout.counted (fun index code -> Term.make code (Variable { loop = first; index }))) in
  let result = f x in
  (Term.make (-1) (Form { first; head; parameters = Layout.codes dtype; results = terms result; operands; width }), result)

let values dtype loop = Layout.build dtype (Layout.counted (fun index code -> Term.make code (Value { loop; index })))
let value head dtype operands =
  let form = { Term.first = Term.fresh (); head; parameters = []; results = []; operands; width = Layout.columns dtype } in
  values dtype (Term.make (-1) (Form form))

(* The value, of one column, of a form with a function f that returns such a value. *)
let value_of head result dtype f operands =
  values result (fst (form_of head ~width:1 dtype f (fun x -> [ Expression.term x ]) operands))

let sequence dtype term = { term; dtype; is_filtered = false }

(* ---- sequences *)

let seq (s : _ Node.seq) = sequence s.dtype (Term.make (-1) (Captured s.handle))

let mapped head dtype f layout operands =
  let term, result = form_of head ~width:0 dtype f (fun x -> Layout.terms (layout x) x) operands in
  sequence (layout result) term

let init n f = mapped "tabulate" (Element Int) f Layout.of_expression [ position n ]
let tabulate f n = init n f
let range first last = sequence (Layout.Element Int) (form "range" [ Term.cast i64 (position first); Term.cast i64 (position last) ])

let unfiltered name s =
  if s.is_filtered then
    invalid_arg
      (Printf.sprintf
         "Warpfold.Inner.%s: the positions of a filter's elements are not known inside a function, expected map, filter or a reduction of it" name)

let map_as layout f s = { (mapped "map" s.dtype f layout [ s.term ]) with is_filtered = s.is_filtered }
let map f s = map_as Layout.of_expression f s
let map_to result f s = map_as (fun _ -> result) f s

(* The type of their elements together. *)
let both name s t =
  unfiltered name s;
  unfiltered name t;
  Layout.Pair (s.dtype, t.dtype)

let pairs name form_name s t = sequence (both name s t) (form form_name [ s.term; t.term ])

let map2 f s t = map (fun (x, y) -> f x y) (pairs "map2" "zip" s t)
let zip s t = pairs "zip" "zip" s t
let map2_shortest f s t = map (fun (x, y) -> f x y) (pairs "map2_shortest" "zip_shortest" s t)
let zip_shortest s t = pairs "zip_shortest" "zip_shortest" s t

let filter f s =
  { s with term = fst (form_of "filter" ~width:0 s.dtype f (fun x -> [ Expression.term x ]) [ s.term ]); is_filtered = true }

(* A form of s, whose elements have the same type. *)
let like name s operands =
  unfiltered name s;
  { s with term = form name (s.term :: operands) }

let subseq s start length = like "subseq" s [ position start; position length ]
let take n s = like "take" s [ position n ]
let drop n s = like "drop" s [ position n ]

(* ---- elements and their indices *)

let iota n = init n Stdlib.Fun.id

let indexed name s =
  unfiltered name s;
  sequence (Layout.Pair (Element Int, s.dtype)) (form "enumerate" [ s.term ])

let mapi f s = map (fun (j, x) -> f j x) (indexed "mapi" s)
let enumerate s = indexed "enumerate" s
let filteri f s = map_to s.dtype snd (filter (fun (j, x) -> f j x) (indexed "filteri" s))
let pack_index f s = map fst (filter (fun (_, x) -> f x) (indexed "pack_index" s))
let partition f s = (filter f s, filter (fun x -> Expr.not (f x)) s)

(* ---- parts put together *)

let concat = function
  | [] -> invalid_arg "Warpfold.Inner.concat: the list is empty, expected at least one sequence to take the type of"
  | first :: _ as all ->
      { first with term = form "append" (List.map (fun s -> s.term) all); is_filtered = List.exists (fun s -> s.is_filtered) all }

let append s t = concat [ s; t ]
let rotate k s = like "rotate" s [ position k ]

let interleave s t =
  unfiltered "interleave" t;
  like "interleave" s [ t.term ]

let update s i x = like "update" s (position i :: Layout.terms s.dtype x)
let rev s = { s with term = form "rev" [ s.term ] }

(* ---- reductions *)

(* "((a f32) (b f32)) (add a b)": a function of two elements that depends on nothing else, without `fn`. *)
let closed name dtype result f =
  let start = Traced.start () in
  let left = Traced.parameter start dtype in
  let right = Traced.parameter start dtype in
  let results = Layout.terms result (f left right) in
  let refuse () =
    invalid_arg
      (Printf.sprintf
         "Warpfold.Inner.%s: the function that combines depends on more than its two arguments, expected one that does not, after a map of the \
          elements" name)
  in
  match Written.fn ~owner:start.owner ~parameters:(List.rev start.codes) ~results with
  | text, [] -> " " ^ String.sub text 4 (String.length text - 5)
  | _ -> refuse ()
  | exception Invalid_argument _ -> refuse ()

let fold name f literals s = value ("reduce" ^ closed name s.dtype s.dtype f ^ " " ^ Layout.joined literals) s.dtype [ s.term ]
let reduce f b s = named "reduce" (fun () -> fold "reduce" f (Layout.add_literals s.dtype b []) s)
let sum s = fold "sum" Expr.add (Identities.zeros s.dtype) s
let min s = fold "min" Expr.min (Identities.of_min s.dtype) s
let max s = fold "max" Expr.max (Identities.of_max s.dtype) s
let dot s t = sum (map (fun (x, y) -> Expr.mul x y) (pairs "dot" "zip" s t))
let count f s = sum (map (fun x -> Expr.cast Dtype.int (f x)) s)
let for_all f s = reduce Expr.( && ) true (map f s)
let exists f s = reduce Expr.( || ) false (map f s)
let length s : Expr.int = value "length" (Element Int) [ s.term ]
let product s = fold "product" Expr.mul (Identities.ones s.dtype) s
let minmax s = (min s, max s)

let mean s =
  let total = sum (map (fun x -> Expr.cast Dtype.f64 x) s) and n = Expr.cast Dtype.f64 (length s) in
  Expr.(total / n)

let map_reduce f g b s = reduce g b (map f s)

let iterate dtype f b s =
  let head = "iterate " ^ Layout.literal dtype b and next (state, x) = f state x in
  values dtype (fst (form_of head ~width:(Layout.columns dtype) (Layout.Pair (dtype, s.dtype)) next (Layout.terms dtype) [ s.term ]))

(* ---- positions and comparisons *)

let int_of head dtype f operands : Expr.int = value_of head (Element Int) dtype f operands
let truth_of head dtype f operands : Expr.bool = value_of head (Element Bool) dtype f operands
let find_index f s = int_of "find_index" s.dtype f [ s.term ]
let index_of name less s : Expr.int = value ("argmax" ^ closed name s.dtype (Element Bool) less) (Element Int) [ s.term ]
let argmax s = index_of "argmax" Ordering.smaller s
let argmin s = index_of "argmin" Ordering.larger s
let argmax_by less s = index_of "argmax_by" less s

let equal f s t = truth_of "equal" (both "equal" s t) (fun (x, y) -> f x y) [ s.term; t.term ]

let is_sorted ?(descending = false) s =
  truth_of "is_sorted" (Layout.Pair (s.dtype, s.dtype)) (fun (x, y) -> Ordering.ordered s.dtype ~descending x y) [ s.term ]

let compare_with name before s t = int_of "compare" (both name s t) (fun (x, y) -> before x y) [ s.term; t.term ]
let compare s t = compare_with "compare" (Ordering.before s.dtype) s t
let compare_by less s t = compare_with "compare_by" less s t

let get s i =
  unfiltered "get" s;
  value "at" s.dtype [ s.term; position i ]
