(* A few words outside the OCaml heap, for the arrays and results of one call. They are pooled, since allocating them with a
   finalizer costs more than most calls. If a call raises, its words are garbage-collected instead of returned to the pool. *)

open Ctypes

type cell = { memory : unit ptr; address : nativeint }

let words = 16

let allocate words =
  let memory = to_voidp (allocate_n (ptr void) ~count:words) in
  { memory; address = raw_address_of_ptr memory }

(* The words from number k. *)
let from k cell =
  let bytes = k * Ctypes.sizeof (ptr void) in
  { memory = to_voidp (from_voidp char cell.memory +@ bytes); address = Nativeint.add cell.address (Nativeint.of_int bytes) }

(* Threads and domains share the pool. Each change is a compare-and-set on the list; it has no ABA problem, since a list that a
   thread refers to is not freed. *)
let pool = Atomic.make []

let rec take () =
  match Atomic.get pool with
  | [] -> allocate words
  | cell :: rest as all -> if Atomic.compare_and_set pool all rest then cell else take ()

let rec give cell =
  let all = Atomic.get pool in
  if not (Atomic.compare_and_set pool all (cell :: all)) then give cell

(* f of so many words. *)
let use n f =
  let is_small = n <= words in
  let cell = if is_small then take () else allocate n in
  let result = f cell in
  if is_small then give cell;
  result
