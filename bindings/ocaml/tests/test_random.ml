(* Random programs over sequences of ints, compared with the same programs over lists. *)

open Warpfold

type program = (int, Expr.int) Seq.t * int list

(* Numbers stay small, since OCaml's ints wrap at 63 bits and the library's at 64. *)
let bound = 1_000_003
let lowest = -bound
let settle (s, l) : program = (Seq.map Expr.(fun x -> x mod int bound) s, List.map (fun x -> x mod bound) l)

(* Each step as a pair of functions, one for sequences and one for lists. *)
let step random ((s, l) : program) : program =
  let n = List.length l and k = Stdlib.Random.State.int random 7 in
  let prefix = if n = 0 then 0 else Stdlib.Random.State.int random (n + 1) in
  let even x = x land 1 = 0 in
  match Stdlib.Random.State.int random 12 with
  | 0 -> (Seq.map Expr.(fun x -> (x * int 3) + int k) s, List.map (fun x -> (x * 3) + k) l)
  | 1 -> (Seq.rev s, List.rev l)
  | 2 -> (Seq.take prefix s, List.filteri (fun i _ -> i < prefix) l)
  | 3 -> (Seq.drop prefix s, List.filteri (fun i _ -> i >= prefix) l)
  | 4 -> (Seq.filter Expr.(fun x -> x land int 1 = int 0) s, List.filter even l)
  | 5 when n < 2000 -> (Seq.append s (Seq.rev s), l @ List.rev l)
  | 6 ->
      let sum = ref 0 in
      (Seq.scan_incl Expr.( + ) 0 s, List.map (fun x -> sum := !sum + x; !sum) l)
  | 7 ->
      let most = ref lowest in
      (fst (Seq.scan Expr.max lowest s), List.map (fun x -> let before = !most in most := max before x; before) l)
  | 8 -> (Seq.map2 Expr.(fun x y -> x - (y / int 2)) s (Seq.rev s), List.map2 (fun x y -> x - (y / 2)) l (List.rev l))
  | 9 ->
      let a, b = Seq.unzip (Seq.zip s (Seq.mapi Expr.( lxor ) s)) in
      (Seq.map2 Expr.min a b, List.mapi (fun i x -> min x (x lxor i)) l)
  | 10 -> (Seq.init (Seq.length s) (fun i -> Expr.(s.%(length s - int 1 - i) + i)), List.mapi (fun i x -> x + i) (List.rev l))
  | _ ->
      let total = Seq.reduce Expr.( + ) 0 s in
      (Seq.map Expr.(fun x -> x - value total) s, let sum = List.fold_left ( + ) 0 l in List.map (fun x -> x - sum) l)

let program seed =
  let random = Stdlib.Random.State.make [| seed |] in
  let n = List.nth [ 0; 1; 15; 16; 17; 1000 ] (Stdlib.Random.State.int random 6) in
  let start = Array.init n (fun _ -> Stdlib.Random.State.int random 1000 - 500) in
  let rec run steps p = if steps = 0 then p else run (steps - 1) (settle (step random p)) in
  run (1 + Stdlib.Random.State.int random 12) (Seq.of_array Dtype.int start, Array.to_list start)

(* Fewer programs run on a GPU, since each compiles kernels. *)
let programs () =
  let n = if Context.name (Context.default ()) = "cpu" then 500 else 30 in
  for seed = 1 to n do
    let s, l = program seed in
    Check.(check (list int)) (Printf.sprintf "seed %d" seed) l (Seq.to_list s)
  done

let tests =
  [
    Support.case "beside lists" programs;
  ]
