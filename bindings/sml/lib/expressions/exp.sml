structure Exp =
struct
  open Trace
  type 'a t = 'a exp

  datatype scalar = datatype Type.scalar
  type operation = {name : string, on : Type.scalar list, kind : string}

  val integers = [U8, I32, U32, I64, U64]
  val floats = [F32, F64]
  val numbers = integers @ floats
  val discrete = Bool :: integers
  val scalars = Bool :: numbers
  fun number name = {name = name, on = numbers, kind = "numbers"}
  fun integer name = {name = name, on = integers, kind = "integers"}
  fun float name = {name = name, on = floats, kind = "floating-point numbers"}
  fun bits name = {name = name, on = discrete, kind = "integers and bools"}
  fun any name = {name = name, on = scalars, kind = "scalars"}

  fun wrong (name, what, kind, ty) =
    raise Warpfold.Warpfold
      {code = Warpfold.Type,
       message = "`" ^ name ^ "` has " ^ what ^ " of type " ^ Type.name ty ^ "; expected " ^ kind ^ ": Exp.cast converts numbers"}
  fun operand ({name, on, kind} : operation) (E (ty, nodes)) =
    case nodes of
      [node] => if List.exists (fn s => s = Term.scalar node) on then node else wrong (name, "an operand", kind, ty)
    | _ => wrong (name, "an operand", kind, ty)

  (* The result of an operation has the type of its operands; the result of a test is a bool. *)
  fun apply (operation : operation) operands ty scalar =
    E (ty, [Term.apply (scalar, #name operation, List.map (operand operation) operands)])
  fun same operation (operands as E (ty, nodes) :: _) = apply operation operands ty (Term.scalar (List.hd nodes))
    | same _ [] = raise Match
  fun test operation operands = apply operation operands Type.bool Bool

  fun int i = const Type.int i
  fun real x = const Type.real x
  fun bool b = const Type.bool b
  fun int64 i = const Type.int64 i
  val (I, R, B) = (int, real, bool)

  (* The integer i as a literal of x's type. *)
  fun like (E (ty, nodes)) i =
    let val scalar = Term.scalar (List.hd nodes)
    in E (ty, [Term.literal (scalar, Int.toString i ^ ":" ^ Type.scalarName scalar)]) end

  fun cast ty x =
    case Type.scalars ty of
      [scalar] => E (ty, [convert (scalar, operand (any "cast") x)])
    | _ => wrong ("cast", "a result", "scalars", ty)

  fun element (Rep.Seq {cell, ty, ...}, index) =
    let fun column (scalar, (k, nodes)) = (k + 1, Term.at (scalar, cell, k, index) :: nodes)
    in E (ty, List.rev (#2 (List.foldl column (0, []) (Type.scalars ty)))) end
  fun scalar (Rep.Scalar s) = element (s, Term.literal (I64, "0:i64"))
  fun at (s, i) = element (s, operand (integer "at") i)
  fun length (Rep.Seq {cell, ...}) = E (Type.int, [convert (List.hd (Type.scalars Type.int), Term.length cell)])

  (* From here on, these names are the functions of this structure. *)
  nonfix + - * / < <= > >= <> div mod

  fun andb (x, y) = same (bits "and") [x, y]
  fun orb (x, y) = same (bits "or") [x, y]
  fun xorb (x, y) = same (bits "xor") [x, y]
  fun notb x = same (bits "not") [x]
  fun << (x, y) = same (integer "shl") [x, y]
  fun >> (x, y) = same (integer "shr") [x, y]
  fun popcount x = same (integer "popcount") [x]
  fun clz x = same (integer "clz") [x]
  fun philox32 (key, number, stream) = same (integer "philox32") [key, number, stream]
  fun philox64 (key, number, stream) = same (integer "philox64") [key, number, stream]
  fun draw distribution ty (key : Word64.word t, number : int t) parameters =
    case Type.scalars ty of
      [scalar] =>
        E (ty, [Term.apply (scalar, "draw " ^ distribution ^ " " ^ Type.scalarName scalar,
                            operand (integer "draw") key :: operand (integer "draw") number :: List.map (operand (any "draw")) parameters)])
    | _ => wrong ("draw", "a result", "scalars", ty)
  fun drawReal distribution ty (key, number) = draw distribution ty (key, number) ([] : real t list)
  fun uniform ty = drawReal "uniform" ty
  fun gaussian ty = drawReal "gaussian" ty
  fun exponential ty = drawReal "exponential" ty
  fun splitKey (key, number) = draw "key" Type.word64 (key, number) ([] : real t list)
  fun && (x : bool t, y : bool t) = andb (x, y)
  fun || (x : bool t, y : bool t) = orb (x, y)
  fun not (x : bool t) = notb x

  fun cond (c : bool t, E (ty, xs), E (other, ys)) =
    let
      val () = Type.checkValues ("Exp.cond", ty, other)
      val condition = List.hd (nodes c)
    in
      E (ty, ListPair.map (fn (x, y) => Term.apply (Term.scalar x, "where", [condition, x, y])) (xs, ys))
    end

  fun == (x, y) = test (any "eq") [x, y]
  fun <> (x, y) = test (any "ne") [x, y]
  fun < (x, y) = test (any "lt") [x, y]
  fun <= (x, y) = test (any "le") [x, y]
  fun > (x, y) = test (any "gt") [x, y]
  fun >= (x, y) = test (any "ge") [x, y]
  fun min (x, y) = same (any "min") [x, y]
  fun max (x, y) = same (any "max") [x, y]

  fun + (x, y) = same (number "add") [x, y]
  fun - (x, y) = same (number "sub") [x, y]
  fun * (x, y) = same (number "mul") [x, y]
  fun ~ x = same (number "neg") [x]
  fun abs x = same (number "abs") [x]
  fun sign x = same (number "sign") [x]
  fun rem (x, y) = same (number "rem") [x, y]
  fun / (x, y) = same {name = "div", on = floats, kind = "floating-point numbers (Exp.div and Exp.quot divide integers)"} [x, y]
  fun quot (x, y) = same (integer "div") [x, y]

  (* Returns true if the remainder has the wrong sign. *)
  fun isOff (r, y) = && (<> (r, like r 0), <> (< (r, like r 0), < (y, like y 0)))
  fun mod (x, y) = let val r = rem (x, y) in cond (isOff (r, y), + (r, y), r) end
  fun div (x, y) =
    let val (q, r) = (quot (x, y), rem (x, y))
    in cond (isOff (r, y), - (q, like q 1), q) end

  fun fma (x, y, z) = same (float "fma") [x, y, z]
  fun sqrt x = same (float "sqrt") [x]
  fun rsqrt x = same (float "rsqrt") [x]
  fun cbrt x = same (float "cbrt") [x]
  fun exp x = same (float "exp") [x]
  fun exp2 x = same (float "exp2") [x]
  fun expm1 x = same (float "expm1") [x]
  fun log x = same (float "log") [x]
  fun log2 x = same (float "log2") [x]
  fun log10 x = same (float "log10") [x]
  fun log1p x = same (float "log1p") [x]
  fun pow (x, y) = same (float "pow") [x, y]
  fun hypot (x, y) = same (float "hypot") [x, y]
  fun sin x = same (float "sin") [x]
  fun cos x = same (float "cos") [x]
  fun tan x = same (float "tan") [x]
  fun asin x = same (float "asin") [x]
  fun acos x = same (float "acos") [x]
  fun atan x = same (float "atan") [x]
  fun atan2 (x, y) = same (float "atan2") [x, y]
  fun sinh x = same (float "sinh") [x]
  fun cosh x = same (float "cosh") [x]
  fun tanh x = same (float "tanh") [x]
  fun asinh x = same (float "asinh") [x]
  fun acosh x = same (float "acosh") [x]
  fun atanh x = same (float "atanh") [x]
  fun erf x = same (float "erf") [x]
  fun erfc x = same (float "erfc") [x]
  fun floor x = same (float "floor") [x]
  fun ceil x = same (float "ceil") [x]
  fun round x = same (float "round") [x]
  fun trunc x = same (float "trunc") [x]
  fun copysign (x, y) = same (float "copysign") [x, y]
  fun isnan x = test (float "isnan") [x]
  fun isinf x = test (float "isinf") [x]
  fun isfinite x = test (float "isfinite") [x]

  fun pos x = same (number "pos") [x]
  fun rectify x = same (number "rectify") [x]
  fun exp10 x = same (float "exp10") [x]
  fun sinpi x = same (float "sinpi") [x]
  fun cospi x = same (float "cospi") [x]
  fun sigmoid x = same (float "sigmoid") [x]
  fun softplus x = same (float "softplus") [x]
  fun log1mexp x = same (float "log1mexp") [x]
  fun logit x = same (float "logit") [x]
  fun erfinv x = same (float "erfinv") [x]
  fun erfcinv x = same (float "erfcinv") [x]
  fun ndtr x = same (float "ndtr") [x]
  fun ndtri x = same (float "ndtri") [x]
  fun lgamma x = same (float "lgamma") [x]
  fun tgamma x = same (float "tgamma") [x]
  fun digamma x = same (float "digamma") [x]
  fun trigamma x = same (float "trigamma") [x]
  fun lfact x = same (float "lfact") [x]
  fun bessel_j0 x = same (float "bessel_j0") [x]
  fun bessel_j1 x = same (float "bessel_j1") [x]
  fun bessel_y0 x = same (float "bessel_y0") [x]
  fun bessel_y1 x = same (float "bessel_y1") [x]
  fun bessel_i0 x = same (float "bessel_i0") [x]
  fun bessel_i1 x = same (float "bessel_i1") [x]
  fun logaddexp (x, y) = same (float "logaddexp") [x, y]
  fun lchoose (n, k) = same (float "lchoose") [n, k]
  fun lbeta (a, b) = same (float "lbeta") [a, b]
  fun mvlgamma (x, p) = same (float "mvlgamma") [x, p]
  fun mvdigamma (x, p) = same (float "mvdigamma") [x, p]
  fun gamma_p (a, x) = same (float "gamma_p") [a, x]
  fun gamma_q (a, x) = same (float "gamma_q") [a, x]
  fun ibeta (a, b, x) = same (float "ibeta") [a, b, x]
  fun polygamma (n, x) = same (float "polygamma") [n, x]
  fun mvpolygamma (n, x, p) = same (float "mvpolygamma") [n, x, p]
  fun gamma_p_da (a, x) = same (float "gamma_p_da") [a, x]
  fun ibeta_da (a, b, x) = same (float "ibeta_da") [a, b, x]
  fun ibeta_db (a, b, x) = same (float "ibeta_db") [a, b, x]

  structure Infix =
  struct
    val (I, R, B) = (I, R, B)
    val (+, -, *, /, ~, div, mod) = (+, -, *, /, ~, div, mod)
    val (<, <=, >, >=, ==, <>, &&, ||) = (<, <=, >, >=, ==, <>, &&, ||)
  end

  fun view ty (E (other, nodes)) =
    if Type.scalars ty = Type.scalars other then (Type.checkValues ("Exp.view", ty, other); E (ty, nodes))
    else
      raise Warpfold.failed
        (Warpfold.Type, "Exp.view: the value has type " ^ Type.name other ^ "; expected the columns of " ^ Type.name ty)

  (* The width of a component's type is its number of columns. *)
  fun pair (E (a, xs), E (b, ys)) = E (Type.pair (a, b), xs @ ys)
  fun triple (E (a, xs), E (b, ys), E (c, zs)) = E (Type.triple (a, b, c), xs @ ys @ zs)
  fun quadruple (E (a, ws), E (b, xs), E (c, ys), E (d, zs)) = E (Type.quadruple (a, b, c, d), ws @ xs @ ys @ zs)

  (* Each component takes its columns from the remaining nodes. *)
  fun part (ty, nodes) = (E (ty, List.take (nodes, Type.width ty)), List.drop (nodes, Type.width ty))
  fun unpair (E (ty, nodes)) =
    let
      val (a, b) = Type.unpair ty
      val (x, nodes) = part (a, nodes)
    in
      (x, E (b, nodes))
    end
  fun untriple (E (ty, nodes)) =
    let
      val (a, b, c) = Type.untriple ty
      val (x, nodes) = part (a, nodes)
      val (y, nodes) = part (b, nodes)
    in
      (x, y, E (c, nodes))
    end
  fun unquadruple (E (ty, nodes)) =
    let
      val (a, b, c, d) = Type.unquadruple ty
      val (w, nodes) = part (a, nodes)
      val (x, nodes) = part (b, nodes)
      val (y, nodes) = part (c, nodes)
    in
      (w, x, y, E (d, nodes))
    end

  fun loop {start = E (ty, starts), continue, next} =
    let
      fun after variables =
        let val E (other, nodes) = next (E (ty, variables))
        in Type.checkValues ("Exp.loop", ty, other); nodes end
    in
      E (ty, Term.loop (starts, fn variables => List.hd (nodes (continue (E (ty, variables)))), after))
    end
end
