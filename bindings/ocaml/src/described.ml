(* Structures of arrays, such as tuples and lists of them, by descriptions: Jit names these. *)

type handle = Warpfold_description.seq Handle.t

(* Seen: f and the caller see the values of `inner` in other forms. *)
type (_, _) t =
  | Ndarray : (('r, 'a, 'b) Node.t, ('r, 'a, 'b) Node.t) t
  | Number : ('a, 'b) Layout.t -> (('a, 'b) Node.scalar, 'a) t
  | Pair : ('a, 'b) t * ('c, 'd) t -> ('a * 'c, 'b * 'd) t
  | List : ('a, 'b) t -> ('a list, 'b list) t
  | Seen : { inner : ('a, 'b) t; there : 'a -> 'c; back : 'c -> 'a; from_caller : 'd -> 'b } -> ('c, 'd) t

let seq = Ndarray
let scalar = Ndarray
let ndarray = Ndarray
let key = Ndarray
let number dtype = Number dtype
let pair a b = Pair (a, b)
let list each = List each
let conv back there inner = Seen { inner; there; back; from_caller = back }

let triple a b c =
  let nested (x, y, z) = (x, (y, z)) and there (x, (y, z)) = (x, y, z) in
  Seen { inner = pair a (pair b c); there; back = nested; from_caller = nested }

let quadruple a b c d =
  let nested (w, x, y, z) = ((w, x), (y, z)) and there ((w, x), (y, z)) = (w, x, y, z) in
  Seen { inner = pair (pair a b) (pair c d); there; back = nested; from_caller = nested }

(* The description of what f sees. *)
let rec seen : type a b. (a, b) t -> (a, a) t = function
  | Ndarray -> Ndarray
  | Number _ -> Ndarray
  | Pair (a, b) -> Pair (seen a, seen b)
  | List each -> List (seen each)
  | Seen { inner; there; back; _ } -> Seen { inner = seen inner; there; back; from_caller = back }

(* The first handle in what the caller sees. *)
let rec first : type a b. (a, b) t -> b -> handle option =
 fun value x ->
  match (value, x) with
  | Ndarray, node -> Some node.handle
  | Number _, _ -> None
  | Pair (va, vb), (a, b) -> ( match first va a with None -> first vb b | found -> found)
  | List each, xs -> List.find_map (first each) xs
  | Seen { inner; from_caller; _ }, x -> first inner (from_caller x)

(* The arguments as f sees them. *)
let rec lifted : type a b. Context.t Lazy.t -> (a, b) t -> b -> a =
 fun context value x ->
  match (value, x) with
  | Ndarray, node -> node
  | Number dtype, x -> Scalar.const ~context:(Lazy.force context) dtype x
  | Pair (va, vb), (a, b) -> (lifted context va a, lifted context vb b)
  | List each, xs -> List.map (lifted context each) xs
  | Seen { inner; there; from_caller; _ }, x -> there (lifted context inner (from_caller x))

(* The handles in order, before `rest`. *)
let rec add_handles : type a b. (a, b) t -> a -> handle list -> handle list =
 fun value x rest ->
  match (value, x) with
  | Ndarray, node -> node.handle :: rest
  | Number _, node -> node.handle :: rest
  | Pair (va, vb), (a, b) -> add_handles va a (add_handles vb b rest)
  | List each, xs -> List.fold_right (add_handles each) xs rest
  | Seen { inner; back; _ }, x -> add_handles inner (back x) rest

(* The lengths of lists, which the number of handles does not determine. *)
let rec add_lengths : type a b. (a, b) t -> a -> int list -> int list =
 fun value x rest ->
  match (value, x) with
  | Ndarray, _ -> rest
  | Number _, _ -> rest
  | Pair (va, vb), (a, b) -> add_lengths va a (add_lengths vb b rest)
  | List each, xs -> List.length xs :: List.fold_right (add_lengths each) xs rest
  | Seen { inner; back; _ }, x -> add_lengths inner (back x) rest

type next = { next : 'r 'a 'b. ('r, 'a, 'b) Node.t -> handle }

(* The value with other handles, which are made in the order of add_handles. *)
let rec with_handles : type a b. next -> (a, b) t -> a -> a =
 fun next value x ->
  match (value, x) with
  | Ndarray, node -> { node with handle = next.next node }
  | Number _, node -> { node with handle = next.next node }
  | Pair (va, vb), (a, b) ->
      let a = with_handles next va a in
      (a, with_handles next vb b)
  | List each, xs -> List.rev (List.rev_map (with_handles next each) xs)
  | Seen { inner; there; back; _ }, x -> there (with_handles next inner (back x))

(* The context of the first handle, or the default one. *)
let context_of = function
  | Some handle -> lazy (Handle.use Handle.Seq handle (fun pointer -> Context.own (Warpfold_raw.context_of pointer)))
  | None -> lazy (Context.default ())
