(* Arrays against plain loops over their indices. Test_values has more values. *)

open Warpfold
open Support
module A = Ndarray

(* All indices of a shape in row-major order. *)
let rec indices = function
  | [] -> [ [] ]
  | n :: rest ->
      let inner = indices rest in
      List.concat (List.init n (fun i -> List.map (fun index -> i :: index) inner))

let show_shape extents = "[" ^ String.concat "; " (List.map string_of_int extents) ^ "]"

(* The array has these extents, and `expected index` at each index. *)
let check name extents expected a =
  Check.(check string) (name ^ ": shape") (show_shape extents) (Format.asprintf "%a" Axes.pp (A.shape a));
  let found = A.to_array a in
  let all = indices extents in
  Check.(check int) (name ^ ": length") (List.length all) (Array.length found);
  List.iteri
    (fun k index ->
      if compare found.(k) (expected index) <> 0 then Check.failf "%s: wrong at %s" name (show_shape index))
    all

let two f = function [ i; j ] -> f i j | _ -> assert false
let three f = function [ i; j; k ] -> f i j k | _ -> assert false
let one f = function [ i ] -> f i | _ -> assert false
let zero x = function [] -> x | _ -> assert false
let shapes = [ (0, 3); (3, 0); (1, 1); (2, 3); (17, 257); (257, 17); (3, 1) ]

(* The matrix with this function of the indices, delayed and stored. *)
let value i j = (i * 1000) + (j * 7) - ((i + j) mod 5 * 300)
let delayed m n = A.init [ m; n ] Expr.(fun [ i; j ] -> (i * int 1000) + (j * int 7) - ((i + j) mod int 5 * int 300))
let stored m n = A.of_arrays Dtype.int (Array.init m (fun i -> Array.init n (value i)))
let each test () = List.iter (fun (m, n) -> if m > 0 then test m n (stored m n); test m n (delayed m n)) shapes

let making () =
  List.iter (fun (m, n) -> check "init" [ m; n ] (two value) (delayed m n)) shapes;
  check "no axes" [] (zero 7) (A.init [] (fun [] -> Expr.int 7));
  check "three axes" [ 3; 17; 2 ] (three (fun i j k -> i + (10 * j) + (1000 * k)))
    (A.init [ 3; 17; 2 ] Expr.(fun [ i; j; k ] -> i + (int 10 * j) + (int 1000 * k)));
  check "one index" [ 257; 3 ] (two (fun _ j -> j)) (A.init [ 257; 3 ] (fun [ _; j ] -> j));
  check "tuples" [ 2; 3 ] (two (fun i j -> (i, i = j))) (A.init_to Dtype.(pair int bool) [ 2; 3 ] Expr.(fun [ i; j ] -> (i, i = j)));
  check "fill" [ 3; 2 ] (two (fun _ _ -> 2.5)) (A.fill Dtype.f32 [ 3; 2 ] 2.5);
  check "eye" [ 3; 3 ] (two (fun i j -> if i = j then 1. else 0.)) (A.eye Dtype.f64 3);
  check "of_array" [ 2; 3 ] (two (fun i j -> (3 * i) + j)) (A.of_array Dtype.int [ 2; -1 ] (Array.init 6 Fun.id));
  check "iota" [ 3; 17 ] (two (fun i j -> (17 * i) + j)) (A.iota [ 3; 17 ]);
  List.iter
    (fun n ->
      let squares = Seq.init n Expr.(fun i -> i * i) in
      check "of_diagonal" [ n; n ] (two (fun i j -> if i = j then i * i else 0)) (A.of_diagonal squares);
      check "and back" [ n ] (one (fun i -> float (i * i))) (A.diagonal (A.of_diagonal (Seq.map (Expr.cast Dtype.f32) squares))))
    [ 0; 1; 2; 3; 17 ];
  check "of_diagonal of bools" [ 2; 2 ] (two ( = )) (A.of_diagonal (Seq.init 2 (fun _ -> Expr.bool true)));
  check "no rows" [ 0; 0 ] (two (fun _ _ -> 0)) (A.of_arrays Dtype.int [||]);
  let table = delayed 17 257 in
  Check.(check int) "get" (value 16 200) (A.get table [ 16; 200 ]);
  Check.(check int) "get of no axes" 7 (A.get (A.init [] (fun [] -> Expr.int 7)) []);
  Check.(check bool) "rows" true (A.to_arrays table = Array.init 17 (fun i -> Array.init 257 (value i)))

