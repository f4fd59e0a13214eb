(* Reductions inside traced functions, next to loops of the host. *)

open Warpfold
open Support

let sum_over first last f =
  let sum = ref 0 in
  for k = first to last - 1 do
    sum := !sum + f k
  done;
  !sum

let row s i m = Inner.subseq (Inner.seq s) Expr.(i * int m) (Expr.int m)
let range n = List.init n Stdlib.Fun.id

let rows_of (n, m) =
  let values = noise (n * m) in
  let s = Seq.of_array Dtype.int values in
  let expected = Array.init n (fun i -> sum_over 0 m (fun j -> values.((i * m) + j))) in
  check_ints "sums" expected (Seq.init n (fun i -> Inner.sum (row s i m)))

let rows () = List.iter rows_of [ (10007, 7); (1, 10007); (0, 3); (3, 0); (300, 1009) ]

let sparse_matrix () =
  let n = 10007 and columns = 501 in
  let starts = Array.make (n + 1) 0 in
  List.iter (fun r -> starts.(r + 1) <- starts.(r) + (r mod 6)) (range n);
  let entries = starts.(n) in
  let col = Array.init entries (fun k -> k * 77 mod columns) in
  let v = Array.init entries (fun k -> (k mod 9) - 4) and x = noise columns in
  let of_ints = Seq.of_array Dtype.int in
  let rs = of_ints starts and cs = of_ints col and vs = of_ints v and xs = of_ints x in
  let entry k = Expr.(vs.%(k) * xs.%(cs.%(k))) in
  let y = Seq.init n (fun r -> Inner.(sum (map entry (range Expr.(rs.%(r)) Expr.(rs.%(r + int 1)))))) in
  let plan = explain [ Seq y ] in
  Alcotest.(check bool) plan true (contains "1 kernel\n" plan && contains "(fold " plan);
  check_ints "product" (Array.init n (fun r -> sum_over starts.(r) starts.(r + 1) (fun k -> v.(k) * x.(col.(k))))) y

let views () =
  let n = 1000 and m = 9 in
  let values = noise (n * m) in
  let s = Seq.of_array Dtype.int values in
  let at i j = values.((i * m) + j) in
  (* 1 * the last one + 2 * the one before + ..., without the first two *)
  let weighted i =
    let back = Inner.(rev (drop (Expr.int 2) (row s i m))) in
    Inner.(dot back (init (length back) Expr.(fun k -> k + int 1)))
  in
  let four i = Inner.take (Expr.int 4) (row s i m) in
  let opposite i = Inner.(sum (map2 Expr.( * ) (four i) (four Expr.(int Stdlib.(n - 1) - i)))) in
  check_ints "weighted" (Array.init n (fun i -> sum_over 2 m (fun j -> (m - j) * at i j))) (Seq.init n weighted);
  check_ints "opposite" (Array.init n (fun i -> sum_over 0 4 (fun j -> at i j * at (n - 1 - i) j))) (Seq.init n opposite);
  check_ints "get" (Array.init n (fun i -> at i (i mod m))) (Seq.init n (fun i -> Inner.get (row s i m) Expr.(i mod int m)))

let filters () =
  let values = noise 2003 in
  let s = Seq.of_array Dtype.int values in
  let larger x = Inner.filter Expr.(fun y -> y > x) (Inner.seq s) in
  let host f = Array.map (fun x -> f (List.filter (fun y -> y > x) (Array.to_list values))) values in
  let sum = List.fold_left ( + ) 0 in
  check_ints "length" (host List.length) (Seq.map (fun x -> Inner.length (larger x)) s);
  let tripled x = Inner.(map Expr.(fun y -> y * int 3) (filter Expr.(fun y -> y < int 500) (larger x))) in
  check_ints "filter of a filter" (host (fun l -> 3 * sum (List.filter (fun y -> y < 500) l))) (Seq.map (fun x -> Inner.sum (tripled x)) s);
  check_ints "reverse" (host (List.fold_left max (-5000))) (Seq.map (fun x -> Inner.(reduce Expr.max (-5000) (rev (larger x)))) s);
  check_ints "count" (host List.length) (Seq.map (fun x -> Inner.(count Expr.(fun y -> y > x) (seq s))) s);
  let bools name expected found = Alcotest.(check (array bool)) name expected (Seq.to_array found) in
  let all = Seq.map (fun x -> Inner.(for_all Expr.(fun y -> y <= x + int 900) (seq s))) s in
  bools "for_all" (Array.map (fun x -> Array.for_all (fun y -> y <= x + 900) values) values) all;
  let some = Seq.map (fun x -> Inner.(exists Expr.(fun y -> y = x * int 2) (seq s))) s in
  bools "exists" (Array.map (fun x -> Array.exists (fun y -> y = 2 * x) values) values) some;
  let positive = Seq.filter Expr.(fun x -> x > int 0) s in
  let total = sum (List.filter (fun x -> x > 0) (Array.to_list values)) in
  check_ints "a captured filter" (Array.map (fun x -> x * total) values)
    (Seq.map (fun x -> Inner.(sum (map Expr.(fun y -> y * x) (seq positive)))) s)

