(* Cells: the values after updates, whoever else holds the old ones, and the memory that updates need. *)

open Warpfold
open Support

let sizes = [ 0; 1; 2; 63; 64; 65; 2047; (1 lsl 20) + 7 ]
let large = (1 lsl 20) + 7
let counted ?context n = Seq.iota ?context n
let linear n a b = Array.init n (fun i -> (a * i) + b)

let updates () =
  List.iter
    (fun n ->
      let cell = Cell.make (counted n) in
      Cell.update Expr.(fun x -> (x * int 2) + int 1) cell;
      Cell.update2 Expr.(fun x y -> x + y) cell (counted n);
      Cell.update2 Expr.(fun x y -> x + y) cell (Seq.rev (Cell.get cell));
      check_ints (string_of_int n) (Array.make n ((3 * Stdlib.max 0 (n - 1)) + 2)) (Cell.get cell))
    sizes

(* Within a limit that has no room for a second copy. *)
let in_place () =
  let context = Context.cpu () in
  let cell = Cell.make (counted ~context large) in
  Gc.full_major ();
  Context.set_limit context (Some (Context.memory context).live);
  for _ = 1 to 50 do
    Cell.update Expr.(fun x -> x + int 3) cell
  done;
  Context.set_limit context None;
  check_ints "values" (linear large 1 150) (Cell.get cell)

let held_elsewhere () =
  let cell = Cell.make (counted large) in
  let old = Cell.get cell in
  let view = Seq.drop 3 old and sum = Seq.sum old in
  let captured = Seq.init large (fun i -> Expr.(old.%(i))) in
  Cell.update Expr.(fun x -> x * int (-1)) cell;
  check_ints "cell" (linear large (-1) 0) (Cell.get cell);
  check_ints "old" (linear large 1 0) old;
  check_ints "view" (linear (large - 3) 1 3) view;
  check_ints "captured" (linear large 1 0) captured;
  Check.(check int) "sum" (large * (large - 1) / 2) (Scalar.get sum);
  let given = counted 1000 in
  Cell.set cell given;
  Cell.update Expr.(fun x -> x + int 1) cell;
  check_ints "given" (linear 1000 1 0) given;
  check_ints "set" (linear 1000 1 1) (Cell.get cell)

let arrays () =
  let cell = Cell.make (Ndarray.init [ 3; 4 ] Expr.(fun [ i; j ] -> (i * int 4) + j)) in
  Cell.update2 Expr.(fun x y -> x + (int 100 * y)) cell (Ndarray.reshape [ 1; 4 ] (counted 4));
  Check.(check (array int)) "broadcast" (Array.init 12 (fun i -> i + (100 * (i mod 4)))) (Seq.to_array (Ndarray.flatten (Cell.get cell)));
  raises_invalid "a larger shape" (fun () ->
      let row = Cell.make (Ndarray.reshape [ 1; 4 ] (counted 4)) in
      Cell.update2 Expr.(fun x y -> x + y) row (Ndarray.reshape [ 2; 4 ] (counted 8)));
  let pairs = Cell.make (Seq.zip (counted 1000) (counted 1000)) in
  Cell.update Expr.(fun (x, y) -> (y + int 1, x)) pairs;
  Check.(check (array (pair int int))) "pairs" (Array.init 1000 (fun i -> (i + 1, i))) (Seq.to_array (Cell.get pairs))

let errors () =
  let cell = Cell.make (counted large) and table = counted (large - 1) in
  raises_invalid "out of range" (fun () -> Cell.update (fun x -> Expr.(table.%(x))) cell);
  raises_invalid "lengths" (fun () -> Cell.update2 Expr.(fun x y -> x + y) cell table);
  raises_invalid "set" (fun () -> Cell.set cell (Seq.map (fun x -> Expr.(table.%(x))) (Cell.get cell)));
  check_ints "as before" (linear large 1 0) (Cell.get cell)

let printing () =
  Check.(check string) "a sequence" "cell of [0 1 2]" (Format.asprintf "%a" Cell.pp (Cell.make (counted 3)));
  Check.(check string) "a matrix" "cell of [[0 1]\n         [2 3]]" (Format.asprintf "%a" Cell.pp (Cell.make (Ndarray.reshape [ 2; 2 ] (counted 4))))

let tests =
  [ case "printing" printing; case "updates" updates; case "in place" in_place; case "held elsewhere" held_elsewhere; case "arrays" arrays; case "errors" errors ]