let views m n a =
  check "flatten" [ m * n ] (one (fun k -> value (k / n) (k mod n))) (A.flatten a);
  check "expand" [ m; n; 1 ] (three (fun i j _ -> value i j)) (A.expand (-1) a);
  check "stack" [ m; n; 2 ] (three (fun i j _ -> value i j)) (A.stack (-1) [ a; a ]);
  check "a huge step" [ min m 1; n ] (two value) (A.slice [ Every max_int; All ] a);
  check "a step past the end" [ m; 0 ] (two value) (A.slice [ All; Step (Some n, None, 1) ] a);
  Check.(check (list int)) "strides" [ n; 1 ] (Axes.to_list (A.strides a));
  Check.(check (list int)) "strides of a view" [ m; 1 ] (Axes.to_list (A.strides (A.transpose a)));
  Check.(check bool) "conforms" (m = n) (A.conforms a (A.transpose a));
  Check.(check bool) "conforms to another rank" false (A.conforms a (A.flatten a));
  check "no diagonal" [ 0 ] (one (fun _ -> 0)) (A.diagonal ~offset:1000 a);
  check "split and joined" [ m; n ] (two value) (A.join 1 (A.split (-1) [ n - (n / 2); n / 2 ] a));
  if m >= 2 && n >= 3 then (
    check "no axis stays" [] (zero (value 1 2)) (A.slice [ At 1; At 2 ] a);
    check "steps" [ 2; 2 ]
      (two (fun i j -> value (1 - i) (2 * j)))
      (A.slice [ Steps { from = 1; count = 2; by = -1 }; Steps { from = 0; count = 2; by = 2 } ] a);
    let turned = A.flip 0 (A.transpose (A.slice [ All; From 1 ] a)) in
    check "views of views" [ n - 1; m ] (two (fun i j -> value j (n - 1 - i))) turned;
    check "and a map of one" [ n - 1; m ] (two (fun i j -> 2 * value j (n - 1 - i))) (A.map Expr.(fun x -> x + x) turned))

let sequences () =
  let row = A.row 2 (delayed 5 257) in
  Check.(check int) "a row is a sequence" (Array.fold_left ( + ) 0 (Array.init 257 (value 2))) (Scalar.get (Seq.sum row));
  check_ints "a filter" [| 2; 3 |] (Seq.filter Expr.(fun x -> x > int 1) (A.row 0 (A.init [ 2; 4 ] (fun [ _; j ] -> j))));
  check "a sequence with a shape" [ 3; 4 ] (two (fun i j -> (4 * i) + j)) (A.reshape [ 3; 4 ] (Seq.iota 12));
  let even = Seq.filter Expr.(fun x -> x land int 1 = int 0) (Seq.iota 100) in
  check "a filter with a shape" [ 5; 10 ] (two (fun i j -> 20 * i + (2 * j))) (A.reshape [ 5; 10 ] even);
  check "the shape of a filter" [ 50 ] (one (fun i -> 4 * i)) A.(even + even)

