open Ctypes
module D = Warpfold_description
module Raw = Warpfold_raw

type _ kind = Context : D.context kind | Seq : D.seq kind | Fn : D.fn kind
type 'a t

external own_ : 'a kind -> nativeint -> int -> 'a t = "warpfold_handle_own"
external acquire_ : 'a kind -> 'a t -> nativeint = "warpfold_handle_acquire"
external release : 'a kind -> 'a t -> unit = "warpfold_handle_release"
external is_released : 'a t -> bool = "warpfold_handle_is_released"
external grew_ : int -> unit = "warpfold_handle_grew"
external drop_adopted : unit -> unit = "warpfold_drop_adopted"

(* At the end of a major cycle too, for programs that have stopped calling. *)
let (_ : Gc.alarm) = Gc.create_alarm drop_adopted

let layout : type a. a kind -> a typ = function
  | Context -> D.context
  | Seq -> D.seq
  | Fn -> D.fn

let address p = raw_address_of_ptr (to_voidp p)
let of_address kind a = from_voidp (layout kind) (ptr_of_raw_address a)

(* What a node costs that has not been computed: about this much memory of the C heap. *)
let node_bytes = 512
let largest_report = 64 lsl 20
let reported bytes = Stdlib.min (Stdlib.max bytes node_bytes) largest_report
let own ?(bytes = node_bytes) kind p = own_ kind (address p) (reported bytes)
let grew bytes = grew_ (reported bytes)

let release_pointer : type a. a kind -> a ptr -> unit = function
  | Context -> Raw.context_release
  | Seq -> Raw.release
  | Fn -> Raw.fn_release

let name : type a. a kind -> string = function
  | Context -> "context"
  | Seq -> "sequence"
  | Fn -> "function"

let acquire kind handle =
  let a = acquire_ kind handle in
  if a = 0n then invalid_arg ("warpfold: this " ^ name kind ^ " was released");
  of_address kind a

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

let seq_array = ptr D.seq

let use_seqs handles f =
  let n = List.length handles in
  let cell = if n <= Scratch.words then Scratch.take () else to_voidp (allocate_n seq_array ~count:n) in
  let array = from_voidp seq_array cell in
  let acquired = ref 0 in
  let release () =
    for k = 0 to !acquired - 1 do
      Raw.release !@(array +@ k)
    done;
    if n <= Scratch.words then Scratch.give cell
  in
  let fill handle =
    array +@ !acquired <-@ acquire Seq handle;
    incr acquired
  in
  finally release (fun () ->
      List.iter fill handles;
      f array n)
