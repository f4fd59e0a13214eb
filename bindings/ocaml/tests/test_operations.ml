(* Every operation of the library's table has a function in Expr with the same results as plain OCaml. *)

open Warpfold
open Support

(* OCaml's nan is a signalling NaN, which newer C libraries treat specially in pow and hypot. *)
let quiet_nan = infinity -. infinity
let reals = [| -2.5; -1.; -0.5; -0.; 0.; 0.3; 0.5; 1.; 1.5; 2.5; 40.; infinity; neg_infinity; quiet_nan |]

let close expected found =
  compare expected found = 0
  || Float.abs (expected -. found) <= 4. *. Float.abs (Float.succ expected -. expected)
  || expected = found

let check_close name expected found =
  Array.iteri
    (fun i e -> if not (close e found.(i)) then Check.failf "%s, element %d: %h instead of %h" name i found.(i) e)
    expected

let real_unary name (f : Expr.f64 -> Expr.f64) reference =
  ( name,
    fun () -> check_close name (Array.map reference reals) (Seq.to_array (Seq.map f (Seq.of_array Dtype.f64 reals))) )

let pairs values = Array.concat (Array.to_list (Array.map (fun x -> Array.map (fun y -> (x, y)) values) values))

let real_binary name (f : Expr.f64 -> Expr.f64 -> Expr.f64) reference =
  ( name,
    fun () ->
      let xy = pairs reals in
      let found = Seq.map (fun (x, y) -> f x y) (Seq.of_array Dtype.(pair f64 f64) xy) in
      check_close name (Array.map (fun (x, y) -> reference x y) xy) (Seq.to_array found) )

let real_truth name (f : Expr.f64 -> Expr.bool) reference =
  ( name,
    fun () ->
      let found = Seq.to_array (Seq.map f (Seq.of_array Dtype.f64 reals)) in
      Check.(check (array bool)) name (Array.map reference reals) found )

(* A function without a counterpart in OCaml, of literals. *)
let at_one_point name (value : unit -> Expr.f64) expected =
  ( name,
    fun () -> check_close name [| expected |] (Seq.to_array (Seq.map (fun (_ : Expr.f64) -> value ()) (Seq.of_array Dtype.f64 [| 0. |]))) )

let integers = [| Int32.min_int; -7l; -1l; 0l; 1l; 2l; 31l; 33l; 1000003l; Int32.max_int |]

let integer_binary name (f : Expr.i32 -> Expr.i32 -> Expr.i32) reference =
  ( name,
    fun () ->
      let xy = pairs integers in
      let found = Seq.map (fun (x, y) -> f x y) (Seq.of_array Dtype.(pair i32 i32) xy) in
      Check.(check (array int32)) name (Array.map (fun (x, y) -> reference x y) xy) (Seq.to_array found) )

let integer_unary name (f : Expr.i32 -> Expr.i32) reference =
  ( name,
    fun () ->
      let found = Seq.to_array (Seq.map f (Seq.of_array Dtype.i32 integers)) in
      Check.(check (array int32)) name (Array.map reference integers) found )

let integer_truth name (f : Expr.i32 -> Expr.i32 -> Expr.bool) reference =
  ( name,
    fun () ->
      let xy = pairs integers in
      let found = Seq.map (fun (x, y) -> f x y) (Seq.of_array Dtype.(pair i32 i32) xy) in
      Check.(check (array bool)) name (Array.map (fun (x, y) -> reference x y) xy) (Seq.to_array found) )

let count_bits x = List.length (List.filter (fun k -> Int32.(logand (shift_right_logical x k) 1l) = 1l) (List.init 32 Fun.id))
let rec zeros_above x k = if k < 0 || Int32.(logand (shift_right_logical x k) 1l) = 1l then 31 - k else zeros_above x (k - 1)
let shift by x y = by x (Int32.to_int y land 31)

let ignoring_nan choose x y = if Float.is_nan x then y else if Float.is_nan y then x else choose x y
let half_away x = if Float.is_integer x || Float.is_nan x then x else Float.copy_sign (Float.floor (Float.abs x +. 0.5)) x
let sign x = if Float.is_nan x || x = 0. then x else Float.copy_sign 1. x

(* f of a key, the numbers 0, 1, ..., and a stream; the expected words are those of another program. *)
let random_word name (f : Expr.i64 -> Expr.i64 -> Expr.i64 -> Expr.i64) expected =
  let words n = Seq.init n Expr.(fun i -> f (const Dtype.i64 0x1234_5678_9abc_def0L) (cast Dtype.i64 i) (i64 3)) in
  (name, fun () -> Check.(check (list int64)) name expected (Seq.to_list (words (List.length expected))))

let operations =
  List.map (fun (name, f, reference) -> real_unary name f reference)
    [
      ("sign", Expr.sign, sign); ("sqrt", Expr.sqrt, sqrt); ("cbrt", Expr.cbrt, Float.cbrt); ("exp", Expr.exp, exp); ("exp2", Expr.exp2, Float.exp2);
      ("expm1", Expr.expm1, expm1); ("log", Expr.log, log); ("log2", Expr.log2, Float.log2); ("log10", Expr.log10, log10);
      ("log1p", Expr.log1p, log1p); ("sin", Expr.sin, sin); ("cos", Expr.cos, cos); ("tan", Expr.tan, tan); ("asin", Expr.asin, asin);
      ("acos", Expr.acos, acos); ("atan", Expr.atan, atan); ("sinh", Expr.sinh, sinh); ("cosh", Expr.cosh, cosh); ("tanh", Expr.tanh, tanh);
      ("asinh", Expr.asinh, Float.asinh); ("acosh", Expr.acosh, Float.acosh); ("atanh", Expr.atanh, Float.atanh); ("erf", Expr.erf, Float.erf);
      ("erfc", Expr.erfc, Float.erfc); ("floor", Expr.floor, Float.floor); ("ceil", Expr.ceil, Float.ceil); ("round", Expr.round, half_away);
      ("trunc", Expr.trunc, Float.trunc); ("pos", Expr.pos, Fun.id);
    ]
  @ List.map (fun (name, f, expected) -> at_one_point name (fun () -> f (Expr.f64 0.375)) expected)
    [
      ("exp10", Expr.exp10, 2.3713737056616553); ("sinpi", Expr.sinpi, 0.92387953251128676); ("cospi", Expr.cospi, 0.38268343236508977);
      ("sigmoid", Expr.sigmoid, 0.59266659995406976); ("softplus", Expr.softplus, 0.89812326413984004);
      ("log1mexp", Expr.log1mexp, (-1.1624767291801940)); ("logit", Expr.logit, (-0.51082562376599068));
      ("erfinv", Expr.erfinv, 0.34561711478320660); ("erfcinv", Expr.erfcinv, 0.62730734778855896); ("ndtr", Expr.ndtr, 0.64616976667272379);
      ("ndtri", Expr.ndtri, (-0.31863936396437516)); ("lgamma", Expr.lgamma, 0.86307398227064746); ("tgamma", Expr.tgamma, 2.3704361844166009);
      ("digamma", Expr.digamma, (-2.7539990491451396)); ("trigamma", Expr.trigamma, 8.1617776327615079);
      ("lfact", Expr.lfact, (-0.11775527074107877)); ("bessel_j0", Expr.bessel_j0, 0.96515153613281962);
      ("bessel_j1", Expr.bessel_j1, 0.18422335698889762); ("bessel_y0", Expr.bessel_y0, (-0.65180020579325718));
      ("bessel_y1", Expr.bessel_y1, (-1.8833618144505455)); ("bessel_i0", Expr.bessel_i0, 1.0354664501283920);
      ("bessel_i1", Expr.bessel_i1, 0.19081526701982352);
    ]
  @ [
   
    random_word "philox32" Expr.philox32 [ 2084554553L;  2749882994L;  2069793330L;  3232791540L;  2362633795L;  2219467323L;  1317006872L;  1183617180L ];
    random_word "philox64" Expr.philox64 [ -5309504114086855406L;  -4867171316417550591L;  70571268948240053L;  -8967304722065430751L ];
    integer_binary "add" Expr.add Int32.add; integer_binary "sub" Expr.sub Int32.sub; integer_binary "mul" Expr.mul Int32.mul;
    integer_binary "div" Expr.div (fun x y -> if y = 0l then 0l else if y = -1l then Int32.neg x else Int32.div x y);
    integer_binary "rem" Expr.rem (fun x y -> if y = 0l || y = -1l then 0l else Int32.rem x y); integer_binary "min" Expr.min min;
    real_binary "max" Expr.max (ignoring_nan (fun x y -> if y > x then y else x)); integer_unary "neg" Expr.neg Int32.neg;
    integer_unary "abs" Expr.abs Int32.abs; integer_truth "eq" Expr.eq ( = ); integer_truth "ne" Expr.ne ( <> ); integer_truth "lt" Expr.lt ( < );
    integer_truth "le" Expr.le ( <= ); integer_truth "gt" Expr.gt ( > ); integer_truth "ge" Expr.ge ( >= ); integer_binary "and" Expr.and_ Int32.logand;
    integer_binary "or" Expr.or_ Int32.logor; integer_binary "xor" Expr.xor Int32.logxor; integer_unary "not" Expr.not Int32.lognot;
    integer_binary "shl" Expr.shl (shift Int32.shift_left); integer_binary "shr" Expr.shr (shift Int32.shift_right);
    integer_unary "popcount" Expr.popcount (fun x -> Int32.of_int (count_bits x));
    integer_unary "clz" Expr.clz (fun x -> Int32.of_int (zeros_above x 31));
    integer_binary "where" (fun x y -> Expr.(where (x < y) (x + i32 1) y)) (fun x y -> if x < y then Int32.succ x else y);
    real_binary "fma" (fun x y -> Expr.fma x y y) (fun x y -> Float.fma x y y); real_unary "rsqrt" Expr.rsqrt (fun x -> 1. /. sqrt x);
    real_binary "pow" Expr.pow Float.pow; real_binary "hypot" Expr.hypot Float.hypot; real_binary "atan2" Expr.atan2 Float.atan2;
    real_binary "copysign" Expr.copysign Float.copy_sign; real_truth "isnan" Expr.isnan Float.is_nan;
    real_truth "isinf" Expr.isinf (fun x -> Float.abs x = infinity); real_truth "isfinite" Expr.isfinite Float.is_finite;
    integer_unary "rectify" Expr.rectify (fun x -> if x > 0l then x else 0l);
    at_one_point "logaddexp" (fun () -> Expr.(logaddexp (f64 3.500) (f64 2.000))) (3.7014132779827524);
    at_one_point "lchoose" (fun () -> Expr.(lchoose (f64 10.000) (f64 3.000))) (4.7874917427820460);
    at_one_point "lbeta" (fun () -> Expr.(lbeta (f64 3.500) (f64 2.000))) (-2.7568403652716421);
    at_one_point "mvlgamma" (fun () -> Expr.(mvlgamma (f64 3.500) (f64 2.000))) (2.4664857258317196);
    at_one_point "mvdigamma" (fun () -> Expr.(mvdigamma (f64 3.500) (f64 2.000))) (2.0259409757437103);
    at_one_point "gamma_p" (fun () -> Expr.(gamma_p (f64 3.500) (f64 2.000))) (0.22022259152428408);
    at_one_point "gamma_q" (fun () -> Expr.(gamma_q (f64 3.500) (f64 2.000))) (0.77977740847571592);
    at_one_point "ibeta" (fun () -> Expr.(ibeta (f64 2.000) (f64 3.000) (f64 0.250))) (0.26171875000000000);
    at_one_point "polygamma" (fun () -> Expr.(polygamma (f64 1.) (f64 3.5))) 0.330357756100234865;
    at_one_point "mvpolygamma" (fun () -> Expr.(mvpolygamma (f64 0.) (f64 3.5) (f64 2.))) 2.02594097574371033;
    at_one_point "gamma_p_da" (fun () -> Expr.(gamma_p_da (f64 3.5) (f64 2.))) (-0.180100945286444195);
    at_one_point "ibeta_da" (fun () -> Expr.(ibeta_da (f64 2.) (f64 3.) (f64 0.25))) (-0.228053602324346373);
    at_one_point "ibeta_db" (fun () -> Expr.(ibeta_db (f64 2.) (f64 3.) (f64 0.25))) 0.106921530052291388;
  ]

(* The library's table, in order. *)
let table () =
  let rec from k = match Warpfold_raw.op_name k with None -> [] | Some name -> name :: from (k + 1) in
  from 0

let complete () = Check.(check (list string)) "names" (List.sort compare (table ())) (List.sort compare (List.map fst operations))

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
    check_close name (Array.map2 reference a b) (Seq.to_array (Seq.map2 f (Seq.of_array Dtype.f64 a) (Seq.of_array Dtype.f64 b)))
  in
  check "**" Expr.(fun x y -> abs x ** y) (fun x y -> Float.abs x ** y);
  check "precedence" Expr.(fun x y -> x + (y * y ** f64 2. - x / y)) (fun x y -> x +. (y *. y ** 2. -. x /. y));
  check "the host's" Expr.(fun x y -> (x * f64 (3. /. -.64.)) + (y * f64 (1. +. (2. *. 0.5) -. ~-.7.))) (fun x y -> (x *. -0.046875) +. (y *. 9.))

let tests =
  case "operators of floats" real_operators :: case "every operation of the table is here" complete
  :: case "operators" operators
  :: List.map (fun (name, test) -> case name test) operations
