(* Sorts and merges, next to the standard library's stable ones. *)

open Warpfold
open Support

let lengths = [ 0; 1; 2; 100_007 ]
let stable compare values = List.stable_sort compare values
let reverse compare x y = compare y x
let ints name expected s = Check.(check (list int)) name expected (Seq.to_list s)

let numbers n =
  let values = Array.to_list (noise n) in
  let s = Seq.of_list Dtype.int values in
  let by_remainder x y = compare (x mod 7) (y mod 7) in
  ints "ascending" (stable compare values) (Seq.sort s);
  ints "descending" (stable (reverse compare) values) (Seq.sort ~descending:true s);
  ints "by a comparison" (stable by_remainder values) (Seq.sort_by Expr.(fun x y -> x mod int 7 < y mod int 7) s);
  ints "by a key" (stable by_remainder values) (Seq.sort_on Expr.(fun x -> x mod int 7) s);
  ints "by a key, descending" (stable (reverse by_remainder) values) (Seq.sort_on ~descending:true Expr.(fun x -> x mod int 7) s)

let tuples n =
  let values = List.mapi (fun i x -> (x mod 50, float i)) (Array.to_list (noise n)) in
  let s = Seq.of_list Dtype.(pair int f64) values in
  let by_first (x, _) (y, _) = compare x y in
  let check name expected s = Check.(check (list (pair int same_float))) name expected (Seq.to_list s) in
  check "by all fields" (stable compare values) (Seq.sort s);
  check "by the first" (stable by_first values) (Seq.sort_on fst s);
  check "by the first, descending" (stable (reverse by_first) values) (Seq.sort_on ~descending:true fst s);
  check "by a comparison" (stable (reverse by_first) values) (Seq.sort_by (fun (x, _) (y, _) -> Expr.(x > y)) s);
  check "by the second, descending" (List.rev values) (Seq.sort_on ~descending:true snd s)

let merges n =
  let a = Array.to_list (noise n) and b = Array.to_list (noise ((n / 2) + 3)) in
  let s = Seq.of_list Dtype.int a and t = Seq.of_list Dtype.int b in
  ints "ascending" (stable compare (a @ b)) (Seq.merge (Seq.sort s) (Seq.sort t));
  let descending = true in
  ints "descending" (stable (reverse compare) (a @ b)) (Seq.merge ~descending (Seq.sort ~descending s) (Seq.sort ~descending t));
  let tagged s tag = Seq.sort (Seq.map_to Dtype.(pair int int) Expr.(fun x -> (x mod int 7, int tag)) s) in
  let u = tagged s 1 and v = tagged t 2 in
  let both = Seq.to_list u @ Seq.to_list v in
  Check.(check (list (pair int int))) "of equal elements the first's come first"
    (stable (fun (x, _) (y, _) -> compare x y) both)
    (Seq.to_list (Seq.merge_by (fun (x, _) (y, _) -> Expr.(x < y)) u v))

let special_values () =
  let s = Seq.of_list Dtype.f32 [ nan; 1.5; -0.; infinity; 0.; -2.; -0.; neg_infinity; 0. ] in
  check_floats "ascending" [| neg_infinity; -2.; -0.; -0.; 0.; 0.; 1.5; infinity; nan |] (Seq.sort s);
  check_floats "descending" [| nan; infinity; 1.5; 0.; 0.; -0.; -0.; -2.; neg_infinity |] (Seq.sort ~descending:true s);
  let signs s = Array.map Float.sign_bit (Seq.to_array s) in
  Check.(check (array bool)) "-0 before 0" [| true; true; true; true; false; false |] (Array.sub (signs (Seq.sort s)) 0 6);
  Check.(check (list bool)) "bools" [ false; true; true ] (Seq.to_list (Seq.sort (Seq.of_list Dtype.bool [ true; false; true ])))

let results () =
  let s = Seq.sort ~descending:true (Seq.filter Expr.(fun x -> x mod int 2 = int 0) (Seq.init 100_000 Fun.id)) in
  Check.(check int) "length" 50_000 (Seq.length s);
  Check.(check int) "sum" (99998 + 99996 + 99994) (Scalar.get (Seq.reduce Expr.( + ) 0 (Seq.take 3 s)));
  let fails name f = names_itself ("Seq." ^ name) f in
  let released = Seq.init 3 Fun.id in
  Seq.release released;
  fails "sort_by" (fun () -> Seq.sort_by Expr.(fun x y -> x < y + s.%(x)) s);
  fails "sort" (fun () -> Seq.sort released);
  fails "sort_on" (fun () -> Seq.sort_on Fun.id released);
  fails "merge" (fun () -> Seq.merge s released);
  fails "merge" (fun () -> Seq.merge s (Seq.init ~context:(Context.cpu ()) 3 Fun.id));
  fails "merge_by" (fun () -> Seq.merge_by Expr.( < ) released s)

let each test () = List.iter test lengths

let tests =
  [
    case "numbers" (each numbers); case "tuples and payloads" (each tuples); case "merges" (each merges);
    case "NaN, zeros, infinities, bools" special_values; case "results and errors" results;
  ]
