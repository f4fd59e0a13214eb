(* Sequences in ordinary OCaml code: bigarrays of any dimensions, iteration, searches, names in errors. *)

open Warpfold
open Support
open Bigarray

let n = 100_007
let numbers = Array.init n (fun i -> (i * 7919 mod 2003) - 1001)
let s () = Seq.of_array Dtype.int numbers

let layouts () =
  let rows = 3 and columns = 4 in
  let by_rows = Array2.init float32 c_layout rows columns (fun i j -> float ((10 * i) + j)) in
  let by_columns = Array2.init float32 fortran_layout rows columns (fun i j -> float ((10 * (i - 1)) + j - 1)) in
  let c = Array.init 12 (fun k -> float ((10 * (k / 4)) + (k mod 4))) in
  let fortran = Array.init 12 (fun k -> float ((10 * (k mod 3)) + (k / 3))) in
  let check copy =
    check_floats "C" c (Seq.of_array2 ~copy Dtype.f32 by_rows);
    check_floats "Fortran" fortran (Seq.of_array2 ~copy Dtype.f32 by_columns);
    check_floats "any dimensions" c (Seq.of_genarray ~copy Dtype.f32 (reshape (genarray_of_array2 by_rows) [| 2; 2; 3 |]));
    check_floats "one" fortran (Seq.of_bigarray ~copy Dtype.f32 (reshape_1 (genarray_of_array2 by_columns) 12));
    check_floats "none" [||] (Seq.of_genarray ~copy Dtype.f32 (Genarray.create float32 c_layout [| 3; 0 |]));
    let number = Genarray.create int c_layout [||] in
    Genarray.set number [||] 7;
    check_ints "no dimensions" [| 7 |] (Seq.of_genarray ~copy Dtype.int number)
  in
  check true;
  check false;
  Check.(check bool) "a matrix there and back" true (Seq.to_array2 c_layout rows columns (Seq.of_array2 Dtype.f32 by_rows) = by_rows);
  let back = Seq.to_array2 fortran_layout rows columns (Seq.of_array2 Dtype.f32 by_columns) in
  Check.(check bool) "a matrix of Fortran's there and back" true (back = by_columns);
  let cube = Seq.to_genarray fortran_layout [| 2; 3; 4 |] (Seq.init 24 Fun.id) in
  Check.(check int) "the first index varies fastest" (1 + (2 * 2) + (6 * 3)) (Genarray.get cube [| 2; 3; 4 |]);
  raises_invalid "dimensions" (fun () -> Seq.to_array2 c_layout 3 5 (Seq.init 12 Fun.id))

(* A matrix made from a sequence keeps the memory alive. *)
let matrices_keep_memory () =
  let context = Context.cpu () in
  let row =
    let matrix = Seq.to_array2 fortran_layout 100 10 (Seq.init ~context 1000 Fun.id) in
    Array2.slice_right matrix 10
  in
  for _ = 1 to 3 do Gc.full_major () done;
  Check.(check int) "element" 999 row.{100};
  Check.(check bool) "alive" true ((Context.memory context).live >= 8000);
  ignore (Sys.opaque_identity row);
  for _ = 1 to 3 do Gc.full_major () done;
  Check.(check int) "and then is not" 0 (Context.memory context).live

let folds () =
  Check.(check int) "fold_left, in order" (Array.fold_left (fun a x -> (a * 31) + x) 7 numbers)
    (Seq.fold_left (fun a x -> (a * 31) + x) 7 (s ()));
  let seen = ref [] in
  Seq.iter (fun x -> seen := x :: !seen) (s ());
  Check.(check bool) "iter" true (Array.of_list (List.rev !seen) = numbers);
  Check.(check int) "of none" 7 (Seq.fold_left ( + ) 7 (Seq.init 0 Fun.id));
  let all = Dtype.(triple bool u32 (quadruple u8 i32 i64 (pair u64 f32))) in
  let values =
    Array.init 1000 (fun i ->
        (i mod 3 = 0, 0xffff_ffff - i, (i land 255, Int32.of_int (-i), Int64.of_int i, (Unsigned.UInt64.of_int i, float i))))
  in
  let found = Seq.fold_left (fun l x -> x :: l) [] (Seq.of_array all values) in
  Check.(check bool) "every type" true (List.rev found = Array.to_list values)

let standard_sequences () =
  let t = Seq.map Expr.(fun x -> x * int 2) (s ()) in
  let yielded = Seq.to_seq t in
  Check.(check bool) "nothing is computed before it is read" false (Seq.is_manifest t);
  Check.(check bool) "to_seq" true (Array.of_seq yielded = Array.map (fun x -> 2 * x) numbers);
  Check.(check bool) "again" true (List.of_seq yielded = List.map (fun x -> 2 * x) (Array.to_list numbers));
  check_ints "of_seq" (Array.map succ numbers) (Seq.of_seq Dtype.int (Stdlib.Seq.map succ (Array.to_seq numbers)));
  Seq.release t;
  names_itself "Seq.to_seq" yielded

