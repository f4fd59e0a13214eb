(* Arrays in files. *)

open Warpfold
open Support
module A = Ndarray

let check = Test_arrays.check
let two = Test_arrays.two
let value = Test_arrays.value

let with_path ending f =
  let path = Filename.temp_file "warpfold" ending in
  Fun.protect ~finally:(fun () -> Sys.remove path) (fun () -> f path)

let floats m n = A.map (fun x -> Expr.cast Dtype.f32 x) (Test_arrays.delayed m n)

let npy () =
  with_path ".npy" (fun path ->
      List.iter
        (fun (m, n) ->
          Files.write path (floats m n);
          check "floats" [ m; n ] (two (fun i j -> float (value i j))) (Files.read [ m; -1 ] Dtype.f32 path);
          check "as another type" [ m; n ] (two value) (Files.read [ -1; n ] Dtype.int path))
        [ (17, 257); (0, 3); (1, 1) ];
      Files.write path (A.init [ 2; 3; 5 ] Expr.(fun [ i; j; k ] -> i * j > k));
      check "bools" [ 2; 3; 5 ] (Test_arrays.three (fun i j k -> i * j > k)) (Files.read [ 2; 3; 5 ] Dtype.bool path);
      Files.write path (Scalar.const Dtype.f64 2.5);
      check "no axes" [] (Test_arrays.zero 2.5) (Files.read [] Dtype.f64 path);
      Files.write path (Seq.iota 1000);
      Files.write path (Seq.map Expr.(fun x -> x + int 1) (Files.read [ -1 ] Dtype.int path));
      Check.(check int) "written to the file that it was read from" 500_500 (Scalar.get (Seq.sum (Files.read [ 1000 ] Dtype.int path))))

(* Version 1 of NumPy's format: the matrix 1 2 3, 4 5 6 in Fortran order. *)
let of_numpy () =
  with_path ".npy" (fun path ->
      let header = "{'descr': '<i4', 'fortran_order': True, 'shape': (2, 3), }" in
      let header = String.sub (header ^ String.make 118 ' ') 0 117 ^ "\n" in
      let number k = Printf.sprintf "%c\000\000\000" (Char.chr k) in
      let elements = String.concat "" (List.map number [ 1; 4; 2; 5; 3; 6 ]) in
      Test_types.write path ("\x93NUMPY\001\000\118\000" ^ header ^ elements);
      check "Fortran order" [ 2; 3 ] (two (fun i j -> (3 * i) + j + 1)) (Files.read [ 2; 3 ] Dtype.int path))

let npz () =
  with_path ".npz" (fun path ->
      match Files.write_npz path [ ("x", Ndarray (floats 3 5)); ("counts", Seq (Seq.iota 7)); ("total", Scalar (Scalar.const Dtype.f64 1.5)) ] with
      | exception Error (Unsupported, _) -> ()
      | () ->
          Check.(check (list string)) "names" [ "x"; "counts"; "total" ] (Files.names path);
          check "x" [ 3; 5 ] (two (fun i j -> float (value i j))) (Files.read ~name:"x" [ -1; -1 ] Dtype.f64 path);
          check_ints "counts" (Array.init 7 Fun.id) (Files.read ~name:"counts" [ -1 ] Dtype.int path);
          Check.(check (float 0.)) "total" 1.5 (Scalar.get (Files.read ~name:"total" [] Dtype.f64 path)))

let csv () =
  with_path ".csv" (fun path ->
      Test_types.write path "x,y\n1,2.5\n-3,4e1\n";
      check "csv" [ 2; 2 ] (two (fun i j -> [| [| 1.; 2.5 |]; [| -3.; 40. |] |].(i).(j))) (Files.read [ -1; 2 ] Dtype.f64 path))

let png () =
  with_path ".png" (fun path ->
      let picture = A.init [ 17; 31; 3 ] Expr.(fun [ i; j; k ] -> cast Dtype.u8 ((i * int 7) + j + (k * int 50))) in
      match Files.write path picture with
      | exception Error (Unsupported, _) -> ()
      | () -> check "png" [ 17; 31; 3 ] (Test_arrays.three (fun i j k -> ((7 * i) + j + (50 * k)) land 255)) (Files.read [ -1; -1; 3 ] Dtype.u8 path))

let errors () =
  raises_code "no file" Io (fun () -> Files.read [ -1 ] Dtype.f32 "/nowhere/x.npy");
  raises_code "no format" Argument (fun () -> Files.write "warpfold.unknown" (Seq.iota 3));
  with_path ".npy" (fun path ->
      Files.write path (Seq.iota 3);
      raises_invalid "another extent" (fun () -> Files.read [ 4 ] Dtype.int path);
      match Files.read [ -1; 3 ] Dtype.int path with
      | exception Invalid_argument message ->
          Check.(check string) "another rank" "Warpfold.Files.read: the array has shape 3, expected [-1; 3]" message
      | _ -> Check.fail "another rank")

let tests =
  [ case "npy" npy; case "npy of Fortran order" of_numpy; case "npz" npz; case "csv" csv; case "png" png; case "errors" errors ]
