(* Random matrices: the numbers of the C++ layer for the same keys, whose tests have their moments; and densities. *)

open Warpfold
open Support
module R = Random_matrix

let close name bound expected a =
  let found = Ndarray.to_array a in
  Check.(check int) (name ^ ": length") (List.length expected) (Array.length found);
  List.iteri (fun k x -> if not (Float.abs (found.(k) -. x) <= bound) then Check.failf "%s: %d is %.17g, not %.17g" name k found.(k) x) expected

let scale_of dtype = Ndarray.of_arrays dtype [| [| 2.; 0.5 |]; [| 0.5; 1. |] |]
let mean_of dtype = Seq.of_array dtype [| 1.; -2. |]
let scale = scale_of Dtype.f64
let mean = mean_of Dtype.f64

let gaussian () =
  close "C++" 1e-12
    [ -1.5965436799882906; -2.804418705897036; 0.5168306122181161; -3.1844764098478873; 1.3854623591820212; -1.3503905142110892 ]
    (R.multivariate_gaussian ~mean ~covariance:scale (Random.key 1) 3);
  let mean = mean_of Dtype.f32 and covariance = scale_of Dtype.f32 in
  let x = R.multivariate_gaussian ~mean ~covariance (Random.key 1) 3 in
  close "C++, f32" 2e-6 [ 1.6350095; -1.569458; 0.75392133; -2.076236; 1.0423629; -0.4616922 ] x;
  close "density, f32" 2e-6 [ -2.2607052; -2.1329472; -3.4518018 ] (R.multivariate_gaussian_log_density ~mean ~covariance x);
  close "none" 0. [] (R.multivariate_gaussian ~mean ~covariance (Random.key 1) 0)

let wishart () =
  let w = R.wishart ~scale ~degrees:5.5 (Random.key 2) and inverse = R.inverse_wishart ~scale ~degrees:5.5 (Random.key 2) in
  close "C++" 1e-12 [ 6.846765090349143; -2.5113073011901452; -2.5113073011901452; 3.6750144741107946 ] w;
  close "C++, inverse" 1e-12 [ 1.4660626389787776; 0.55081113470738; 0.55081113470738; 0.31773138496868336 ] inverse;
  close "density" 1e-12 [ -7.626455158265681 ] (R.wishart_log_density ~scale ~degrees:5.5 w);
  close "density of the inverse" 1e-12 [ -0.49492096295160604 ] (R.inverse_wishart_log_density ~scale ~degrees:5.5 inverse);
  let scale = scale_of Dtype.f32 in
  close "C++, f32" 1e-5 [ 5.689046; 0.7184846; 0.7184846; 3.68888 ] (R.wishart ~scale ~degrees:5.5 (Random.key 2))

let others () =
  close "C++" 1e-12
    [ -0.016529786075439423; -0.8928170594442076; 0.45011605674281174; -0.6669658639363444; 0.34523111502143244; 0.660281768311608;
      0.7449048949469629; 0.2892977282773862; 0.6011850978672024 ]
    (R.orthogonal Dtype.f64 (Random.key 3) 3);
  check_ints "C++" [| 3; 4; 1; 2; 0 |] (Ndarray.argmax 1 (R.permutation Dtype.f32 (Random.key 4) 5));
  let near name x y = if not (Float.abs (x -. y) <= 1e-12) then Check.failf "%s: %.17g" name y in
  near "orthogonal, C++" (-5.0620484939385815) (R.orthogonal_log_density 3);
  near "permutation" (-.log 24.) (R.permutation_log_density 4)

let errors () =
  let wide = Ndarray.fill Dtype.f64 [ 2; 3 ] 1. and key = Random.key 1 in
  says "Warpfold.Random_matrix.multivariate_gaussian: the mean has shape 3; expected 2 as the covariance" (fun () ->
      R.multivariate_gaussian ~mean:(Seq.of_array Dtype.f64 [| 1.; 2.; 3. |]) ~covariance:scale key 2);
  says "Warpfold.Random_matrix.wishart: the scale has shape 2 x 3; expected a square matrix" (fun () -> R.wishart ~scale:wide ~degrees:3. key);
  says "Warpfold.Random_matrix.inverse_wishart: the scale has shape 2 x 3" (fun () -> R.inverse_wishart ~scale:wide ~degrees:3. key);
  says "Warpfold.Random_matrix.orthogonal: the 1st extent is -1; expected a number that is not negative" (fun () -> R.orthogonal Dtype.f32 key (-1));
  List.iter
    (fun degrees ->
      says "the degrees of freedom are" (fun () -> R.wishart ~scale ~degrees key);
      says "for a scale of 2 x 2; expected more than 1" (fun () -> R.inverse_wishart ~scale ~degrees key);
      says "Warpfold.Random_matrix.wishart_log_density: the degrees of freedom are" (fun () -> R.wishart_log_density ~scale ~degrees scale);
      says "Warpfold.Random_matrix.inverse_wishart_log_density: " (fun () -> R.inverse_wishart_log_density ~scale ~degrees scale))
    [ 1.; 0.5; -3.; nan ];
  says "pivot 0" (fun () -> Ndarray.to_array (R.wishart ~scale:Ndarray.(-scale) ~degrees:3. key))

let tests = [ case "gaussian vectors" gaussian; case "wishart" wishart; case "orthogonal, permutation" others; case "errors" errors ]
