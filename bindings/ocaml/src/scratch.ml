(* A few words outside of OCaml's heap, for the arrays and results of one call. They are pooled, since to allocate some, with
   a finalizer, costs more than most calls. What a call that raises has taken is left to the collector. *)

open Ctypes

type cell = { memory : unit ptr; address : nativeint }

let words = 16

let allocate words =
  let memory = to_voidp (allocate_n (ptr void) ~count:words) in
  { memory; address = raw_address_of_ptr memory }

(* Threads and domains share the pool: each change compares the list with the one that was looked at, and lists are never made
   again from the same block. *)
let pool = Atomic.make []

let rec take () =
  match Atomic.get pool with
  | [] -> allocate words
  | cell :: rest as all -> if Atomic.compare_and_set pool all rest then cell else take ()

let rec give cell =
  let all = Atomic.get pool in
  if not (Atomic.compare_and_set pool all (cell :: all)) then give cell