let elementwise m n a =
  check "not" [ m; n ] (two (fun i j -> value i j <> 0)) A.(not (a =$ 0));
  check "pos" [ m; n ] (two value) (A.pos a);
  let across = A.init [ 1; n ] (fun [ _; j ] -> j) and down = A.init [ m; 1 ] (fun [ i; _ ] -> i) in
  check "three" [ m; n ] (two (fun i j -> value i j + (i * j))) (A.map3 Expr.(fun x i j -> x + (i * j)) a down across);
  check "expanded" [ m; n ] (two (fun i j -> value i j + j)) A.(a + expand 0 (Seq.iota n));
  check "like" [ m; n ] (two (fun i j -> value i j + j)) A.(a + like a (Seq.iota n));
  check "a column expanded" [ m; n ] (two (fun i j -> i + value i j)) A.(a + expand 1 (Seq.iota m));
  check "like of rank 0" [ m; n ] (two (fun i j -> value i j - 3)) A.(a - like a (Scalar.const Dtype.int 3));
  check "like of two axes" [ 2; m; n ] (three (fun k i j -> value i j * (k + 1))) (let s = A.init [ 2; 1; 1 ] Expr.(fun [ k; _; _ ] -> k + int 1) in A.(like s a * s));
  check "like itself" [ m; n ] (two value) (A.like a a);
  check "zip" [ m; n ] (two (fun i j -> (value i j, j))) (A.zip a across);
  check "unzip" [ m; n ] (two (fun _ j -> j)) (snd (A.unzip (A.zip a across)));
  let f = A.map (fun x -> Expr.cast Dtype.f64 x) a in
  check "quotients" [ m; n ] (two (fun i j -> 1. /. float (value i j))) A.(1. $/ f);
  check "powers" [ m; n ] (two (fun i j -> float (value i j * value i j))) A.(map Expr.round (f **$ 2.))

let dlpack m n a =
  let exchanged versioned = A.of_dlpack ~versioned ~stream:(-1) [ -1; n ] Dtype.int (A.to_dlpack ~versioned ~stream:(-1) a) in
  List.iter (fun versioned -> check "of_dlpack of to_dlpack" [ m; n ] (two value) (exchanged versioned)) [ false; true ];
  check "of a transpose" [ n; m ] (two (fun i j -> value j i)) (A.of_dlpack [ n; m ] Dtype.int (A.to_dlpack (A.transpose a)));
  raises_invalid "another shape" (fun () -> A.of_dlpack [ m + 1; n ] Dtype.int (A.to_dlpack a));
  says "Warpfold.Ndarray.of_dlpack: the tensor has elements of type f32, expected i64" (fun () ->
      A.of_dlpack [ m; n ] Dtype.i64 (A.to_dlpack (A.map (Expr.cast Dtype.f32) a)))

let traced_reads () =
  let m = 17 and n = 257 in
  let a = stored m n in
  let right = A.init [ m; n - 1 ] (fun [ i; j ] -> Expr.(A.at a [ i; j + int 1 ])) in
  check "at" [ m; n - 1 ] (two (fun i j -> value i (j + 1))) right;
  raises_invalid "the end of a row" (fun () -> A.to_array (A.init [ m; n ] (fun [ i; j ] -> Expr.(A.at a [ i; j + int 1 ]))));
  raises_invalid "the last row" (fun () -> A.to_array (A.init [ m; n ] (fun [ i; j ] -> Expr.(A.at a [ i + int 1; j ]))));
  raises_invalid "before a row" (fun () -> A.to_array (A.init [ m; n ] (fun [ i; j ] -> Expr.(A.at a [ i; j - int 1 ]))));
  let guarded = A.init [ m; n ] (fun [ i; j ] -> Expr.(where (j > int 0) (A.at a [ i; j - int 1 ]) (int 0))) in
  check "guarded" [ m; n ] (two (fun i j -> if j > 0 then value i (j - 1) else 0)) guarded

