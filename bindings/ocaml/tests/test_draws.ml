(* Random numbers: what they depend on, parameters, keys, densities. *)

open Warpfold

let n = 20_000

let same_numbers () =
  let key = Random.key 77 in
  let all = Seq.to_list (Random.uniform Dtype.f32 key n) in
  let check name expected s = Check.(check (list (float 0.))) name expected (Seq.to_list s) in
  check "the same key" all (Random.uniform Dtype.f32 (Random.key 77) n);
  check "a part" (List.filteri (fun i _ -> i >= 5 && i < 105) all) (Seq.take 100 (Seq.drop 5 (Random.uniform Dtype.f32 key n)));
  Check.(check bool) "another key" false (all = Seq.to_list (Random.uniform Dtype.f32 (Random.split key 0) n));
  Check.(check bool) "bounds" true (List.for_all (fun x -> x >= 0. && x < 1.) all);
  Check.(check string) "a split key"
    (Unsigned.UInt64.to_string (Scalar.get (Random.split key 3)))
    (Unsigned.UInt64.to_string (List.nth (Seq.to_list (Random.keys key 10)) 3))

let parameters () =
  let key = Random.key 78 in
  let same name s t = Check.(check (list (float 0.))) name (Seq.to_list s) (Seq.to_list t) in
  same "the defaults" (Random.gaussian Dtype.f32 key n) (Random.gaussian Dtype.f32 ~parameters:[ Int 0; Real 1. ] key n);
  Check.check_raises "one parameter"
    (Error (Argument, "Warpfold.Random.uniform: uniform has 1 parameter; expected 0 or 2"))
    (fun () -> ignore (Random.uniform Dtype.f32 ~parameters:[ Int 1 ] key 5))

let densities () =
  let x = Seq.of_list Dtype.f64 [ -1.; 0.; 2. ] in
  Check.(check (float 1e-15)) "log density" (-0.9189385332046727) (List.nth (Seq.to_list (Random.log_density "gaussian" x)) 1);
  Check.(check (list (float 1e-15))) "distribution function" [ 0.; 0.5; 1. ]
    (Seq.to_list (Random.distribution_function "uniform" ~parameters:[ Real (-1.); Int 1 ] x))

(* Parameters of every kind give the same draws. *)
let kinds_of_parameters () =
  let key = Random.key 79 in
  let reals name s expected = Check.(check (list (float 0.))) name (Seq.to_list expected) (Seq.to_list s) in
  let mean = Seq.reduce Expr.( + ) 0. (Seq.of_list Dtype.f64 [ 1.; 2. ]) and means = Seq.init n (fun _ -> Expr.f64 3.) in
  let gaussian mean = Random.gaussian Dtype.f64 ~parameters:[ mean; Int 2 ] key n in
  reals "a scalar" (gaussian (Scalar mean)) (gaussian (Real 3.));
  reals "a sequence" (gaussian (Seq means)) (gaussian (Int 3));
  let x = gaussian (Int 3) in
  let density mean = Random.log_density "gaussian" ~parameters:[ mean; Real 2. ] x in
  reals "a density by a scalar" (density (Scalar mean)) (density (Int 3));
  reals "a density by a sequence" (density (Seq means)) (density (Int 3))

