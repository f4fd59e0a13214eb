(* A few words outside of OCaml's heap, for the arrays and results of one call. They are pooled, since to allocate some, with
   a finalizer, costs more than most calls. What a call that raises has taken is left to the collector. *)

open Ctypes

type cell = { memory : unit ptr; address : nativeint }

let words = 16

let allocate words =
  let memory = to_voidp (allocate_n (ptr void) ~count:words) in
  { memory; address = raw_address_of_ptr memory }

let pool : cell list ref = ref []

(* No thread can come between the look at the pool and its change: nothing is allocated there. *)
let take () =
  match !pool with
  | cell :: rest ->
      pool := rest;
      cell
  | [] -> allocate words

let give cell = pool := cell :: !pool