let errors () =
  let a = delayed 3 4 and b = delayed 5 4 in
  says "Warpfold.Ndarray.(+): shapes 3 x 4 and 5 x 4 differ along axis 0" (fun () -> A.(a + b));
  says "Warpfold.Ndarray.map3: shapes 3 x 4 and 4 x 3 differ along axis 0" (fun () -> A.map3 (fun x _ _ -> x) a a (A.transpose a));
  says "Warpfold.Ndarray.reshape: the extents 5 x 3 have 15 elements, but s has shape 3 x 4" (fun () -> A.reshape [ 5; 3 ] a);
  says "Warpfold.Ndarray.init: the extent along axis 1 is -1" (fun () -> A.init [ 3; -1 ] (fun [ i; _ ] -> i));
  says "Warpfold.Ndarray.fill: the extent along axis 0 is -2" (fun () -> A.fill Dtype.int [ -2 ] 0);
  says "Warpfold.Ndarray.row: axis 0: index 3 is out of range" (fun () -> A.row 3 a);
  says "Warpfold.Ndarray.slice: axis 1: the range from 2 to 5 is out of range" (fun () -> A.slice [ All; Range (2, 5) ] a);
  says "Warpfold.Ndarray.slice: axis 0: 3 elements from 1" (fun () -> A.slice [ Steps { from = 1; count = 3; by = 1 }; All ] a);
  says "Warpfold.Ndarray.slice: axis 0: the step is 0" (fun () -> A.slice [ Every 0; All ] a);
  says "Warpfold.Ndarray.slice: axis 1: the step is 0" (fun () -> A.slice [ All; Step (None, None, 0) ] a);
  says "Warpfold.Ndarray.slice: axis 1: index 5 is out of range, expected a part of extent 4" (fun () -> A.slice [ All; Step (Some 0, Some 5, 1) ] a);
  says "Warpfold.Ndarray.slice: axis 0: index 3 is out of range" (fun () -> A.slice [ Step (Some 3, None, -1); All ] a);
  says "Warpfold.Ndarray.iota: the extent along axis 1 is -1" (fun () -> A.iota [ 2; -1 ]);
  says "Warpfold.Ndarray.get: index 4 is out of range along axis 1" (fun () -> A.get a [ 0; 4 ]);
  says "Warpfold.Ndarray.flip: axis 2 does not exist in shape 3 x 4" (fun () -> A.flip 2 a);
  says "Warpfold.Ndarray.windows: the width is 4, expected 1 to 3" (fun () -> A.windows 0 4 a);
  says "Warpfold.Ndarray.join" (fun () -> A.join 0 [ a; A.transpose a ]);
  says "Warpfold.Ndarray.stack: the list is empty" (fun () -> A.stack 0 ([] : (Axes.rank1, int, Expr.int) A.t list));
  says "Warpfold.Ndarray.stack: shapes 3 x 4 and 5 x 4 differ, expected equal shapes" (fun () -> A.stack 0 [ a; b ]);
  says "Warpfold.Ndarray.stack: axis 3 cannot be added to shape 3 x 4, expected -3 to 2" (fun () -> A.stack 3 [ a; a ]);
  says "Warpfold.Ndarray.expand: axis -4 cannot be added to shape 3 x 4, expected -3 to 2" (fun () -> A.expand (-4) a);
  says "Warpfold.Ndarray.like: the shape is 3 x 4, expected at most the rank 1 of the first array" (fun () -> A.like (Seq.iota 4) a);
  says "Warpfold.Ndarray.slice: axis 1: 1 elements from -5 in steps of 1 are out of range, expected a part of extent 4" (fun () ->
      A.slice [ All; Steps { from = -5; count = 1; by = 1 } ] a);
  says "Warpfold.Ndarray.slice: axis 1: -1 elements from 0" (fun () -> A.slice [ All; Steps { from = 0; count = -1; by = 1 } ] a);
  says "Warpfold.Ndarray.slice: axis 1: the step is 0" (fun () -> A.slice [ All; Steps { from = 0; count = 2; by = 0 } ] a);
  says "Warpfold.Ndarray.get: index 0 is out of range along axis 0, expected an axis with elements, for shape 0 x 3" (fun () ->
      A.get (delayed 0 3) [ 0; 0 ]);
  says "Warpfold.Ndarray.split: the extents of the parts are [2; 2], expected numbers from 0 with the sum 3, the extent of shape 3 x 4 along axis 0"
    (fun () -> A.split 0 [ 2; 2 ] a);
  says "Warpfold.Ndarray.split: the extents of the parts are [-1; 5]" (fun () -> A.split 1 [ -1; 5 ] a);
  says "Warpfold.Ndarray.split: axis 2 does not exist in shape 3 x 4" (fun () -> A.split 2 [ 3 ] a);
  says "Warpfold.Ndarray.view" (fun () -> A.view [ 3; 4 ] [ 4; 2 ] a);
  says "Warpfold.Linalg.frobenius" (fun () -> Linalg.frobenius a b);
  says "Warpfold.Linalg.inner" (fun () -> Linalg.inner a b);
  says "Warpfold.Ndarray.broadcast" (fun () -> A.broadcast [ 3; 5 ] a);
  says "Warpfold.Ndarray.permute: the 2nd axis is axis 0 again" (fun () -> A.permute [ 0; 0 ] a);
  says "Warpfold.Ndarray.of_arrays: row 1 has length 1, expected 2" (fun () -> A.of_arrays Dtype.int [| [| 1; 2 |]; [| 3 |] |]);
  says "Warpfold.Ndarray.of_array" (fun () -> A.of_array Dtype.int [ 2; 2 ] [| 1; 2; 3 |]);
  says "Warpfold.Ndarray.sum: the axis is 2" (fun () -> A.sum (Axis 2) a);
  says "Warpfold.Ndarray.argmax: shape 0 x 4 has no elements along axis 0" (fun () -> A.argmax 0 (delayed 0 4));
  A.release a;
  says "Warpfold.Ndarray.transpose: this sequence was released" (fun () -> A.transpose a)

