(* Random matrices: moments of samples, densities against formulas written out, and the numbers of the C++ layer for the same keys. *)

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
let pi = 4. *. atan 1.

let gaussian () =
  let n = 100000 in
  let x = R.multivariate_gaussian ~mean ~covariance:scale (Random.key 1) n in
  close "mean" 0.02 [ 1.; -2. ] (Ndarray.mean (Axis 0) x);
  let centred = Ndarray.Infix.(x - Ndarray.like x mean) in
  close "covariance" 0.05 [ 2.; 0.5; 0.5; 1. ] Ndarray.(Linalg.matmul (transpose centred) centred /$ float n);
  let points = Ndarray.of_arrays Dtype.f64 [| [| 1.; -2. |]; [| 2.; -2. |] |] in
  let top = -.log (2. *. pi) -. (log 1.75 /. 2.) in
  close "density" 1e-12 [ top; top -. (0.5 /. 1.75) ] (R.multivariate_gaussian_log_density ~mean ~covariance:scale points);
  close "C++" 1e-12
    [ -1.5965436799882906; -2.804418705897036; 0.5168306122181161; -3.1844764098478873; 1.3854623591820212; -1.3503905142110892 ]
    (R.multivariate_gaussian ~mean ~covariance:scale (Random.key 1) 3);
  let mean = mean_of Dtype.f32 and covariance = scale_of Dtype.f32 in
  let x = R.multivariate_gaussian ~mean ~covariance (Random.key 1) 3 in
  close "C++, f32" 2e-6 [ 1.6350095; -1.569458; 0.75392133; -2.076236; 1.0423629; -0.4616922 ] x;
  close "density, f32" 2e-6 [ -2.2607052; -2.1329472; -3.4518018 ] (R.multivariate_gaussian_log_density ~mean ~covariance x);
  close "none" 0. [] (R.multivariate_gaussian ~mean ~covariance (Random.key 1) 0)

let wishart () =
  let samples = 400 in
  let average draw =
    let sum = ref (Ndarray.fill Dtype.f64 [ 2; 2 ] 0.) in
    for k = 0 to samples - 1 do
      let more = Ndarray.Infix.(!sum + draw (Random.key k)) in
      Ndarray.force more;
      sum := more
    done;
    Ndarray.Infix.(!sum /$ float samples)
  in
  close "mean" 1.2 [ 11.; 2.75; 2.75; 5.5 ] (average (R.wishart ~scale ~degrees:5.5));
  close "mean of inverses" 0.25 [ 0.8; 0.2; 0.2; 0.4 ] (average (R.inverse_wishart ~scale ~degrees:5.5));
  let w = R.wishart ~scale ~degrees:5.5 (Random.key 2) and inverse = R.inverse_wishart ~scale ~degrees:5.5 (Random.key 2) in
  close "C++" 1e-12 [ 6.846765090349143; -2.5113073011901452; -2.5113073011901452; 3.6750144741107946 ] w;
  close "C++, inverse" 1e-12 [ 1.4660626389787776; 0.55081113470738; 0.55081113470738; 0.31773138496868336 ] inverse;
  close "density" 1e-12 [ -7.626455158265681 ] (R.wishart_log_density ~scale ~degrees:5.5 w);
  close "density of the inverse" 1e-12 [ -0.49492096295160604 ] (R.inverse_wishart_log_density ~scale ~degrees:5.5 inverse);
  let scale = scale_of Dtype.f32 in
  close "C++, f32" 1e-5 [ 5.689046; 0.7184846; 0.7184846; 3.68888 ] (R.wishart ~scale ~degrees:5.5 (Random.key 2));
  (* A matrix of one element is the scale times a chi-squared number. *)
  let one x = Ndarray.fill Dtype.f64 [ 1; 1 ] x in
  let chi = Random.log_density "chi_squared" ~parameters:[ Real 3. ] (Seq.of_array Dtype.f64 [| 1.75 |]) in
  close "one element" 1e-12 [ Seq.get chi 0 -. log 2. ] (R.wishart_log_density ~scale:(one 2.) ~degrees:3. (one 3.5))