let tuples () =
  let n = 3001 and m = 5 in
  let values = noise (n * m) in
  let s = Seq.of_array Dtype.int values in
  let better (x, i) (y, j) = Expr.(choose Dtype.(pair int int) (x > y || (x = y && i < j)) (x, i) (y, j)) in
  let best i = Inner.(reduce better (-10000, 10000) (zip (row s i m) (range (Expr.int 0) (Expr.int m)))) in
  let host i =
    List.fold_left (fun (x, k) j -> let y = values.((i * m) + j) in if y > x then (y, j) else (x, k)) (-10000, 10000) (range m)
  in
  let found = Seq.to_array (Seq.init_to Dtype.(pair int int) n best) in
  Alcotest.(check (array (pair int int))) "largest and first" (Array.init n host) found;
  let swap = Inner.map_to Dtype.(pair f64 int) (fun (x, k) -> (k, x)) in
  let pairs = Seq.zip s (Seq.map Expr.(fun x -> cast Dtype.f64 x / f64 2.) s) in
  let add (a, b) (c, d) = Expr.(a + c, b + d) in
  let sums = Seq.init_to Dtype.(pair f64 int) n (fun i -> Inner.(reduce add (0., 0) (swap (row pairs i m)))) in
  let whole i = sum_over 0 m (fun j -> values.((i * m) + j)) in
  Alcotest.(check (array (pair same_float int))) "sums" (Array.init n (fun i -> (float (whole i) /. 2., whole i))) (Seq.to_array sums)

let nested () =
  let k = 23 in
  let values = noise (k * k) in
  let s = Seq.of_array Dtype.int values in
  let entry i j = Inner.(sum (init (Expr.int k) Expr.(fun l -> s.%((i * int k) + l) * s.%((l * int k) + j)))) in
  let largest i = Inner.(max (init (Expr.int k) (fun j -> entry i j))) in
  let host i =
    let entry j = sum_over 0 k (fun l -> values.((i * k) + l) * values.((l * k) + j)) in
    List.fold_left (fun most j -> max most (entry j)) min_int (range k)
  in
  check_ints "a product of matrices" (Array.init k host) (Seq.init k largest);
  (* The first n for which the sum of the squares below n is at least x: a reduction in a loop. *)
  let squares n = Inner.(sum (map Expr.(fun k -> k * k) (range (Expr.int 0) n))) in
  let search x = Expr.(loop Dtype.int ~init:(int 0) ~while_:(fun n -> squares n < x) (fun n -> n + int 1)) in
  let rec host_search x n = if sum_over 0 n (fun k -> k * k) < x then host_search x (n + 1) else n in
  check_ints "in a loop" (Array.init 500 (fun x -> host_search x 0)) (Seq.init 500 search);
  (* A loop in a reduction, and a term that both and the rest use. *)
  let halvings x =
    snd Expr.(loop Dtype.(pair int int) ~init:(x, int 0) ~while_:(fun (x, _) -> x > int 0) (fun (x, n) -> (x / int 2, n + int 1)))
  in
  let rec host_halvings x = if x = 0 then 0 else 1 + host_halvings (x / 2) in
  let t = noise 101 in
  let ts = Seq.of_array Dtype.int t in
  let all x =
    let shared = Expr.((x * x) + int 1) in
    Expr.(shared + Inner.(sum (map Expr.(fun y -> (halvings (abs y) * shared) + shared) (seq ts))))
  in
  let total = Array.fold_left (fun sum y -> sum + host_halvings (abs y)) 0 t in
  check_ints "a loop inside" (Array.init 500 (fun x -> ((x * x) + 1) * (102 + total))) (Seq.init 500 all)

