include Item
include Item.Types

let term = Expression.term

(* ---- literals *)

let const_element element x =
  Expression.make element (Term.make (Element.code element) (Literal (Element.literal element x)))

let rec const : type a b. (a, b) Layout.t -> a -> b =
 fun dtype x ->
  match (dtype, x) with
  | Element element, x -> const_element element x
  | Pair (da, db), (a, b) -> (const da a, const db b)
  | Triple (da, db, dc), (a, b, c) -> (const da a, const db b, const dc c)
  | Conv (inner, { of_value; to_term; _ }), x -> to_term (const inner (of_value x))

let least_i32 = Stdlib.Int32.(to_int min_int)
let most_i32 = Stdlib.Int32.(to_int max_int)
let named name f = Call.named "Expr." name f
let bool x = const_element Element.Bool x
let u8 x = named "u8" (fun () -> const_element Element.U8 x)

let i32 x =
  named "i32" (fun () -> const_element Element.I32 (Int32.of_int (Element.checked Element.I32 least_i32 most_i32 x)))

let u32 x = named "u32" (fun () -> const_element Element.U32 x)
let int x = const_element Element.Int x
let i64 x = const_element Element.I64 (Int64.of_int x)

let u64 x =
  named "u64" (fun () -> const_element Element.U64 (Unsigned.UInt64.of_int (Element.checked Element.U64 0 max_int x)))

let f32 x = const_element Element.F32 x
let f64 x = const_element Element.F64 x

(* ---- operations, typed as in the table of operations *)

let same name x operands = Expression.like x (Term.make (term x).code (Apply (name, operands)))
let truth name operands : bool = Expression.make Element.Bool (Term.make (Element.code Bool) (Apply (name, operands)))
let unary name x = same name x [ term x ]
let binary name x y = same name x [ term x; term y ]
let compare name x y = truth name [ term x; term y ]
let add x y = binary "add" x y
let sub x y = binary "sub" x y
let mul x y = binary "mul" x y
let div x y = binary "div" x y
let rem x y = binary "rem" x y
let min x y = binary "min" x y
let max x y = binary "max" x y
let neg x = unary "neg" x
let abs x = unary "abs" x
let sign x = unary "sign" x
let eq x y = compare "eq" x y
let ne x y = compare "ne" x y
let lt x y = compare "lt" x y
let le x y = compare "le" x y
let gt x y = compare "gt" x y
let ge x y = compare "ge" x y
let and_ x y = binary "and" x y
let or_ x y = binary "or" x y
let xor x y = binary "xor" x y
let not x = unary "not" x
let shl x y = binary "shl" x y
let shr x y = binary "shr" x y
let popcount x = unary "popcount" x
let clz x = unary "clz" x
let where c x y = same "where" x [ term c; term x; term y ]
let philox32 x y z = same "philox32" x [ term x; term y; term z ]
let philox64 x y z = same "philox64" x [ term x; term y; term z ]
let draw (type a b) distribution (dtype : (a, b) Layout.t) key number parameters : b =
  let operands = term key :: term number :: List.map term parameters in
  Layout.build dtype (fun code ->
      Term.make code (Apply (String.concat " " [ "draw"; distribution; Element.code_names.(code) ], operands)))

let uniform dtype key number = draw "uniform" dtype key number []
let gaussian dtype key number = draw "gaussian" dtype key number []
let exponential dtype key number = draw "exponential" dtype key number []
let split_key key number : u64 = Expression.like key (term (draw "key" (Layout.Element Element.U64) key number []))
let fma x y z = same "fma" x [ term x; term y; term z ]
let sqrt x = unary "sqrt" x
let rsqrt x = unary "rsqrt" x
let cbrt x = unary "cbrt" x
let exp x = unary "exp" x
let exp2 x = unary "exp2" x
let expm1 x = unary "expm1" x
let log x = unary "log" x
let log2 x = unary "log2" x
let log10 x = unary "log10" x
let log1p x = unary "log1p" x
let pow x y = binary "pow" x y
let hypot x y = binary "hypot" x y
let sin x = unary "sin" x
let cos x = unary "cos" x
let tan x = unary "tan" x
let asin x = unary "asin" x
let acos x = unary "acos" x
let atan x = unary "atan" x
let atan2 x y = binary "atan2" x y
let sinh x = unary "sinh" x
let cosh x = unary "cosh" x
let tanh x = unary "tanh" x
let asinh x = unary "asinh" x
let acosh x = unary "acosh" x
let atanh x = unary "atanh" x
let erf x = unary "erf" x
let erfc x = unary "erfc" x
let floor x = unary "floor" x
let ceil x = unary "ceil" x
let round x = unary "round" x
let trunc x = unary "trunc" x
let copysign x y = binary "copysign" x y
let isnan x = truth "isnan" [ term x ]
let isinf x = truth "isinf" [ term x ]
let isfinite x = truth "isfinite" [ term x ]