let searches () =
  let above k = Expr.(fun x -> x > int k) and s = s () in
  Check.(check (pair bool bool)) "exists" (true, false) (Seq.exists (above 1000) s, Seq.exists (above 1001) s);
  Check.(check (pair bool bool)) "for_all" (true, false) (Seq.for_all (above (-1002)) s, Seq.for_all (above (-1001)) s);
  let none = Seq.init 0 Fun.id in
  Check.(check (pair bool bool)) "of none" (false, true) (Seq.exists (above 0) none, Seq.for_all (above 0) none);
  let last = Seq.init n Fun.id in
  Check.(check int) "the first of two" 50_000 (Seq.find Expr.(fun x -> x = int 50_000 || x = int 70_000) last);
  Check.(check (option int)) "the last" (Some (n - 1)) (Seq.find_opt Expr.(fun x -> x = int Stdlib.(n - 1)) last);
  Check.(check (option int)) "none" None (Seq.find_opt Expr.(fun x -> x < int 0) last);
  let kept = Seq.filter Expr.(fun x -> x mod int 1000 = int 999) last in
  Check.(check int) "of a filter's result" 5999 (Seq.find Expr.(fun x -> x > int 5000) kept);
  let pairs = Seq.zip last (Seq.map Expr.(fun x -> cast Dtype.f64 x / f64 2.) last) in
  Check.(check (pair int same_float)) "of pairs" (7, 3.5) (Seq.find Expr.(fun (_, y) -> y > f64 3.) pairs);
  Check.check_raises "no element" Not_found (fun () -> ignore (Seq.find (above 1001) s))

(* Messages name the function that was called. *)
let names () =
  let s = Seq.init 10 Fun.id and t = Seq.init 9 Fun.id in
  let outside = Seq.init 5 (fun i -> Expr.at (Seq.init 3 Fun.id) i) in
  let released = Seq.init 3 Fun.id in
  Seq.release released;
  List.iter (fun (name, f) -> names_itself name f)
    [
      ("Context.create", fun () -> ignore (Context.create "gpu")); ("Context.cuda", fun () -> ignore (Context.cuda 99));
      ("Seq.zip", fun () -> ignore (Seq.zip s t)); ("Seq.map2", fun () -> ignore (Seq.map2 Expr.( + ) s t));
      ("Seq.zip3", fun () -> ignore (Seq.zip3 s s t)); ("Seq.get", fun () -> ignore (Seq.get s 10));
      ("Seq.nth", fun () -> ignore (Seq.nth s (-1))); ("Seq.take", fun () -> ignore (Seq.take 11 s));
      ("Seq.drop", fun () -> ignore (Seq.drop (-1) s)); ("Seq.subseq", fun () -> ignore (Seq.subseq s 5 6));
      ("Seq.init", fun () -> ignore (Seq.init (-1) Fun.id));
      ("Seq.reduce_op", fun () -> ignore (Seq.reduce_op Expr.(fun x y -> x + (y * int 2)) s));
      ("Seq.force", fun () -> Seq.force outside); ("Seq.to_array", fun () -> ignore (Seq.to_array outside));
      ("Seq.fold_left", fun () -> ignore (Seq.fold_left ( + ) 0 outside));
      ("Scalar.get", fun () -> ignore (Scalar.get (Seq.reduce Expr.( + ) 0 outside)));
      ("Seq.exists", fun () -> ignore (Seq.exists Expr.(fun x -> x > int 7) outside));
      ("force", fun () -> force [ Seq outside ]); ("wait", fun () -> wait [ Seq outside ]); ("explain", fun () -> ignore (explain [ Seq released ]));
      ("Seq.map", fun () -> ignore (Seq.map Fun.id released)); ("Seq.rev", fun () -> ignore (Seq.rev released));
      ("Seq.mapi", fun () -> ignore (Seq.mapi Expr.(fun i x -> i + x) released));
      ("Seq.find", fun () -> ignore (Seq.find Expr.(fun x -> x > int 0) released));
      ("Seq.find_opt", fun () -> ignore (Seq.find_opt Expr.(fun x -> x > int 0) released));
      ("Seq.to_genarray", fun () -> ignore (Seq.to_genarray Bigarray.c_layout [| -2; -5 |] s));
      ("Seq.length", fun () -> ignore (Seq.length released)); ("Seq.to_list", fun () -> ignore (Seq.to_list released));
      ("Seq.of_file", fun () -> ignore (Seq.of_file Dtype.u8 "/nowhere"));
      ("Seq.of_array", fun () -> ignore (Seq.of_array Dtype.u8 [| 256 |]));
      ("Expr.u8", fun () -> ignore (Expr.u8 256)); ("Context.create", fun () -> ignore (Context.create "abacus"));
      ("Foreign.map", fun () -> ignore (Foreign.map (Foreign.by_name "j0" Dtype.int Dtype.int) released));
    ]

