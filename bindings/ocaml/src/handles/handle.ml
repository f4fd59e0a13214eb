open Ctypes
module D = Warpfold_description
module Raw = Warpfold_raw

type _ kind = Context : D.context kind | Seq : D.seq kind | Fn : D.fn kind | Program : D.program kind
type 'a t

external prepare : unit -> unit = "warpfold_prepare"

let () = prepare ()

external own_ : 'a kind -> nativeint -> int -> 'a t = "warpfold_handle_own"
external acquire_into : nativeint -> int -> D.seq t -> bool = "warpfold_handle_acquire_into"
external release_all : nativeint -> int -> unit = "warpfold_handle_release_all"
external acquire_ : 'a kind -> 'a t -> nativeint = "warpfold_handle_acquire"
external release : 'a kind -> 'a t -> unit = "warpfold_handle_release"
external is_released : 'a t -> bool = "warpfold_handle_is_released"
external grew_ : int -> unit = "warpfold_handle_grew"
external drop_adopted : unit -> unit = "warpfold_drop_adopted"

(* The alarm drops bigarrays at the end of each major cycle, even if the program makes no more calls. *)
let (_ : Gc.alarm) = Gc.create_alarm drop_adopted

let layout : type a. a kind -> a typ = function
  | Context -> D.context
  | Seq -> D.seq
  | Fn -> D.fn
  | Program -> D.program

let address p = raw_address_of_ptr (to_voidp p)
let of_address kind a = from_voidp (layout kind) (ptr_of_raw_address a)

(* The approximate size in the C heap of a node that has not been computed. *)
let node_bytes = 512
let largest_report = 64 lsl 20
let reported bytes = Stdlib.min (Stdlib.max bytes node_bytes) largest_report
let own ?(bytes = node_bytes) kind (cell : Scratch.cell) = own_ kind cell.address (reported bytes)
let grew bytes = grew_ (reported bytes)

let release_pointer : type a. a kind -> a ptr -> unit = function
  | Context -> Raw.context_release
  | Seq -> Raw.release
  | Fn -> Raw.fn_release
  | Program -> Raw.program_release

let name : type a. a kind -> string = function
  | Context -> "context"
  | Seq -> "sequence"
  | Fn -> "function"
  | Program -> "program"

let was_released kind = invalid_arg ("warpfold: this " ^ name kind ^ " was released")

let acquire kind handle =
  let a = acquire_ kind handle in
  if a = 0n then was_released kind else of_address kind a

let finally release f =
  match f () with
  | result -> release (); result
  | exception e ->
      let trace = Printexc.get_raw_backtrace () in
      release ();
      Printexc.raise_with_backtrace e trace

let use kind handle f =
  let p = acquire kind handle in
  finally (fun () -> release_pointer kind p) (fun () -> f p)

let use_seqs handles f =
  let n = List.length handles in
  Scratch.use n (fun cell ->
      let rec acquire_from k = function
        | [] -> ()
        | handle :: rest ->
            if acquire_into cell.address k handle then acquire_from (k + 1) rest
            else (
              release_all cell.address k;
              was_released Seq)
      in
      acquire_from 0 handles;
      finally (fun () -> release_all cell.address n) (fun () -> f (from_voidp (ptr D.seq) cell.memory) n))