let others () =
  List.iter
    (fun n ->
      let q = R.orthogonal Dtype.f64 (Random.key 3) n and p = R.permutation Dtype.int (Random.key 4) n in
      close "orthogonal" 1e-12
        (List.init (n * n) (fun k -> if k mod (n + 1) = 0 then 1. else 0.))
        Linalg.(Ndarray.transpose q *@ q);
      check_ints "rows" (Array.make n 1) (Ndarray.sum (Axis 1) p);
      check_ints "columns" (Array.make n 1) (Ndarray.sum (Axis 0) p);
      Check.(check bool) "0 and 1" true (Array.for_all (fun x -> x = 0 || x = 1) (Ndarray.to_array p)))
    [ 1; 2; 17 ];
  close "C++" 1e-12
    [ -0.016529786075439423; -0.8928170594442076; 0.45011605674281174; -0.6669658639363444; 0.34523111502143244; 0.660281768311608;
      0.7449048949469629; 0.2892977282773862; 0.6011850978672024 ]
    (R.orthogonal Dtype.f64 (Random.key 3) 3);
  check_ints "C++" [| 3; 4; 1; 2; 0 |] (Ndarray.argmax 1 (R.permutation Dtype.f32 (Random.key 4) 5));
  let near name x y = if not (Float.abs (x -. y) <= 1e-12) then Check.failf "%s: %.17g" name y in
  near "orthogonal" (-.log (4. *. pi)) (R.orthogonal_log_density 2);
  near "orthogonal, C++" (-5.0620484939385815) (R.orthogonal_log_density 3);
  near "permutation" (-.log 24.) (R.permutation_log_density 4)

let errors () =
  let fails text f =
    match f () with
    | exception Invalid_argument message -> if not (contains text message) then Check.failf "not %S but %s" text message
    | _ -> Check.failf "%s: raised nothing" text
  in
  let wide = Ndarray.fill Dtype.f64 [ 2; 3 ] 1. and key = Random.key 1 in
  fails "Warpfold.Random_matrix.multivariate_gaussian: the mean has shape 3; expected 2 as the covariance" (fun () ->
      R.multivariate_gaussian ~mean:(Seq.of_array Dtype.f64 [| 1.; 2.; 3. |]) ~covariance:scale key 2);
  fails "Warpfold.Random_matrix.wishart: the scale has shape 2 x 3; expected a square matrix" (fun () -> R.wishart ~scale:wide ~degrees:3. key);
  fails "Warpfold.Random_matrix.inverse_wishart: the scale has shape 2 x 3" (fun () -> R.inverse_wishart ~scale:wide ~degrees:3. key);
  fails "Warpfold.Random_matrix.orthogonal: the 1st extent is -1; expected a number that is not negative" (fun () -> R.orthogonal Dtype.f32 key (-1));
  List.iter
    (fun degrees ->
      fails "the degrees of freedom are" (fun () -> R.wishart ~scale ~degrees key);
      fails "for a scale of 2 x 2; expected more than 1" (fun () -> R.inverse_wishart ~scale ~degrees key);
      fails "Warpfold.Random_matrix.wishart_log_density: the degrees of freedom are" (fun () -> R.wishart_log_density ~scale ~degrees scale);
      fails "Warpfold.Random_matrix.inverse_wishart_log_density: " (fun () -> R.inverse_wishart_log_density ~scale ~degrees scale))
    [ 1.; 0.5; -3.; nan ];
  fails "pivot 0" (fun () -> Ndarray.to_array (R.wishart ~scale:Ndarray.(-scale) ~degrees:3. key))

let tests = [ case "gaussian vectors" gaussian; case "wishart" wishart; case "orthogonal, permutation" others; case "errors" errors ]