let printers () =
  let shown pp x = Format.asprintf "%a" pp x in
  Check.(check string) "a literal" "<i64: 3:i64>" (shown Expr.pp (Expr.int 3));
  let kept = ref "" and s = Seq.init 3 Fun.id in
  ignore (Seq.map2 (fun x y -> kept := shown Expr.pp Expr.(x + (y * at s x)); x) s s);
  Check.(check string) "an operation" "<i64: (add a (mul b (at $0 a)))>" !kept;
  let rec deep k x = if k = 0 then x else deep (k - 1) Expr.(x + int k) in
  let text = shown Expr.pp (deep 50 (Expr.int 0)) in
  Check.(check bool) text true (contains "..." text && String.length text < 100);
  Check.(check string) "a type" "(i64 * f32)" (shown Dtype.pp Dtype.(pair int f32))

(* ---- elements of other types *)

type ('i, 'x) particle = { id : 'i; mass : 'x; place : 'x * 'x }

let particle =
  let fields p = (p.id, p.mass, p.place) and make (id, mass, place) = { id; mass; place } in
  Dtype.(conv (fields, make) (fields, make) (triple int f32 (pair f32 f32)))

type color = Red | Green | Blue

let color = Dtype.conv ((function Red -> 0 | Green -> 1 | Blue -> 2), Array.get [| Red; Green; Blue |]) (Fun.id, Fun.id) Dtype.u8
let character = Dtype.conv (Char.code, Char.chr) (Fun.id, Fun.id) Dtype.u8

let records () =
  let made i = { id = i; mass = float (i mod 13); place = (float i, float (-i)) } in
  let same = Check.testable (fun out p -> Format.fprintf out "%d" p.id) ( = ) in
  List.iter
    (fun n ->
      let values = Array.init n made in
      let s = Seq.of_array particle values in
      let moved = Seq.map_to particle (fun p -> Expr.{ p with mass = p.mass * f32 2.; place = (snd p.place, fst p.place) }) s in
      let expected = Array.map (fun p -> { p with mass = p.mass *. 2.; place = (snd p.place, fst p.place) }) values in
      Check.(check (array same)) "map" expected (Seq.to_array moved);
      Check.(check (array same)) "init" values
        (Seq.to_array (Seq.init_to particle n (fun i -> Expr.{ id = i; mass = cast Dtype.f32 (i mod int 13); place = (cast Dtype.f32 i, cast Dtype.f32 (-i)) })));
      let heavier a b = Expr.(choose particle (a.mass < b.mass) b a) in
      let heaviest = Scalar.get (Seq.reduce heavier { (made 0) with mass = -1. } s) in
      Check.(check (float 0.)) "reduce" (Array.fold_left (fun m p -> Float.max m p.mass) (-1.) values) heaviest.mass;
      let by_mass a b = compare (a.mass, a.id) (b.mass, b.id) in
      Check.(check (list same)) "sort_on" (List.sort by_mass (Array.to_list values)) (Seq.to_list (Seq.sort_on (fun p -> p.mass) s)))
    [ 0; 1; 33; 70001 ];
  let s = Seq.of_list particle [ made 3; made 4 ] in
  Check.(check same) "get" (made 4) (Seq.get s 1);
  Check.(check same) "a captured constant" (made 5) (Scalar.get (Scalar.const particle (made 5)));
  Check.(check string) "printed" "<(3,3.,(3.,-3.)),(4,4.,(4.,-4.))>" (Seq.to_string s);
  Check.(check string) "its type" "(i64 * f32 * (f32 * f32))" (Dtype.name particle);
  let colors = Seq.of_list color [ Blue; Red; Green; Red ] in
  Check.(check bool) "constants" true (Seq.to_list (Seq.sort colors) = [ Red; Red; Green; Blue ]);
  Check.(check bool) "a captured constant" true (Seq.to_list (Seq.filter Expr.(fun c -> c <> const color Red) colors) = [ Blue; Green ]);
  let upper = Seq.map_to character Expr.(fun c -> c - u8 32) (Seq.of_list character [ 'o'; 'k' ]) in
  Check.(check bool) "characters" true (Seq.to_list upper = [ 'O'; 'K' ]);
  let masses = Jit.jit (Seq.map (fun p -> p.mass)) in
  check_floats "in jit" [| 3.; 4. |] (masses s);
  let pair_like = Dtype.(conv (Fun.id, Fun.id) (Fun.id, Fun.id) (pair int int)) in
  raises_invalid "no pair" (fun () -> Seq.unzip (Seq.of_list pair_like [ (1, 2) ]));
  let four = Seq.of_list Dtype.(quadruple int f64 bool (pair u8 u8)) [ (1, 2., true, (3, 4)) ] in
  Check.(check string) "four fields" "<(1,2.,true,(3,4))> (i64 * f64 * bool * (u8 * u8))" (Seq.to_string four ^ " " ^ Dtype.name (Seq.dtype four))

let tests =
  [
    case "records, constants and characters" records;
    case "bigarrays of either layout" layouts; case "matrices keep memory alive" matrices_keep_memory;
    case "folds and iteration" folds; case "standard sequences" standard_sequences; case "searches" searches;
    case "messages name the function called" names; case "printers" printers;
  ]
