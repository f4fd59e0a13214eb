(* Random numbers: what they depend on, parameters, keys, densities. *)

open Warpfold

let n = 20_000

let same_numbers () =
  let key = Random.key 77 in
  let all = Seq.to_list (Random.uniform Dtype.f32 key n) in
  let check name expected s = Alcotest.(check (list (float 0.))) name expected (Seq.to_list s) in
  check "the same key" all (Random.uniform Dtype.f32 (Random.key 77) n);
  check "a part" (List.filteri (fun i _ -> i >= 5 && i < 105) all) (Seq.take 100 (Seq.drop 5 (Random.uniform Dtype.f32 key n)));
  Alcotest.(check bool) "another key" false (all = Seq.to_list (Random.uniform Dtype.f32 (Random.split key 0) n));
  Alcotest.(check bool) "bounds" true (List.for_all (fun x -> x >= 0. && x < 1.) all);
  Alcotest.(check string) "a split key"
    (Unsigned.UInt64.to_string (Scalar.get (Random.split key 3)))
    (Unsigned.UInt64.to_string (List.nth (Seq.to_list (Random.keys key 10)) 3))

let parameters () =
  let key = Random.key 78 in
  let near name mean deviation s =
    let values = Seq.to_list s in
    let found = List.fold_left ( +. ) 0. values /. float (List.length values) in
    let tolerance = 5. *. deviation /. sqrt (float n) in
    Alcotest.(check (float tolerance)) name mean found
  in
  let three = Seq.reduce Expr.( + ) 0. (Seq.of_list Dtype.f64 [ 1.; 2. ]) in
  near "gaussian" 3. 0.5 (Random.gaussian Dtype.f32 ~parameters:[ Int 3; Real 0.5 ] key n);
  near "gaussian of a scalar" 3. 0.5 (Random.gaussian Dtype.f64 ~parameters:[ Scalar three; Real 0.5 ] key n);
  near "gamma" 2. 1.5 (Random.gamma Dtype.f32 ~parameters:[ Real 2. ] key n);
  near "exponential of a sequence" 2. 2. (Random.exponential Dtype.f32 ~parameters:[ Seq (Seq.init n (fun _ -> Expr.f64 0.5)) ] key n);
  near "uniform_int" 4.5 2.9 (Seq.map (Expr.cast Dtype.f64) (Random.uniform_int Dtype.int ~parameters:[ Int 0; Int 10 ] key n));
  Alcotest.check_raises "one parameter"
    (Error (Argument, "Warpfold.Random.uniform: uniform has 1 parameter; expected 0 or 2"))
    (fun () -> ignore (Random.uniform Dtype.f32 ~parameters:[ Int 1 ] key 5))

let densities () =
  let x = Seq.of_list Dtype.f64 [ -1.; 0.; 2. ] in
  Alcotest.(check (float 1e-15)) "log density" (-0.9189385332046727) (List.nth (Seq.to_list (Random.log_density "gaussian" x)) 1);
  Alcotest.(check (list (float 1e-15))) "distribution function" [ 0.; 0.5; 1. ]
    (Seq.to_list (Random.distribution_function "uniform" ~parameters:[ Real (-1.); Int 1 ] x))

let tests =
  [
    Alcotest.test_case "draws depend on the key and the index" `Quick same_numbers;
    Alcotest.test_case "parameters" `Quick parameters;
    Alcotest.test_case "densities" `Quick densities;
  ]