(* Results for no elements, and for five. *)
let types () =
  let reductions dtype values expected =
    let s = Seq.of_list dtype values in
    let five i = Inner.take Expr.(i * int 5) (Inner.seq s) in
    let results f = List.map (Format.asprintf "%a" (Dtype.pp_value dtype)) (Seq.to_list (Seq.init 2 (fun i -> f (five i)))) in
    Alcotest.(check (list string)) (Dtype.name dtype) expected (results Inner.sum @ results Inner.min @ results Inner.max)
  in
  reductions Dtype.u8 [ 7; 200; 3; 255; 1 ] [ "0"; "210"; "255"; "1"; "0"; "255" ];
  reductions Dtype.i32 [ -7l; 5l; 3l; -9l; 1l ] [ "0"; "-7"; "2147483647"; "-9"; "-2147483648"; "5" ];
  reductions Dtype.u32 [ 7; 5; 3; 9; 1 ] [ "0"; "25"; "4294967295"; "1"; "0"; "9" ];
  reductions Dtype.i64 [ -7L; 5L; 3L; -9L; 1L ] [ "0"; "-7"; "9223372036854775807"; "-9"; "-9223372036854775808"; "5" ];
  reductions Dtype.u64 (List.map Unsigned.UInt64.of_int [ 7; 5; 3; 9; 1 ]) [ "0"; "25"; "18446744073709551615"; "1"; "0"; "9" ];
  reductions Dtype.f32 [ 0.5; -1.5; 2.; 4.; -8. ] [ "0."; "-3."; "inf"; "-8."; "-inf"; "4." ];
  reductions Dtype.f64 [ 0.5; -1.5; 2.; 4.; -8. ] [ "0."; "-3."; "inf"; "-8."; "-inf"; "4." ];
  let bools f = Seq.to_list (Seq.init 3 (fun i -> f Inner.(map Expr.(fun k -> k = int 1) (range (Expr.int 0) i)))) in
  Alcotest.(check (list bool)) "bools" [ true; false; false; false; false; true ] (bools Inner.min @ bools Inner.max)

let indices () =
  let s = Seq.of_list Dtype.int [ 1; 2; 3; 4; 5; 6 ] in
  let two i = Inner.subseq (Inner.seq s) i (Expr.int 2) in
  let fails name f = raises_invalid name (fun () -> Seq.to_array (Seq.init 2 f)) in
  check_ints "inside" [| 6; 15 |] (Seq.init 2 (fun i -> Inner.sum (row s i 3)));
  raises_invalid "outside" (fun () -> Seq.to_array (Seq.init 3 (fun i -> Inner.sum (row s i 3))));
  (* A part of a part stays inside it, although the sequence goes on. *)
  fails "take" (fun i -> Inner.(sum (take (Expr.int 3) (two i))));
  fails "get" (fun i -> Inner.get (two i) (Expr.int 2));
  fails "drop" (fun i -> Inner.(sum (drop (Expr.int (-1)) (two i))));
  fails "a shorter partner" (fun i -> Inner.(dot (subseq (seq s) i (Expr.int 3)) (two i)));
  check_ints "get" [| 2; 3 |] (Seq.init 2 (fun i -> Inner.get (two i) (Expr.int 1)));
  check_ints "negative" [| 0; 0 |] (Seq.init 2 (fun i -> Inner.(sum (take (Expr.int (-7)) (two i)))));
  check_ints "negative" [| 0; 0 |] (Seq.init 2 (fun i -> Inner.(length (take (Expr.int (-7)) (two i)))));
  (* s[x], used twice in a reduction of 6 - x elements; and an element that is not chosen *)
  let twice x = Inner.(sum (init Expr.(int 6 - x) (fun _ -> let e = Expr.at s x in Expr.(e * e)))) in
  check_ints "no elements" [| 6; 20; 36; 48; 50; 36; 0; 0 |] (Seq.init 8 twice);
  (* The same, in branches that no step chooses *)
  let branch x = Inner.(sum (init (Expr.int 2) (fun j -> let e = Expr.at s x in Expr.(where (x < int 6) (e * e + j) (int 0))))) in
  let outside x = let e = Expr.at s x in Inner.(sum (init (Expr.int 2) (fun j -> Expr.(where (x < int 6) (e * e + j) (int 0))))) in
  check_ints "in no branch" [| 3; 9; 19; 33; 51; 73; 0; 0 |] (Seq.init 8 branch);
  check_ints "in no branch" [| 3; 9; 19; 33; 51; 73; 0; 0 |] (Seq.init 8 outside);
  let guarded x = Expr.(where (x < int 6) (Inner.get (Inner.seq s) x) (int 0)) in
  check_ints "not chosen" [| 1; 2; 3; 4; 5; 6; 0; 0 |] (Seq.init 8 guarded)