let pos x = unary "pos" x
let rectify x = unary "rectify" x
let exp10 x = unary "exp10" x
let sinpi x = unary "sinpi" x
let cospi x = unary "cospi" x
let sigmoid x = unary "sigmoid" x
let softplus x = unary "softplus" x
let log1mexp x = unary "log1mexp" x
let logit x = unary "logit" x
let erfinv x = unary "erfinv" x
let erfcinv x = unary "erfcinv" x
let ndtr x = unary "ndtr" x
let ndtri x = unary "ndtri" x
let lgamma x = unary "lgamma" x
let tgamma x = unary "tgamma" x
let digamma x = unary "digamma" x
let trigamma x = unary "trigamma" x
let lfact x = unary "lfact" x
let bessel_j0 x = unary "bessel_j0" x
let bessel_j1 x = unary "bessel_j1" x
let bessel_y0 x = unary "bessel_y0" x
let bessel_y1 x = unary "bessel_y1" x
let bessel_i0 x = unary "bessel_i0" x
let bessel_i1 x = unary "bessel_i1" x
let logaddexp x y = binary "logaddexp" x y
let lchoose n k = binary "lchoose" n k
let lbeta a b = binary "lbeta" a b
let mvlgamma x p = binary "mvlgamma" x p
let mvdigamma x p = binary "mvdigamma" x p
let gamma_p a x = binary "gamma_p" a x
let gamma_q a x = binary "gamma_q" a x
let ibeta a b x = same "ibeta" a [ term a; term b; term x ]
let polygamma n x = binary "polygamma" n x
let mvpolygamma n x p = same "mvpolygamma" n [ term n; term x; term p ]
let gamma_p_da a x = binary "gamma_p_da" a x
let ibeta_da a b x = same "ibeta_da" a [ term a; term b; term x ]
let ibeta_db a b x = same "ibeta_db" a [ term a; term b; term x ]

let cast (type a b) (dtype : (a, b) Layout.t) x : b =
  Layout.build dtype (fun code -> Term.cast code (term x))

module Infix = struct
  let ( + ) = add
  let ( - ) = sub
  let ( * ) = mul
  let ( / ) = div
  let ( mod ) = rem
  let ( ~- ) = neg
  let ( ~+ ) x = x
  let ( ** ) = pow
  let ( = ) = eq
  let ( <> ) = ne
  let ( < ) = lt
  let ( <= ) = le
  let ( > ) = gt
  let ( >= ) = ge
  let ( && ) = and_
  let ( || ) = or_
  let ( land ) = and_
  let ( lor ) = or_
  let ( lxor ) = xor
  let ( lsl ) = shl
  let ( asr ) = shr
end

(* ---- choices between tuples, loops, captured sequences *)

let rec choose : type a b. (a, b) Layout.t -> bool -> b -> b -> b =
 fun dtype c x y ->
  match (dtype, x, y) with
  | Element _, x, y -> where c x y
  | Pair (da, db), (a, b), (a', b') -> (choose da c a a', choose db c b b')
  | Triple (da, db, dc), (a, b, e), (a', b', e') -> (choose da c a a', choose db c b b', choose dc c e e')
  | Conv (inner, { of_term; to_term; _ }), x, y -> to_term (choose inner c (of_term x) (of_term y))

let loop dtype ~init ~while_ next =
  let initial = Layout.terms dtype init in
  let first = Term.fresh () in
  let variables = Layout.build dtype (Layout.counted (fun index code -> Term.make code (Variable { loop = first; index }))) in
  let condition = term (while_ variables) in
  let next = Layout.terms dtype (next variables) in
  let loop = Term.make (-1) (Loop { first; initial; condition; next }) in
  Layout.build dtype (Layout.counted (fun index code -> Term.make code (Value { loop; index })))

let at (s : _ Node.seq) i = Node.element s (term i)
let value (x : _ Node.scalar) = Node.element x (term (int 0))
let length (s : _ Node.seq) = Expression.make Element.Int (Node.length s)
let ( .%() ) s i = at s i
let pp out x = Format.fprintf out "<%s: %s>" Element.code_names.((term x).code) (Text.outline (term x))

include Infix

let lnot = not
