(* The cell's node has a handle of its own. The finalizer of any other handle would release its reference too late for an update in place. *)

open Ctypes
module D = Warpfold_description
module Raw = Warpfold_raw

type ('rank, 'a, 'b) t = { mutable node : ('rank, 'a, 'b) Node.t }

let named name f = Call.composed ~folder:"Cell." name f

(* A handle for a reference that the caller owns. *)
let owned ?bytes pointer =
  Scratch.use 1 (fun words ->
      from_voidp (ptr D.seq) words.memory <-@ pointer;
      Handle.own ?bytes Handle.Seq words)

(* The same node with a handle of its own. *)
let another (node : _ Node.t) = { node with handle = owned (Handle.acquire Handle.Seq node.handle) }

(* The reference of a handle that nothing else uses. *)
let taken (node : _ Node.t) =
  let pointer = Handle.acquire Handle.Seq node.handle in
  Node.release node;
  pointer

let make node = named "make" (fun () -> Node.force node; { node = another node })
let get cell = another cell.node

(* Assigns a node whose handle nothing else uses. *)
let replace cell next =
  let bytes = Node.bytes cell.node in
  let value = taken next and slot = allocate (ptr D.seq) (taken cell.node) in
  let assign () = cell.node <- { next with handle = owned ~bytes !@slot } in
  match Call.check (fun () -> Raw.replace value slot) with
  | () -> assign ()
  | exception e ->
      let trace = Printexc.get_raw_backtrace () in
      Handle.release_pointer Handle.Seq value;
      assign ();
      Printexc.raise_with_backtrace e trace

let pp out cell = Format.fprintf out "@[<hov 2>cell of@ %a@]" Values.pp cell.node
let set cell node = named "set" (fun () -> replace cell (another node))
let update f cell = named "update" (fun () -> replace cell (Node.map_to cell.node.dtype f cell.node))

let update2 f cell node =
  named "update2" (fun () ->
      let shape = Shape.of_node cell.node in
      let pairs = Broadcast.together cell.node node Node.zip in
      let next = Node.map_to cell.node.dtype (fun (x, y) -> f x y) pairs in
      Node.release pairs;
      if Shape.of_node next <> shape then
        invalid_arg
          (Printf.sprintf "warpfold: the result has shape %s, expected the cell's, %s" (Shape.text (Shape.of_node next)) (Shape.text shape));
      replace cell next)