let errors () =
  let s = Seq.of_list Dtype.int [ 1; 2; 3; 4 ] in
  let fails text f =
    match Seq.init 2 f with
    | exception Invalid_argument message -> Alcotest.(check bool) message true (contains text message)
    | _ -> Alcotest.failf "nothing was raised: %s" text
  in
  let kept = ref (Inner.seq s) in
  ignore (Seq.init 2 (fun i -> kept := row s i 2; Inner.sum !kept));
  fails "outside of the function or loop" (fun _ -> Inner.sum !kept);
  fails "Inner has the functions of Seq" (fun i -> ignore (Seq.map Expr.(fun x -> x + i) s); i);
  let more = "Inner.reduce: the function that combines depends on more than its two arguments" in
  fails more (fun i -> Inner.reduce Expr.(fun x y -> x + y + i) 0 (row s i 2));
  fails more (fun i -> Inner.reduce Expr.(fun x y -> x + s.%(y)) 0 (row s i 2));
  let large i = Inner.filter Expr.(fun x -> x > int 1) (row s i 2) in
  let positions name = "Inner." ^ name ^ ": the positions of a filter's elements" in
  fails (positions "take") (fun i -> Inner.(sum (take (Expr.int 1) (large i))));
  fails (positions "get") (fun i -> Inner.get (large i) (Expr.int 0));
  fails (positions "dot") (fun i -> Inner.dot (row s i 2) (large i));
  fails (positions "zip") (fun i -> fst Inner.(reduce (fun x _ -> x) (0, 0) (zip (large i) (row s i 2))))

(* Rows of different lengths, whole, as views of views and filtered, next to arrays of the host. *)
let ragged = [| 0; 1; 2; 7; 63; 64; 65; 0; 129; 300; 3; 24 |]

let each_row check =
  let n = Array.length ragged in
  let starts = Array.make (n + 1) 0 in
  Array.iteri (fun r length -> starts.(r + 1) <- starts.(r) + length) ragged;
  let values = Array.map (fun x -> x mod 50) (noise starts.(n)) in
  let s = Seq.of_array Dtype.int values and first = Seq.of_array Dtype.int starts in
  let row i = Inner.subseq (Inner.seq s) Expr.(first.%(i)) Expr.(first.%(i + int 1) - first.%(i)) in
  let host r = Array.sub values starts.(r) ragged.(r) in
  let back a = Array.init (Array.length a) (fun j -> a.(Array.length a - 1 - j)) in
  let large x = Expr.(x > int (-10)) in
  check ~filtered:false n (Seq.of_array Dtype.int values) row host;
  check ~filtered:false n s (fun i -> Inner.(rev (map Expr.(fun x -> x lxor int 5) (row i)))) (fun r -> back (Array.map (fun x -> x lxor 5) (host r)));
  check ~filtered:true n s
    (fun i -> Inner.filter large (row i))
    (fun r -> Array.of_list (List.filter (fun x -> x > -10) (Array.to_list (host r))))

let weighed a = sum_over 0 (Array.length a) (fun j -> (j + 1) * a.(j))