let several_at_once () =
  let key = Random.key 80 in
  let sorted s = List.sort compare (Seq.to_list s) in
  Check.(check (list int)) "permutation" (List.init 1000 Fun.id) (sorted (Random.permutation Dtype.int key 1000));
  let s = Seq.init 1000 (fun i -> Expr.(i * i)) in
  let chosen = Seq.to_list (Random.sample key s 100) in
  Check.(check int) "different" 100 (List.length (List.sort_uniq compare chosen));
  Check.(check bool) "elements of the sequence" true (List.for_all (fun x -> List.mem x (Seq.to_list s)) chosen);
  Check.(check (list int)) "all of them" (Seq.to_list s) (sorted (Random.sample key s 1000));
  (match Random.sample key s 1001 with _ -> Check.fail "sampled too many" | exception Invalid_argument _ -> ());
  let weights = Random.Seq (Seq.of_list Dtype.f64 [ 1.; 0.; 3. ]) in
  let counts = Array.make 3 0 in
  List.iter (fun k -> counts.(k) <- counts.(k) + 1) (Seq.to_list (Random.categorical Dtype.int ~parameters:[ weights ] key n));
  Check.(check int) "weight 0" 0 counts.(1);
  Check.(check (float 0.02)) "weight 1 of 4" 0.25 (float counts.(0) /. float n);
  let rows = Random.dirichlet Dtype.f64 ~parameters:[ weights ] key 300 in
  Check.(check int) "a density per row" 100 (Seq.length (Random.log_density "dirichlet" ~parameters:[ weights ] rows));
  let order = Seq.of_list Dtype.f64 [ 4.; 1. ] in
  let density parameters = Seq.to_list (Random.log_density "permutation" ~parameters order) in
  Check.(check (list (float 1e-14))) "a sample" [ -.log 20. ] (density [ Real 5. ]);
  Check.(check (list (float 0.))) "no permutation" [ neg_infinity ] (density []);
  List.iteri (fun k x -> if k mod 3 = 1 then Check.(check bool) "shape 0" true (x = 0. || Float.is_nan x)) (Seq.to_list rows);
  let categories = Seq.of_list Dtype.f64 [ 0.; 1.; 2. ] in
  Check.(check (list (float 1e-15))) "categories" [ 0.25; 0.25; 1. ]
    (Seq.to_list (Random.distribution_function "categorical" ~parameters:[ weights ] categories))

let errors () =
  let key = Random.key 82 in
  let fails name f = Support.names_itself ("Random." ^ name) f in
  fails "uniform" (fun () -> ignore (Random.uniform Dtype.f64 key (-1)));
  fails "permutation" (fun () -> ignore (Random.permutation Dtype.int key (-1)));
  fails "keys" (fun () -> ignore (Random.keys key (-1)));
  fails "sample" (fun () -> ignore (Random.sample key (Seq.iota 3) 4));
  fails "sample" (fun () -> ignore (Random.sample key (Seq.iota 3) (-1)))

(* Inside functions: the elements of the sequences. *)
let functions_draw () =
  let key = Random.key 81 in
  let same name s expected = Check.(check bool) name true (Seq.to_list s = Seq.to_list expected) in
  let each f = Seq.init n (fun i -> f Expr.(value key) i) in
  same "uniform" (each (Expr.uniform Dtype.f32)) (Random.uniform Dtype.f32 key n);
  same "gaussian" (each (Expr.gaussian Dtype.f64)) (Random.gaussian Dtype.f64 key n);
  same "exponential" (each (Expr.exponential Dtype.f32)) (Random.exponential Dtype.f32 key n);
  same "poisson"
    (each (fun key i -> Expr.(draw "poisson" Dtype.int key i [ f64 30. ])))
    (Random.poisson Dtype.int ~parameters:[ Int 30 ] key n);
  same "keys" (each Expr.split_key) (Random.keys key n);
  let walk i =
    let open Expr in
    let key = split_key (value key) i in
    fst (loop Dtype.(pair f64 int) ~init:(f64 0., int 0) ~while_:(fun (_, k) -> k < int 5)
           (fun (x, k) -> (x + gaussian Dtype.f64 key k, k + int 1)))
  in
  let sum i = List.fold_left ( +. ) 0. (Seq.to_list (Random.gaussian Dtype.f64 (Random.split key i) 5)) in
  Check.(check (list (float 0.))) "walks" (List.init 10 sum) (Seq.to_list (Seq.init 10 walk))

let tests =
  [
    Support.case "draws depend on the key and the index" same_numbers; Support.case "parameters" parameters;
    Support.case "densities" densities; Support.case "kinds of parameters" kinds_of_parameters;
    Support.case "several at once" several_at_once; Support.case "functions draw" functions_draw; Support.case "errors" errors;
  ]
