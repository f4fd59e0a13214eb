(* Linear algebra: batches, residuals, bytes, errors. Test_values has the values of products. *)

open Warpfold
open Support
module A = Ndarray
module L = Linalg

let check = Test_arrays.check
let two = Test_arrays.two
let one = Test_arrays.one
let value = Test_arrays.value
let sizes = [ 1; 2; 3; 17; 57 ]
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

(* The greatest size of an element of a - b, below 1e-10. *)
let near name a b =
  let size = Scalar.get A.(max All (map Expr.abs (a - b))) in
  if not (size < 1e-10 || A.length a = 0) then Check.failf "%s: off by %g" name size

let general n = A.init [ n; n ] Expr.(fun [ i; j ] -> where (i = j) (f64 (float n)) (f64 0.) + sin (cast Dtype.f64 ((i * int 31) + (j * int 7))))
let positive n = let g = general n in A.Infix.(L.matmul g (A.transpose g) + A.eye Dtype.f64 n)
let columns n = A.init [ n; 3 ] Expr.(fun [ i; j ] -> cos (cast Dtype.f64 (i + (j * int 5))))

let systems () =
  List.iter
    (fun n ->
      let a = general n and p = positive n and b = columns n in
      let l = L.cholesky p in
      near "general" L.(a *@ solve a b) b;
      near "positive" L.(p *@ solve ~form:`Positive p b) b;
      near "by the factor" L.(p *@ solve ~form:`Cholesky l b) b;
      near "a triangle" L.(triangle_product `Lower l (solve ~form:`Lower l b)) b;
      near "an upper one" L.(triangle `Unit_upper a *@ solve ~form:`Unit_upper a b) b;
      near "a vector" (L.matvec a (L.solve_vector a (A.column 1 b))) (A.column 1 b);
      near "inverse" L.(a *@ inverse a) (A.eye Dtype.f64 n);
      near "inverse of a positive one" L.(p *@ inverse ~form:`Positive p) (A.eye Dtype.f64 n);
      let one form which = near "inverse of a triangle" L.(triangle_product which a (inverse ~form a)) (A.eye Dtype.f64 n) in
      one `Lower `Lower; one `Upper `Upper;
      near "a unit triangle" L.(triangle `Unit_lower l *@ inverse ~form:`Unit_lower l) (A.eye Dtype.f64 n);
      near "another one" L.(inverse ~form:`Unit_upper (A.transpose l) *@ triangle `Unit_upper (A.transpose l)) (A.eye Dtype.f64 n);
      let half = A.map2 (fun x same -> Expr.(where same (x / f64 2.) x)) (L.triangle `Lower a) A.(expand 1 (Seq.iota n) = expand 0 (Seq.iota n)) in
      near "phi" (L.phi a) half;
      let logarithms = [ L.log_determinant p; L.log_determinant ~form:`Positive p; L.log_determinant ~form:`Cholesky l ] in
      let expected = 2. *. Seq.fold_left (fun s x -> s +. log x) 0. (A.diagonal l) in
      List.iter (fun x -> Check.(check (float 1e-8)) "log determinant" expected (Scalar.get x)) logarithms)
    sizes

let factorizations () =
  List.iter
    (fun n ->
      let a = general n and p = positive n in
      near "cholesky" L.(cholesky p *@ A.transpose (cholesky p)) p;
      let tall = A.join 0 [ a; A.slice [ Until 1; All ] a ] in
      let q, r = L.qr tall in
      near "qr" (L.matmul q r) tall;
      near "orthonormal" (L.matmul (A.transpose q) q) (A.eye Dtype.f64 n);
      let values, vectors = L.eigen p in
      near "eigen" (L.matmul p vectors) A.(vectors * expand 0 values) ;
      Check.(check bool) "in order" true (Seq.is_sorted values);
      let u, values, v = L.singular_values tall in
      near "singular values" L.(A.Infix.(u * A.expand 0 values) *@ v) tall)
    [ 1; 2; 3; 17 ]

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
    case "products" products; case "systems" systems; case "factorizations" factorizations; case "blas" blas; case "images" images; case "errors" errors;
  ]