(* Functions that need positions refuse a filtered row. *)
let functions () =
  each_row (fun ~filtered n s row host ->
      let values = Seq.to_array s in
      let check name expected f = check_ints name (Array.init n (fun r -> expected r (host r))) (Seq.init n (fun i -> f i (row i))) in
      let positions name expected f =
        if filtered then raises_invalid name (fun () -> Seq.init n (fun i -> f i (row i))) else check name expected f
      in
      let weigh row = Inner.(sum (mapi Expr.(fun j x -> (j + int 1) * x) row)) in
      let truth b = Expr.cast Dtype.int b and of_bool = function true -> 1 | false -> 0 in
      let part k = Inner.take k (Inner.seq s) and prefix r = Array.sub values 0 r in
      let first_index f a =
        let rec from j = if j = Array.length a then -1 else if f a.(j) then j else from (j + 1) in
        from 0
      in
      let best better a = if a = [||] then -1 else first_index (fun x -> Array.for_all (fun y -> not (better y x)) a) a in
      let shorter r a = min r (Array.length a) in
      positions "append" (fun r a -> weighed (Array.concat [ a; prefix r; a ])) (fun i row -> weigh Inner.(concat [ row; part i; row ]));
      check "append, summed"
        (fun r a -> Array.fold_left ( + ) 0 (Array.concat [ a; prefix r ]) + Array.length a)
        (fun i row -> Expr.( + ) (Inner.sum (Inner.append row (part i))) (Inner.length (Inner.append row (part Expr.(i * int 0)))));
      positions "map2_shortest"
        (fun r a -> sum_over 0 (shorter r a) (fun j -> (j + 1) * (a.(j) - (2 * values.(j)))))
        (fun i row -> weigh (Inner.map2_shortest Expr.(fun x y -> x - (int 2 * y)) row (part i)));
      positions "zip_shortest"
        (fun r a -> sum_over 0 (shorter r a) (fun j -> (j + 1) * a.(j) * values.(j)))
        (fun i row -> weigh (Inner.map Expr.(fun (x, y) -> x * y) (Inner.zip_shortest (part i) row)));
      positions "enumerate"
        (fun _ a -> sum_over 0 (Array.length a) (fun j -> a.(j) lxor j))
        (fun _ row -> Inner.(sum (map Expr.(fun (j, x) -> x lxor j) (enumerate row))));
      positions "filteri"
        (fun r a -> sum_over 0 (Array.length a) (fun j -> if (a.(j) + j + r) land 3 = 0 then a.(j) else 0))
        (fun i row -> Inner.(sum (filteri Expr.(fun j x -> (x + j + i) land int 3 = int 0) row)));
      positions "pack_index"
        (fun _ a -> sum_over 0 (Array.length a) (fun j -> if a.(j) > 5 then j else 0))
        (fun _ row -> Inner.(sum (pack_index Expr.(fun x -> x > int 5) row)));
      check "partition"
        (fun _ a -> Array.fold_left (fun t x -> if x < 7 then t + (3 * x) else t - x) 0 a)
        (fun _ row ->
          let low, high = Inner.partition Expr.(fun x -> x < int 7) row in
          Expr.((int 3 * Inner.sum low) - Inner.sum high));
      check "iota" (fun r _ -> r * (r - 1) / 2) (fun i _ -> Inner.(sum (iota i)));
      positions "rotate"
        (fun r a ->
          let m = Array.length a in
          sum_over 0 m (fun j -> (j + 1) * a.((j + (((r - 70) mod m) + m)) mod m)))
        (fun i row -> weigh (Inner.rotate Expr.(i - int 70) row));
      positions "interleave"
        (fun _ a -> sum_over 0 (Array.length a) (fun j -> (((2 * j) + 1) * a.(j)) - (((2 * j) + 2) * a.(j))))
        (fun _ row -> weigh (Inner.interleave row (Inner.map Expr.( ~- ) row)));
      positions "update"
        (fun r a -> weighed (Array.mapi (fun j x -> if j = r mod (Array.length a + 1) then r else x) (Array.append a [| 9 |])))
        (fun i row -> weigh Inner.(update (append row (init (Expr.int 1) (fun _ -> Expr.int 9))) Expr.(i mod (Inner.length row + int 1)) i));
      positions "halves"
        (fun _ a ->
          let half = Array.length a / 2 in
          weighed (Array.sub a 0 half) - weighed (Array.sub a half (Array.length a - half)))
        (fun _ row ->
          let half = Expr.(Inner.length row / int 2) in
          Expr.(weigh (Inner.take half row) - weigh (Inner.drop half row)));
      check "product"
        (fun _ a -> Array.fold_left (fun p x -> p * (x lor 1) land 0xffff) 1 a)
        (fun _ row -> Expr.(Inner.(product (map (fun x -> x lor int 1) row)) land int 0xffff));
      check "mean"
        (fun _ a -> if a = [||] then 0 else Stdlib.truncate (float (1000 * Array.fold_left ( + ) 0 a) /. float (Array.length a)))
        (fun _ row -> Expr.(cast Dtype.int (Inner.mean (Inner.map (fun x -> x * int 1000) row))));
      check "minmax"
        (fun _ a -> if a = [||] then -1 else Array.fold_left max min_int a - Array.fold_left min max_int a)
        (fun _ row ->
          let low, high = Inner.minmax row in
          Expr.(where (Inner.length row > int 0) (high - low) (int (-1))));
      check "map_reduce"
        (fun _ a -> Array.fold_left (fun m x -> max m (x / 3)) (-100) a)
        (fun _ row -> Inner.map_reduce Expr.(fun x -> x / int 3) Expr.max (-100) row);
      check "iterate"
        (fun r a -> Array.fold_left (fun state x -> ((state * 31) + x + r) land 0xfffff) 7 a)
        (fun i row -> Inner.iterate Dtype.int Expr.(fun state x -> ((state * int 31) + x + i) land int 0xfffff) 7 row);
      check "find_index"
        (fun r a -> first_index (fun x -> x mod 7 = r mod 7) a)
        (fun i row -> Inner.find_index Expr.(fun x -> x mod int 7 = i mod int 7) row);
      check "argmax" (fun _ a -> best ( > ) a) (fun _ row -> Inner.argmax row);
      check "argmin" (fun _ a -> best ( < ) a) (fun _ row -> Inner.argmin row);
      check "argmax_by"
        (fun _ a -> best (fun x y -> x land 7 > y land 7) a)
        (fun _ row -> Inner.argmax_by Expr.(fun x y -> (x land int 7) < (y land int 7)) row);
      let coarse i = Inner.map Expr.(fun x -> x / (int 30 + i)) and host_coarse r = Array.map (fun x -> x / (30 + r)) in
      let sorted less a = sum_over 1 (Array.length a) (fun j -> of_bool (less a.(j) a.(j - 1))) = 0 in
      check "is_sorted"
        (fun r a -> of_bool (sorted ( < ) (host_coarse r a)) + (2 * of_bool (sorted ( > ) (host_coarse r a))))
        (fun i row ->
          Expr.(truth (Inner.is_sorted (coarse i row)) + (int 2 * truth (Inner.is_sorted ~descending:true (coarse i row)))));
      let back a = Array.of_list (List.rev (Array.to_list a)) in
      positions "equal"
        (fun r a -> of_bool (host_coarse r a = back (host_coarse r a)))
        (fun i row -> truth (Inner.equal Expr.( = ) (coarse i row) (Inner.rev (coarse i row))));
      positions "equal lengths"
        (fun r a -> of_bool (r = Array.length a))
        (fun i row -> truth (Inner.equal (fun _ _ -> Expr.bool true) row (part i)));
      let order a b = Stdlib.compare (Array.to_list a) (Array.to_list b) in
      positions "compare"
        (fun r a -> order (host_coarse r a) (host_coarse r (prefix r)))
        (fun i row -> Inner.compare (coarse i row) (coarse i (part i)));
      positions "compare_by"
        (fun _ a -> -order (Array.map ( ~- ) a) (Array.map ( ~- ) (back a)))
        (fun _ row -> Expr.( ~- ) (Inner.compare_by Expr.( > ) row (Inner.rev row))))

