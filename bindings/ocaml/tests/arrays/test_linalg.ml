(* Linear algebra: batches, determinants, bytes, errors. Test_values has the values of products and solutions. *)

open Warpfold
open Support
module A = Ndarray
module L = Linalg

let check = Test_arrays.check
let two = Test_arrays.two
let one = Test_arrays.one
let value = Test_arrays.value
let sum n f = List.fold_left (fun s k -> s + f k) 0 (List.init n Fun.id)

let products () =
  List.iter
    (fun (m, k, n) ->
      let a = Test_arrays.delayed m k and b = Test_arrays.delayed k n in
      let batch = A.stack 0 [ a; A.Infix.(a +$ 1) ] in
      let of_batch = function [ p; i; j ] -> sum k (fun l -> (value i l + p) * value l j) | _ -> assert false in
      check "a batch" [ 2; m; n ] of_batch (L.matmul batch (A.expand 0 b)))
    [ (1, 1, 1); (2, 3, 5); (17, 31, 3); (3, 0, 2); (0, 3, 2); (57, 33, 41) ];
  let fibonacci = L.power (A.of_arrays Dtype.int [| [| 1; 1 |]; [| 1; 0 |] |]) 50 in
  Check.(check int) "power" 12586269025 (A.get fibonacci [ 0; 1 ])

let general n = A.init [ n; n ] Expr.(fun [ i; j ] -> where (i = j) (f64 (float n)) (f64 0.) + sin (cast Dtype.f64 ((i * int 31) + (j * int 7))))
let columns n = A.init [ n; 3 ] Expr.(fun [ i; j ] -> cos (cast Dtype.f64 (i + (j * int 5))))

let determinants () =
  let g = general 17 in
  let p = A.Infix.(L.matmul g (A.transpose g) + A.eye Dtype.f64 17) in
  let l = L.cholesky p in
  let expected = 2. *. Seq.fold_left (fun s x -> s +. log x) 0. (A.diagonal l) in
  let are expected = Check.(check (float 1e-8)) "log determinant" expected in
  List.iter (fun x -> are expected (Scalar.get x)) [ L.log_determinant p; L.log_determinant ~form:`Positive p; L.log_determinant ~form:`Cholesky l ];
  are (expected /. 2.) (Scalar.get (L.log_determinant ~form:`Triangular l))

let blas () =
  let a = Test_arrays.delayed 3 17 and b = A.iota [ 3; 17 ] in
  let product = two (fun i j -> (2 * sum 17 (fun k -> value i k * ((17 * j) + k))) + (3 * if i = j then 1 else 0)) in
  check "gemm of transposes" [ 3; 3 ] product (L.Blas.gemm ~transpose_a:true 2 (A.transpose a) (A.transpose b) 3 (A.eye Dtype.int 3));
  Check.(check (float 1e-12)) "nrm2" 5. (Scalar.get (L.Blas.nrm2 (Seq.of_list Dtype.f64 [ 3.; -4. ])))

let images () =
  let bytes = A.map (Expr.cast Dtype.u8) (A.iota [ 4; 6 ]) in
  check "max_pool of bytes" [ 2; 2 ] (two (fun i j -> (12 * i) + (3 * j) + 8)) (L.max_pool 2 3 bytes);
  check "convolve of bytes" [ 3; 6 ] (two (fun i j -> (6 * i) + j + 6)) (L.convolve bytes (A.of_array Dtype.u8 [ 2; 1 ] [| 0; 1 |]));
  Check.(check (float 1e-12)) "norm" 5. (Scalar.get (L.norm (A.of_arrays Dtype.f64 [| [| 3.; 0. |]; [| 0.; 4. |] |])))

let errors () =
  says "Warpfold.Linalg.matmul: " (fun () -> L.matmul (general 3) (general 4));
  says "4 x 4" (fun () -> L.matmul (general 3) (general 4));
  says "Warpfold.Linalg.solve: " (fun () -> L.solve (general 3) (columns 4));
  says "Warpfold.Linalg.cholesky: " (fun () -> L.cholesky (columns 4));
  says "Warpfold.Linalg.inverse: a has shape 4 x 3" (fun () -> L.inverse ~form:`Lower (columns 4));
  says "Warpfold.Linalg.Blas.gemm: " (fun () -> L.Blas.gemm 1. (general 3) (general 4) 1. (general 3));
  says "0 on its diagonal at row 0" (fun () -> A.to_array (L.inverse ~form:`Upper (A.fill Dtype.f64 [ 3; 3 ] 0.)));
  let singular = A.fill Dtype.f64 [ 3; 3 ] 1. in
  says "pivot" (fun () -> A.to_array (L.solve singular (columns 3)));
  says "pivot" (fun () -> A.to_array (L.cholesky A.(general 3 *$ -1.)));
  Check.(check (float 0.)) "log of 0" neg_infinity (Scalar.get (L.log_determinant singular))

let tests =
  [
    case "products" products; case "determinants" determinants; case "blas" blas; case "images" images; case "errors" errors;
  ]
