(* Every operation of the library's table has a function in Expr; their values are those of ../../values.py. Operators, as in plain OCaml. *)

open Warpfold
open Support

let ints s = Test_values.ints (Seq.map (Expr.cast Dtype.int) s)
let millionths s = ints Seq.(map Expr.(fun x -> round (min (max (x * f64 1e6) (f64 (-2e9))) (f64 2e9))) s)
let reals = Seq.of_list Dtype.f64
let a, b, counts = Seq.(of_list Dtype.int [ 7; -7; 0; 1; -1; 12; 1000 ], of_list Dtype.int [ 3; 3; 5; -2; -1; -5; 0 ], of_list Dtype.int [ 3; 3; 5; 2; 1; 5; 0 ])
let x, y = (reals [ 0.5; -0.75; 2.0; -3.5; 0.375; -2.5; 40.0 ], reals [ 2.0; 0.5; -1.0; 3.0; -2.5; 0.25; -0.75 ])
let each results = List.map (fun (name, f) -> ("operation " ^ name, fun () -> results f))
let at x f = millionths (Seq.map f (reals [ x ]))

(* The words of a key with the numbers 0, 1, ..., shifted and as numbers of 31 bits. *)
let words bits f =
  let key = Expr.const Dtype.i64 0x1234_5678_9abc_def0L in
  ints (Seq.init_to Dtype.int 8 Expr.(fun i -> cast Dtype.int ((f key (cast Dtype.i64 i) (i64 3) asr i64 bits) land i64 0x7fff_ffff)))

let operations () =
  each (fun f -> ints (Seq.map f a))
    Expr.[ ("neg", neg); ("abs", abs); ("sign", sign); ("not", Expr.lnot); ("pos", pos); ("popcount", popcount); ("clz", clz); ("rectify", rectify) ]
  @ each (fun f -> ints (Seq.map2 f a b))
      Expr.[
        ("add", add); ("sub", sub); ("mul", mul); ("div", div); ("rem", rem); ("min", min); ("max", max); ("and", and_); ("or", or_); ("xor", xor);
        ("where", fun x y -> where (x < y) (x + int 1) y);
      ]
  @ each (fun f -> ints (Seq.map2 f a counts)) Expr.[ ("shl", shl); ("shr", shr) ]
  @ each (fun f -> ints (Seq.map2 f a b)) Expr.[ ("eq", eq); ("ne", ne); ("lt", lt); ("le", le); ("gt", gt); ("ge", ge) ]
  @ each (fun f -> ints (Seq.map f (reals [ 1.; infinity; nan ]))) Expr.[ ("isnan", isnan); ("isinf", isinf); ("isfinite", isfinite) ]
  @ each (fun f -> millionths (Seq.map f x))
      Expr.[
        ("sqrt", sqrt); ("rsqrt", rsqrt); ("cbrt", cbrt); ("exp2", exp2); ("log2", log2); ("ceil", ceil); ("round", round); ("exp", exp);
        ("expm1", expm1); ("log", log); ("log10", log10); ("log1p", log1p); ("sin", sin); ("cos", cos); ("tan", tan); ("asin", asin); ("acos", acos);
        ("atan", atan); ("sinh", sinh); ("cosh", cosh); ("tanh", tanh); ("asinh", asinh); ("acosh", acosh); ("atanh", atanh); ("erf", erf);
        ("erfc", erfc); ("floor", floor); ("trunc", trunc);
      ]
  @ each (fun f -> millionths (Seq.map2 f x y))
      Expr.[ ("pow", pow); ("hypot", hypot); ("atan2", atan2); ("copysign", copysign); ("fma", fun x y -> fma x y y) ]
  @ each (words 1) [ ("philox32", Expr.philox32) ]
  @ each (words 33) [ ("philox64", Expr.philox64) ]
  @ each (at 0.375)
      Expr.[
        ("exp10", exp10); ("sinpi", sinpi); ("cospi", cospi); ("sigmoid", sigmoid); ("softplus", softplus); ("log1mexp", log1mexp); ("logit", logit);
        ("erfinv", erfinv); ("erfcinv", erfcinv); ("ndtr", ndtr); ("ndtri", ndtri); ("lgamma", lgamma); ("tgamma", tgamma); ("digamma", digamma);
        ("trigamma", trigamma); ("lfact", lfact); ("bessel_j0", bessel_j0); ("bessel_j1", bessel_j1); ("bessel_y0", bessel_y0);
        ("bessel_y1", bessel_y1); ("bessel_i0", bessel_i0); ("bessel_i1", bessel_i1);
      ]
  @ each (fun f -> at 3.5 (fun x -> f x (Expr.f64 2.)))
      Expr.[
        ("logaddexp", logaddexp); ("lchoose", lchoose); ("lbeta", lbeta); ("mvlgamma", mvlgamma); ("mvdigamma", mvdigamma); ("gamma_p", gamma_p);
        ("gamma_q", gamma_q); ("gamma_p_da", gamma_p_da); ("polygamma", fun x _ -> polygamma (f64 1.) x); ("mvpolygamma", mvpolygamma (f64 0.));
      ]
  @ each (fun f -> at 0.25 (f (Expr.f64 2.) (Expr.f64 3.))) Expr.[ ("ibeta", ibeta); ("ibeta_da", ibeta_da); ("ibeta_db", ibeta_db) ]

let complete () =
  let rec from k = match Warpfold_raw.op_name k with None -> [] | Some name -> ("operation " ^ name) :: from (k + 1) in
  Check.(check (list string)) "names" (List.sort compare (from 0)) (List.sort compare (List.map fst (operations ())))

let operators () =
  let check name (f : Expr.int -> Expr.int -> Expr.int) reference =
    let a = noise 100 and b = Array.map (fun x -> x + 3) (noise 100) in
    let found = Seq.map2 f (Seq.of_array Dtype.int a) (Seq.of_array Dtype.int b) in
    check_ints name (Array.map2 reference a b) found
  in
  check "+" Expr.( + ) ( + );
  check "-" Expr.( - ) ( - );
  check "*" Expr.( * ) ( * );
  check "/" Expr.( / ) (fun x y -> if y = 0 then 0 else x / y);
  check "mod" Expr.( mod ) (fun x y -> if y = 0 then 0 else x mod y);
  check "land" Expr.( land ) ( land );
  check "lor" Expr.( lor ) ( lor );
  check "lxor" Expr.( lxor ) ( lxor );
  check "lsl" (fun x _ -> Expr.(x lsl int 3)) (fun x _ -> x lsl 3);
  check "~-" (fun x _ -> Expr.(-x)) (fun x _ -> -x);
  let decide condition = fun x y -> Expr.(where (condition x y) (int 1) (int 0)) in
  check "&&" (decide Expr.(fun x y -> x < y && x > int 0)) (fun x y -> Bool.to_int (x < y && x > 0));
  check "||" (decide Expr.(fun x y -> x <= y || x >= int 0)) (fun x y -> Bool.to_int (x <= y || x >= 0));
  check "=" (decide Expr.(fun x y -> x = y || x <> int 5)) (fun x y -> Bool.to_int (x = y || x <> 5));
  check "asr" (fun x _ -> Expr.(x asr int 3)) (fun x _ -> x asr 3);
  check "lnot" (fun x _ -> Expr.(lnot x)) (fun x _ -> lnot x);
  check "~+" (fun x _ -> Expr.(+x)) (fun x _ -> x);
  check "not" (decide Expr.(fun x y -> not (x < y))) (fun x y -> Bool.to_int (not (x < y)))

let real_operators () =
  let check name (f : Expr.f64 -> Expr.f64 -> Expr.f64) reference =
    let a = Array.map float (noise 100) and b = Array.init 100 (fun i -> float (i + 1) /. 8.) in
    let near = Check.(array (testable (fun out -> Format.fprintf out "%h") (fun x y -> Float.abs (x -. y) <= 1e-12 *. Float.abs x))) in
    Check.check near name (Array.map2 reference a b) (Seq.to_array (Seq.map2 f (Seq.of_array Dtype.f64 a) (Seq.of_array Dtype.f64 b)))
  in
  check "**" Expr.(fun x y -> abs x ** y) (fun x y -> Float.abs x ** y);
  check "precedence" Expr.(fun x y -> x + (y * y ** f64 2. - x / y)) (fun x y -> x +. (y *. y ** 2. -. x /. y));
  check "the host's" Expr.(fun x y -> (x * f64 (3. /. -.64.)) + (y * f64 (1. +. (2. *. 0.5) -. ~-.7.))) (fun x y -> (x *. -0.046875) +. (y *. 9.))

let tests =
  [ case "operators of floats" real_operators; case "every operation of the table is here" complete; case "operators" operators ]
  @ Test_values.(if Sys.file_exists script then tests_of operations [ () ] else [])
