(* The types that Dtype exports. They are a module of their own since Expr refers to them and Dtype refers to Expr. *)

type ('a, 'b) t =
  | Element : ('a, 'x, 'e, 'b) Element.t -> ('a, 'b) t
  | Pair : ('a, 'b) t * ('c, 'd) t -> ('a * 'c, 'b * 'd) t
  | Triple : ('a, 'b) t * ('c, 'd) t * ('e, 'f) t -> ('a * 'c * 'e, 'b * 'd * 'f) t
  | Conv : ('a, 'b) t * ('a, 'b, 'c, 'd) conversion -> ('c, 'd) t

(* The values in OCaml and in traced functions as others, and back. is_flat: a pair is shown as one tuple with its second field. *)
and ('a, 'b, 'c, 'd) conversion = { is_flat : bool; of_value : 'c -> 'a; to_value : 'a -> 'c; of_term : 'd -> 'b; to_term : 'b -> 'd }

let rec add_codes : type a b. (a, b) t -> int list -> int list =
 fun dtype rest ->
  match dtype with
  | Element e -> Element.code e :: rest
  | Pair (a, b) -> add_codes a (add_codes b rest)
  | Triple (a, b, c) -> add_codes a (add_codes b (add_codes c rest))
  | Conv (inner, _) -> add_codes inner rest

let codes dtype = add_codes dtype []
let columns dtype = List.length (codes dtype)

let rec size : type a b. (a, b) t -> int = function
  | Element e -> Element.size e
  | Pair (a, b) -> size a + size b
  | Triple (a, b, c) -> size a + size b + size c
  | Conv (inner, _) -> size inner

(* An element whose columns are next (), next (), ... *)
let rec build : type a b. (a, b) t -> (int -> Term.t) -> b =
 fun dtype next ->
  match dtype with
  | Element element -> Expression.make element (next (Element.code element))
  | Pair (a, b) ->
      let a = build a next in
      (a, build b next)
  | Triple (a, b, c) ->
      let a = build a next in
      let b = build b next in
      (a, b, build c next)
  | Conv (inner, { to_term; _ }) -> to_term (build inner next)

(* make, of the number of a column and its type's code *)
let counted make =
  let index = ref (-1) in
  fun code ->
    incr index;
    make !index code

let rec add_terms : type a b. (a, b) t -> b -> Term.t list -> Term.t list =
 fun dtype x rest ->
  match (dtype, x) with
  | Element _, x -> Expression.term x :: rest
  | Pair (da, db), (a, b) -> add_terms da a (add_terms db b rest)
  | Triple (da, db, dc), (a, b, c) -> add_terms da a (add_terms db b (add_terms dc c rest))
  | Conv (inner, { of_term; _ }), x -> add_terms inner (of_term x) rest

let terms dtype x = add_terms dtype x []

let rec add_literals : type a b. (a, b) t -> a -> string list -> string list =
 fun dtype x rest ->
  match (dtype, x) with
  | Element e, x -> Element.literal e x :: rest
  | Pair (da, db), (a, b) -> add_literals da a (add_literals db b rest)
  | Triple (da, db, dc), (a, b, c) -> add_literals da a (add_literals db b (add_literals dc c rest))
  | Conv (inner, { of_value; _ }), x -> add_literals inner (of_value x) rest

(* The value in the written form: "0:i32", "(tuple 0:i32 1.5:f32)". *)
let joined = function [ one ] -> one | several -> "(tuple " ^ String.concat " " several ^ ")"
let literal dtype x = joined (add_literals dtype x [])

(* A literal of every column. *)
let zeros dtype =
  List.map (fun code -> if code = Element.code Bool then "false" else "0:" ^ Element.code_names.(code)) (codes dtype)

let in_parentheses separator = function [ one ] -> one | several -> "(" ^ String.concat separator several ^ ")"

(* The texts of the fields of a tuple; one text for another element. *)
let rec texts : type a b. bool -> (a, b) t -> a -> string list =
 fun is_brief dtype x ->
  match (dtype, x) with
  | Element e, x -> [ Format.asprintf "%a" (Element.pp ~is_brief e) x ]
  | Pair (da, db), (a, b) -> [ text is_brief da a; text is_brief db b ]
  | Triple (da, db, dc), (a, b, c) -> [ text is_brief da a; text is_brief db b; text is_brief dc c ]
  | Conv (inner, { is_flat; of_value; _ }), x -> (
      match (inner, of_value x) with
      | Pair (da, db), (a, b) when is_flat -> text is_brief da a :: texts is_brief db b
      | inner, x -> texts is_brief inner x)

and text : type a b. bool -> (a, b) t -> a -> string =
 fun is_brief dtype x -> in_parentheses "," (texts is_brief dtype x)

let pp_as is_brief dtype out x = Format.pp_print_string out (text is_brief dtype x)
let pp_value dtype out x = pp_as false dtype out x

let rec names : type a b. (a, b) t -> string list = function
  | Element e -> [ Element.name e ]
  | Pair (a, b) -> [ name a; name b ]
  | Triple (a, b, c) -> [ name a; name b; name c ]
  | Conv (Pair (a, b), { is_flat = true; _ }) -> name a :: names b
  | Conv (inner, _) -> names inner

and name : type a b. (a, b) t -> string = fun dtype -> in_parentheses " * " (names dtype)
let pp out dtype = Format.pp_print_string out (name dtype)

(* The type of an expression, and the kind of the bigarrays that store it. Element.t relates these types, but OCaml cannot derive
   the relation for a variable expression type, so the interfaces declare it. *)
let of_expression (x : 'b) : ('a, 'b) t =
  let (Any element) = Expression.element x in
  Obj.magic (Element element)

let rec kind : type a b. (a, b) t -> ('x, 'e) Bigarray.kind = function
  | Element element -> Obj.magic (Element.kind element)
  | Conv (inner, _) -> kind inner
  | Pair _ | Triple _ -> assert false

let quadruple a b c d =
  let of_ (a, b, c, d) = (a, (b, c, d)) and to_ (a, (b, c, d)) = (a, b, c, d) in
  Conv (Pair (a, Triple (b, c, d)), { is_flat = true; of_value = of_; to_value = to_; of_term = of_; to_term = to_ })
