(* The types that Dtype exports. They are a module of their own since Expr refers to them and Dtype refers to Expr. *)

type ('a, 'b) t =
  | Element : ('a, 'x, 'e, 'b) Element.t -> ('a, 'b) t
  | Pair : ('a, 'b) t * ('c, 'd) t -> ('a * 'c, 'b * 'd) t
  | Triple : ('a, 'b) t * ('c, 'd) t * ('e, 'f) t -> ('a * 'c * 'e, 'b * 'd * 'f) t
  | Quadruple :
      ('a, 'b) t * ('c, 'd) t * ('e, 'f) t * ('g, 'h) t
      -> ('a * 'c * 'e * 'g, 'b * 'd * 'f * 'h) t

let rec add_codes : type a b. (a, b) t -> int list -> int list =
 fun dtype rest ->
  match dtype with
  | Element e -> Element.code e :: rest
  | Pair (a, b) -> add_codes a (add_codes b rest)
  | Triple (a, b, c) -> add_codes a (add_codes b (add_codes c rest))
  | Quadruple (a, b, c, d) -> add_codes a (add_codes b (add_codes c (add_codes d rest)))

let codes dtype = add_codes dtype []
let columns dtype = List.length (codes dtype)

let rec size : type a b. (a, b) t -> int = function
  | Element e -> Element.size e
  | Pair (a, b) -> size a + size b
  | Triple (a, b, c) -> size a + size b + size c
  | Quadruple (a, b, c, d) -> size a + size b + size c + size d

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
  | Quadruple (a, b, c, d) ->
      let a = build a next in
      let b = build b next in
      let c = build c next in
      (a, b, c, build d next)

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
  | Quadruple (da, db, dc, dd), (a, b, c, d) ->
      add_terms da a (add_terms db b (add_terms dc c (add_terms dd d rest)))

let terms dtype x = add_terms dtype x []

let rec add_literals : type a b. (a, b) t -> a -> string list -> string list =
 fun dtype x rest ->
  match (dtype, x) with
  | Element e, x -> Element.literal e x :: rest
  | Pair (da, db), (a, b) -> add_literals da a (add_literals db b rest)
  | Triple (da, db, dc), (a, b, c) -> add_literals da a (add_literals db b (add_literals dc c rest))
  | Quadruple (da, db, dc, dd), (a, b, c, d) ->
      add_literals da a (add_literals db b (add_literals dc c (add_literals dd d rest)))

(* The value in the written form: "0:i32", "(tuple 0:i32 1.5:f32)". *)
let joined = function [ one ] -> one | several -> "(tuple " ^ String.concat " " several ^ ")"
let literal dtype x = joined (add_literals dtype x [])

(* A literal of every column. *)
let zeros dtype =
  List.map (fun code -> if code = Element.code Bool then "false" else "0:" ^ Element.code_names.(code)) (codes dtype)

let rec pp_as : type a b. bool -> (a, b) t -> Format.formatter -> a -> unit =
 fun is_brief dtype out x ->
  let part : type c d. (c, d) t -> Format.formatter -> c -> unit = fun d -> pp_as is_brief d in
  match (dtype, x) with
  | Element e, x -> Element.pp ~is_brief e out x
  | Pair (da, db), (a, b) -> Format.fprintf out "(%a,%a)" (part da) a (part db) b
  | Triple (da, db, dc), (a, b, c) -> Format.fprintf out "(%a,%a,%a)" (part da) a (part db) b (part dc) c
  | Quadruple (da, db, dc, dd), (a, b, c, d) -> Format.fprintf out "(%a,%a,%a,%a)" (part da) a (part db) b (part dc) c (part dd) d

let pp_value dtype out x = pp_as false dtype out x

let rec name : type a b. (a, b) t -> string = function
  | Element e -> Element.name e
  | Pair (a, b) -> Printf.sprintf "(%s * %s)" (name a) (name b)
  | Triple (a, b, c) -> Printf.sprintf "(%s * %s * %s)" (name a) (name b) (name c)
  | Quadruple (a, b, c, d) -> Printf.sprintf "(%s * %s * %s * %s)" (name a) (name b) (name c) (name d)

let pp out dtype = Format.pp_print_string out (name dtype)

(* The type of an expression, and the kind of the bigarrays that store it. Element.t relates these types, but OCaml cannot derive
   the relation for a variable expression type, so the interfaces declare it. *)
let of_expression (x : 'b) : ('a, 'b) t =
  let (Any element) = Expression.element x in
  Obj.magic (Element element)

let kind : type a b. (a, b) t -> ('x, 'e) Bigarray.kind = function
  | Element element -> Obj.magic (Element.kind element)
  | Pair _ | Triple _ | Quadruple _ -> assert false
