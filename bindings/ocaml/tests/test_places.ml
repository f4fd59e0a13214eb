(* Elements at computed indices, next to loops over arrays. *)

open Warpfold
open Support

let lengths = [ 0; 1; 100_007 ]
let each test () = List.iter test lengths

let placed ?(f = fun _ y -> y) base indices values =
  let result = Array.copy base in
  Array.iteri (fun k i -> result.(i) <- f result.(i) values.(k)) indices;
  result

let scatters n =
  let values = noise n in
  let indices = Array.map (fun x -> ((31 * x) mod 17 + 17) mod 17) values and base = Array.init 17 (fun i -> (i * i) - 40) in
  let s = Seq.of_array Dtype.int in
  let i = Seq.of_array Dtype.i32 (Array.map Int32.of_int indices) in
  check_ints "the last one wins" (placed base indices values) (Seq.scatter (s base) i (s values));
  check_ints "added" (placed ~f:( + ) base indices values) (Seq.scatter ~by:Expr.( + ) (s base) i (s values));
  check_ints "the least" (placed ~f:min base indices values) (Seq.scatter ~by:Expr.min (s base) i (s values));
  check_ints "xor" (placed ~f:( lxor ) base indices values) (Seq.scatter ~by:Expr.( lxor ) (s base) i (s values));
  check_ints "inject" (placed base indices values) (Seq.inject (s base) (Seq.zip i (s values)));
  let pairs = Seq.scatter ~by:(fun (a, b) (c, d) -> Expr.(a + c, max b d)) (Seq.zip (s base) (s base)) i (Seq.zip (s values) (s values)) in
  let sums, greatest = Seq.unzip pairs in
  check_ints "the first field" (placed ~f:( + ) base indices values) sums;
  check_ints "the second field" (placed ~f:max base indices values) greatest

let histograms n =
  let values = Array.map (fun x -> (x + 1001) mod 100) (noise n) in
  let counts = placed ~f:( + ) (Array.make 100 0) values (Array.make n 1) in
  check_ints "histogram" counts (Seq.histogram ~bins:100 (Seq.of_array Dtype.u8 values));
  check_ints "no bins" [||] (Seq.histogram ~bins:0 (Seq.iota 0))

let updates n =
  let values = noise n in
  let s = Seq.of_array Dtype.int values in
  let changed = Array.copy values in
  if n > 0 then (
    changed.(n - 1) <- 5;
    changed.(n / 2) <- 7);
  let updated = if n = 0 then s else Seq.update (Seq.update s (n - 1) 5) (n / 2) 7 in
  check_ints "update" changed updated;
  if n > 0 then
    let pairs = Seq.update (Seq.enumerate s) 0 (3, 4) in
    Check.(check (pair int int)) "of a pair" (3, 4) (Seq.get pairs 0)

let rotations n =
  let values = noise n in
  let check k =
    let from = if n = 0 then 0 else ((k mod n) + n) mod n in
    check_ints (string_of_int k) (Array.init n (fun i -> values.((i + from) mod n))) (Seq.rotate k (Seq.of_array Dtype.int values))
  in
  List.iter check [ 0; 1; -1; 3; n; n - 1; -7 - n ]

let interleaved n =
  let a = noise n and s = Seq.of_array Dtype.int in
  let both = Array.init (2 * n) (fun i -> if i mod 2 = 0 then a.(i / 2) else -a.(i / 2)) in
  check_ints "interleave" both (Seq.interleave (s a) (Seq.map Expr.( ~- ) (s a)))

let errors () =
  let s = Seq.iota 3 and released = Seq.iota 1 in
  Seq.release released;
  let fails name f = names_itself ("Seq." ^ name) f in
  let from_one = Seq.map Expr.(fun x -> x + int 1) s in
  raises_invalid "an index out of range" (fun () -> Seq.force (Seq.scatter s from_one s));
  raises_invalid "a bin out of range" (fun () -> Seq.force (Seq.histogram ~bins:2 s));
  raises_invalid "lengths" (fun () -> Seq.scatter s s (Seq.iota 2));
  raises_code "an operation" Argument (fun () -> Seq.scatter ~by:Expr.( - ) s s s);
  fails "scatter" (fun () -> Seq.scatter ~by:Expr.( - ) s s s);
  fails "scatter" (fun () -> Seq.scatter s released s);
  fails "inject" (fun () -> Seq.inject released (Seq.zip s s));
  fails "histogram" (fun () -> Seq.histogram ~bins:(-1) s);
  fails "update" (fun () -> Seq.update s 3 0);
  fails "update" (fun () -> Seq.update s (-1) 0);
  fails "rotate" (fun () -> Seq.rotate 1 released);
  fails "interleave" (fun () -> Seq.interleave s (Seq.iota 2));
  fails "interleave" (fun () -> Seq.interleave s released)

(* Lengths near the limits of int. Only the elements that are read are computed. *)
let large () =
  let n = (max_int / 2) + 10 in
  let s = Seq.init_to Dtype.u8 n (fun i -> Expr.(cast Dtype.u8 (i land int 127))) in
  check_ints "rotate" [| 127 land (n - 2); 127 land (n - 1); 0 |] (Seq.take 3 (Seq.rotate (n - 2) s));
  check_ints "rotate back" [| 127 land (n - 1); 0 |] (Seq.take 2 (Seq.rotate (-n - 1) s));
  raises_invalid "interleave" (fun () -> Seq.interleave s s);
  raises_invalid "windows" (fun () -> Nested.windows (1 lsl 30) (Seq.take (1 lsl 33) s));
  let three = Seq.iota 3 in
  let lists = Check.(check (list (list int))) in
  lists "chunks" [ [ 0; 1; 2 ] ] (Nested.to_list (Nested.chunks max_int three));
  lists "windows" [] (Nested.to_list (Nested.windows max_int three))

let tests =
  [
    case "scatter and inject" (each scatters); case "histogram" (each histograms); case "update" (each updates);
    case "rotate" (each rotations); case "interleave" (each interleaved); case "errors" errors;
    case "large" large;
  ]
