(* Arrays along several axes, special values, in bigarrays and as text. Test_values has the values along one axis. *)

open Warpfold
open Support
open Bigarray
module A = Ndarray

let check = Test_arrays.check
let two = Test_arrays.two
let one = Test_arrays.one
let value = Test_arrays.value
let range n f = Array.init n f
let total = Array.fold_left ( + ) 0

(* ---- reductions *)

let folds () =
  let a = Test_arrays.delayed 17 257 in
  let last x y = if y = 0 then x else y in
  check "by a function, in order" [ 17 ] (one (fun i -> Array.fold_left last 0 (range 257 (value i))))
    (A.reduce (Axis 1) Expr.(fun x y -> where (y = int 0) x y) 0 a);
  check "both kept" [ 1; 1 ] (two (fun _ _ -> total (range 17 (fun i -> total (range 257 (value i)))))) (A.sum (Keep [ 0; 1 ]) a);
  check "both" [] (Test_arrays.zero (total (range 17 (fun i -> total (range 257 (value i)))))) (A.sum (Axes (0, 1)) a)

(* Reductions of three axes. *)
let solid () =
  let f i j k = (i * 100) + (j * 10) + k in
  let a = A.init [ 3; 5; 17 ] Expr.(fun [ i; j; k ] -> (i * int 100) + (j * int 10) + k) in
  let sum n g = total (range n g) in
  check "the middle one" [ 3; 17 ] (two (fun i k -> sum 5 (fun j -> f i j k))) (A.sum (Axis 1) a);
  check "two" [ 5 ] (one (fun j -> sum 3 (fun i -> sum 17 (fun k -> f i j k)))) (A.sum (Axes (0, 2)) a);
  check "kept" [ 1; 5; 1 ] (Test_arrays.three (fun _ j _ -> sum 3 (fun i -> sum 17 (fun k -> f i j k)))) (A.sum (Keep [ 2; 0 ]) a);
  check "scan" [ 3; 5; 17 ] (Test_arrays.three (fun i j k -> sum (j + 1) (fun j -> f i j k))) (A.scan_incl 1 Expr.( + ) 0 a)

let floats () =
  check "f32 stays" [ 2 ] (one (fun _ -> 2.)) (A.mean (Axis 0) (A.fill Dtype.f32 [ 3; 2 ] 2.));
  check "nrm2" [] (Test_arrays.zero 5.) (Linalg.Blas.nrm2 (Seq.of_list Dtype.f64 [ 3.; 4. ]))

(* ---- bigarrays *)

let bigarrays () =
  List.iter
    (fun (m, n) ->
      let c = Array2.init float32 c_layout m n (fun i j -> float (value i j)) in
      let fortran = Array2.init float32 fortran_layout m n (fun i j -> float (value (i - 1) (j - 1))) in
      let expected = two (fun i j -> float (value i j)) in
      List.iter
        (fun copy ->
          let both = [ A.of_array2 ~copy Dtype.f32 c; A.of_array2 ~copy Dtype.f32 fortran ] in
          List.iter (check "in" [ m; n ] expected) both;
          List.iter (fun a -> Check.(check bool) "out" true (A.to_array2 c_layout a = c)) both;
          List.iter (fun a -> Check.(check bool) "out, Fortran" true (A.to_array2 fortran_layout a = fortran)) both)
        [ true; false ])
    [ (2, 3); (17, 257); (0, 3); (1, 1) ];
  let cube = Array3.init int c_layout 2 3 5 (fun i j k -> (i * 100) + (j * 10) + k) in
  let expected = Test_arrays.three (fun i j k -> (i * 100) + (j * 10) + k) in
  let a = A.of_array3 Dtype.int cube in
  check "three axes" [ 2; 3; 5 ] expected a;
  Check.(check bool) "and back" true (A.to_array3 c_layout a = cube);
  check "any axes" [ 2; 3; 5 ] expected (A.of_genarray [ 2; 3; -1 ] Dtype.int (A.to_genarray fortran_layout a));
  raises_invalid "another rank" (fun () -> A.of_genarray [ 6; 5 ] Dtype.int (genarray_of_array3 cube));
  let number = Genarray.create float64 c_layout [||] in
  Genarray.set number [||] 2.5;
  check "no axes" [] (Test_arrays.zero 2.5) (A.of_genarray [] Dtype.f64 number)