let together () =
  let a = delayed 257 17 in
  let t = A.transpose (A.map Expr.(fun x -> x * x) a) and s = A.map Expr.(fun x -> x + int 1) a in
  force [ Ndarray t; Ndarray s; Scalar (A.sum All a) ];
  Check.(check bool) "computed" true (A.is_manifest s);
  check "one" [ 17; 257 ] (two (fun i j -> value j i * value j i)) t;
  check "another" [ 257; 17 ] (two (fun i j -> value i j + 1)) s

(* Functions of each element are those of Expr. *)
let functions () =
  let values = Ndarray.map Expr.(fun x -> cast Dtype.f64 x / f64 7.) (A.iota [ 3; 5 ]) in
  List.iter
    (fun (name, whole, each) -> Check.(check (array same_float)) name (A.to_array (A.map each values)) (A.to_array (whole values)))
    Expr.[
      ("abs", A.abs, abs); ("sign", A.sign, sign); ("sqrt", A.sqrt, sqrt); ("cbrt", A.cbrt, cbrt); ("exp", A.exp, exp); ("exp2", A.exp2, exp2);
      ("expm1", A.expm1, expm1); ("log", A.log, log); ("log2", A.log2, log2); ("log10", A.log10, log10); ("log1p", A.log1p, log1p); ("sin", A.sin, sin);
      ("cos", A.cos, cos); ("tan", A.tan, tan); ("asin", A.asin, asin); ("acos", A.acos, acos); ("atan", A.atan, atan); ("sinh", A.sinh, sinh);
      ("cosh", A.cosh, cosh); ("tanh", A.tanh, tanh); ("erf", A.erf, erf); ("sigmoid", A.sigmoid, sigmoid); ("softplus", A.softplus, softplus);
      ("floor", A.floor, floor); ("ceil", A.ceil, ceil); ("round", A.round, round); ("trunc", A.trunc, trunc);
    ]

let own_copies () =
  let s = Seq.iota 1000 in
  let shared = Seq.to_bigarray s and own = Seq.to_bigarray ~copy:true s in
  own.{5} <- 77;
  Check.(check (pair int int)) "not the sequence's" (5, 5) (shared.{5}, Seq.get s 5);
  Check.(check int) "the others" 999 own.{999}

let tests =
  [ case "functions of each element" functions; case "bigarrays of one's own" own_copies;
    case "making" making; case "views" (each views); case "sequences" sequences; case "elementwise" (each elementwise); case "dlpack" (each dlpack);
    case "reads in functions" traced_reads; case "errors" errors; case "together" together;
  ]
