(* A few words outside of OCaml's heap, for the arrays and results of one call. They are pooled, since to allocate some, with
   a finalizer, costs more than most calls. What a call that raises has taken is left to the collector. *)

open Ctypes

type cell = { memory : unit ptr; address : nativeint; mutable next : cell (* in the pool *) }

let words = 16
let rec none = { memory = null; address = 0n; next = none }

let allocate words =
  let memory = to_voidp (allocate_n (ptr void) ~count:words) in
  { memory; address = raw_address_of_ptr memory; next = none }

let pool = ref none

(* Threads change places where something is allocated: nothing is between a look at the pool and its change. *)

let take () =
  let cell = !pool in
  if cell == none then allocate words
  else (
    pool := cell.next;
    cell)

let give cell =
  cell.next <- !pool;
  pool := cell
