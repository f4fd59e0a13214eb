(* Any OCaml thread may use any sequence, and other threads run while values are computed. *)

open Warpfold

let in_threads n f =
  let results = Array.make n None in
  let run k = results.(k) <- (match f k with x -> Some (Ok x) | exception e -> Some (Result.Error e)) in
  List.iter Thread.join (List.init n (Thread.create run));
  Array.map (function Some (Ok x) -> x | Some (Error e) -> raise e | None -> assert false) results

let shared_sequences () =
  let s = Seq.init 10_000 Fun.id in
  let work k =
    let sum = ref 0 in
    for j = 1 to 300 do
      let t = Seq.map Expr.(fun x -> (x * int j) + int k) s in
      sum := !sum + Scalar.get (Seq.reduce Expr.( + ) 0 t)
    done;
    !sum
  in
  let expected k = (49_995_000 * 300 * 301 / 2) + (300 * 10_000 * k) in
  Check.(check (array int)) "sums" (Array.init 8 expected) (in_threads 8 work)

(* All threads wait for the same value, which is computed once. *)
let one_value () =
  for _ = 1 to 50 do
    let total = Seq.reduce Expr.( + ) 0 (Seq.init 100_000 Fun.id) in
    let values = in_threads 4 (fun _ -> Scalar.get total) in
    Check.(check (array int)) "the same" (Array.make 4 4_999_950_000) values
  done

(* A thread that only counts keeps running while another computes. *)
let lock_is_released () =
  let is_done = ref false and ticks = ref 0 in
  let count () =
    while not !is_done do
      incr ticks;
      Thread.delay 0.001
    done
  in
  let counter = Thread.create count () in
  let going (_, k) = Expr.(k < int 3000) and next (x, k) = Expr.((x * x) + k, k + int 1) in
  let steps x = Expr.(loop Dtype.(pair int int) ~init:(x, int 0) ~while_:going next) in
  let s = Seq.init_to ~context:(Context.cpu ()) Dtype.(pair int int) 300_000 steps in
  Thread.delay 0.01;
  let before = !ticks in
  let start = Unix.gettimeofday () in
  Seq.force s;
  let seconds = Unix.gettimeofday () -. start and during = !ticks - before in
  is_done := true;
  Thread.join counter;
  Check.(check bool) (Printf.sprintf "%d ticks in %.3f s" during seconds) true (during >= 5)

(* One thread releases a sequence while others use it: they read its values or raise Invalid_argument. *)
let release_in_use () =
  for _ = 1 to 200 do
    let s = Seq.init 1000 Fun.id in
    let use k =
      if k = 0 then (Thread.yield (); Seq.release s; 0)
      else match Seq.get (Seq.map Expr.(fun x -> x + int 1) s) 5 with x -> x | exception Invalid_argument _ -> 6
    in
    Check.(check (array int)) "values" [| 0; 6; 6 |] (in_threads 3 use)
  done

(* Each thread's errors are its own. *)
let errors () =
  let work k =
    List.for_all
      (fun j ->
        match Context.create (Printf.sprintf "engine%d_%d" k j) with
        | _ -> false
        | exception Error (Argument, message) -> Support.contains (Printf.sprintf "engine%d_%d" k j) message)
      (List.init 200 Fun.id)
  in
  Check.(check (array bool)) "own messages" (Array.make 4 true) (in_threads 4 work)

let tests =
  Support.
    [
      case "shared sequences" shared_sequences; case "one value" one_value; case "the runtime lock is released" lock_is_released;
      case "a release beside uses" release_in_use; case "errors" errors;
    ]