let floats () =
  let s = Seq.of_list Dtype.f64 [ nan; -1.; nan; 2.; 2.; nan ] in
  let of_part f = Seq.init 7 (fun i -> f (Inner.take i (Inner.seq s))) in
  check_ints "argmax" [| -1; 0; 1; 1; 3; 3; 3 |] (of_part Inner.argmax);
  check_ints "argmin" [| -1; 0; 1; 1; 1; 1; 1 |] (of_part Inner.argmin);
  check_ints "of a filter" [| -1; 0; 0; 0; 1; 1; 1 |]
    (of_part (fun p -> Expr.(where (Inner.length p > int 1) (Inner.argmax (Inner.filter (fun x -> x = x) p)) (Inner.argmax p))));
  let bounds = Seq.of_list Dtype.(pair i64 i64) Int64.[ (max_int, min_int); (max_int, add min_int 2L); (5L, 7L); (-3L, min_int) ] in
  check_ints "ranges between the limits" [| 0; 0; 2; 0 |] (Seq.map (fun (a, b) -> Inner.(length (range a b))) bounds);
  let more = Seq.of_list Dtype.int [ 1; 2; 3; 4; 5; 6 ] in
  let three i = Inner.subseq (Inner.seq more) i (Expr.int 3) in
  raises_invalid "a longer partner" (fun () -> Seq.to_array (Seq.init 2 (fun i -> Inner.dot (three i) (Inner.seq more))));
  raises_invalid "update" (fun () -> Seq.to_array (Seq.init 2 (fun i -> Inner.(sum (update (three i) (Expr.int 3) i)))))

let tests =
  [
    case "sums of rows" rows; case "a sparse matrix" sparse_matrix; case "views" views; case "filters and searches" filters;
    case "tuples" tuples; case "reductions, loops and reductions inside" nested; case "types and identities" types;
    case "functions of rows" functions; case "floats and partners" floats; case "indices out of range" indices; case "errors" errors;
  ]