(* Memory is shared in both directions and layouts. The elements of an adopted bigarray must not change; here a change shows the sharing. *)
let shared () =
  let context = Context.cpu () in
  let fortran = Array2.init float64 fortran_layout 300 200 (fun i j -> float ((1000 * i) + j)) in
  let a = A.of_array2 ~context ~copy:false Dtype.f64 fortran in
  let back = A.to_array2 fortran_layout a in
  fortran.{7, 9} <- -1.;
  Check.(check (float 0.)) "Fortran in and out" (-1.) back.{7, 9};
  let c = Array2.init float64 c_layout 300 200 (fun i j -> float ((1000 * i) + j)) in
  let back = A.to_array2 fortran_layout (A.transpose (A.of_array2 ~context ~copy:false Dtype.f64 c)) in
  c.{7, 9} <- -1.;
  Check.(check (float 0.)) "a transpose" (-1.) back.{10, 8}

(* ---- text *)

let text () =
  let same expected a = Check.(check string) expected expected (A.to_string a) in
  same "[[ 0  1  2]\n [10 11 12]]" (A.init [ 2; 3 ] Expr.(fun [ i; j ] -> (int 10 * i) + j));
  same "7" (A.init [] (fun [] -> Expr.int 7));
  same "[]" (A.fill Dtype.int [ 0 ] 1);
  same "[[]\n []]" (A.fill Dtype.int [ 2; 0 ] 1);
  same "[[[0 1]\n  [1 2]]\n\n [[1 2]\n  [2 3]]]" (A.init [ 2; 2; 2 ] Expr.(fun [ i; j; k ] -> i + j + k));
  let long = A.init [ 1000; 1000 ] Expr.(fun [ i; j ] -> i + j) in
  Check.(check string) "shortened"
    "[[  0    1 ...  998  999]\n [  1    2 ...  999 1000]\n ...\n [998  999 ... 1996 1997]\n [999 1000 ... 1997 1998]]"
    (A.to_string ~limit:4 long);
  Check.(check bool) "of which only these are computed" false (A.is_manifest long);
  Check.(check string) "delayed" "<i64, 1000 x 1000, not computed yet>" (Format.asprintf "%a" A.pp long);
  Check.(check string) "an element's text" "[[<0> <1>]]" (A.to_string ~element:(Printf.sprintf "<%d>") (A.init [ 1; 2 ] (fun [ _; j ] -> j)));
  let small = A.init [ 2; 2 ] Expr.(fun [ i; j ] -> i + j) in
  A.force small;
  let thirds = A.map Expr.(fun i -> cast Dtype.f64 i / f64 3.) (A.iota [ 2; 3 ]) in
  A.force thirds;
  Check.(check string) "six digits in the toplevel" "[[0. 0.333333 0.666667]\n [1.  1.33333  1.66667]]" (Format.asprintf "%a" A.pp thirds);
  Check.(check string) "all digits" "[[0. 0.3333333333333333 0.6666666666666666]\n [1. 1.3333333333333333 1.6666666666666667]]" (A.to_string thirds);
  let pairs = A.zip (A.map Expr.(fun x -> x * f64 1e10) thirds) (A.map Expr.(fun x -> x / f64 0.) thirds) in
  A.force pairs;
  Check.(check string) "pairs" "[[   (0.,nan) (3.33333e+09,inf) (6.66667e+09,inf)]\n [(1e+10,inf) (1.33333e+10,inf) (1.66667e+10,inf)]]"
    (Format.asprintf "%a" A.pp pairs);
  Check.(check string) "computed" "[[0 1]\n [1 2]]" (Format.asprintf "%a" A.pp small)

let nothing_leaks () =
  let context = Context.cpu () in
  let a = A.init ~context [ 300; 200 ] Expr.(fun [ i; j ] -> i + j) in
  let views = A.[ transpose a; flip 0 a; slice [ Every 2; From 3 ] a; sum (Keep [ 1 ]) a; sort 0 a ] in
  force (List.map (fun v -> Ndarray v) views);
  List.iter A.release (a :: views);
  for _ = 1 to 3 do Gc.full_major () done;
  Check.(check int) "live" 0 (Context.memory context).live

let tests =
  [
    case "folds" folds; case "three axes" solid; case "floats" floats; case "bigarrays" bigarrays;
    case "shared memory" shared; case "text" text; case "nothing leaks" nothing_leaks;
  ]
