(* Expressions: the values in lambdas for the library. An 'a Exp.t represents a value of type 'a that exists only when the sequence is
   computed. The library calls the lambda once, at the call of Seq.map or another function, and records the operations on its
   argument:

       Seq.map (fn x => Exp.+ (x, x)) s
       let open Exp in Seq.map (fn x => cond (x < int 0, ~ x, int 2 * x)) s end

   An Exp belongs to the lambda that made it; its use elsewhere raises Warpfold Argument. Operations that do not apply to their
   operands' element type (sqrt of an int, + of pairs) raise Warpfold Type. Operations mean the same on every engine, and none
   raises an exception when it runs: ints wrap, and a quotient by zero is 0. *)
signature EXP =
sig
  type 'a t

  (* ---- values from outside of the lambda *)

  val int : int -> int t
  val real : real -> real t
  val bool : bool -> bool t
  val int64 : Int64.int -> Int64.int t
  (* Short names of int, real, bool: I 2, R 2.0, B true. *)
  val I : int -> int t
  val R : real -> real t
  val B : bool -> bool t
  val const : 'a Type.t -> 'a -> 'a t
  (* An element of a captured sequence. If an index is outside, computing the result raises Subscript, unless a `cond` (or && or ||) does not
     evaluate the element. *)
  val at : 'a Seq.seq * int t -> 'a t
  val length : 'a Seq.seq -> int t
  (* A captured lazy scalar, such as a key of Random. *)
  val scalar : 'a Scalar.t -> 'a t

  (* ---- arithmetic, on all numbers *)

  val + : 'a t * 'a t -> 'a t
  val - : 'a t * 'a t -> 'a t
  val * : 'a t * 'a t -> 'a t
  val ~ : 'a t -> 'a t
  val abs : 'a t -> 'a t
  val sign : 'a t -> 'a t  (* ~1, 0 or 1 *)
  val rem : 'a t * 'a t -> 'a t  (* has the sign of the first operand *)
  val / : 'a t * 'a t -> 'a t    (* of floating-point numbers *)
  (* As in the Basis: div and quot are of integers and round down and towards 0; mod, of all numbers, has the sign of the divisor. *)
  val div : 'a t * 'a t -> 'a t
  val mod : 'a t * 'a t -> 'a t
  val quot : 'a t * 'a t -> 'a t

  (* ---- comparisons, on all scalars; min and max of a nan and a number are the number *)

  val == : 'a t * 'a t -> bool t
  val <> : 'a t * 'a t -> bool t
  val < : 'a t * 'a t -> bool t
  val <= : 'a t * 'a t -> bool t
  val > : 'a t * 'a t -> bool t
  val >= : 'a t * 'a t -> bool t
  val min : 'a t * 'a t -> 'a t
  val max : 'a t * 'a t -> 'a t

  (* ---- logic and choice. && and || evaluate the right operand only if the left one does not decide the result, as andalso and
     orelse do: the left one can guard an index, as in i < length s && at (s, i) > I 0. *)

  val && : bool t * bool t -> bool t
  val || : bool t * bool t -> bool t
  val not : bool t -> bool t
  (* cond (c, a, b): a if c is true, else b. Also of tuples. *)
  val cond : bool t * 'a t * 'a t -> 'a t

  (* ---- bits, on integers and bools; shifts on integers, with the count modulo the width; >> copies the sign of a signed number *)

  val andb : 'a t * 'a t -> 'a t
  val orb : 'a t * 'a t -> 'a t
  val xorb : 'a t * 'a t -> 'a t
  val notb : 'a t -> 'a t
  val << : 'a t * 'a t -> 'a t
  val >> : 'a t * 'a t -> 'a t
  val popcount : 'a t -> 'a t
  val clz : 'a t -> 'a t
  (* philox32 (key, number, stream): the random word of 32 or 64 bits with this number in a stream of numbers, of all streams that belong to a key.
     The key is taken modulo 2^64, and the word modulo the width of the type. Streams from 2^61 on are reserved; Random has distributions. *)
  val philox32 : 'a t * 'a t * 'a t -> 'a t
  val philox64 : 'a t * 'a t * 'a t -> 'a t

  (* ---- random numbers *)

  (* draw "poisson" Type.int (key, i) [mean] is element i of the sequence Random.poisson Type.int with these parameters and this key: loops draw
     as many numbers as they need. value key is a captured key of Random, splitKey (key, i) one of the keys that a key splits into.
     All distributions of Random can be drawn, but dirichlet, permutation and categorical. *)
  val draw : string -> 'a Type.t -> Word64.word t * int t -> 'b t list -> 'a t
  val uniform : 'a Type.t -> Word64.word t * int t -> 'a t      (* in [0, 1) *)
  val gaussian : 'a Type.t -> Word64.word t * int t -> 'a t     (* mean 0 and deviation 1 *)
  val exponential : 'a Type.t -> Word64.word t * int t -> 'a t  (* rate 1 *)
  val splitKey : Word64.word t * int t -> Word64.word t

  (* ---- functions of floating-point numbers *)

  val fma : 'a t * 'a t * 'a t -> 'a t  (* the first times the second, plus the third, rounded once *)
  val sqrt : 'a t -> 'a t
  val rsqrt : 'a t -> 'a t
  val cbrt : 'a t -> 'a t
  val exp : 'a t -> 'a t
  val exp2 : 'a t -> 'a t
  val expm1 : 'a t -> 'a t
  val log : 'a t -> 'a t
  val log2 : 'a t -> 'a t
  val log10 : 'a t -> 'a t
  val log1p : 'a t -> 'a t
  val pow : 'a t * 'a t -> 'a t
  val hypot : 'a t * 'a t -> 'a t
  val sin : 'a t -> 'a t
  val cos : 'a t -> 'a t
  val tan : 'a t -> 'a t
  val asin : 'a t -> 'a t
  val acos : 'a t -> 'a t
  val atan : 'a t -> 'a t
  val atan2 : 'a t * 'a t -> 'a t
  val sinh : 'a t -> 'a t
  val cosh : 'a t -> 'a t
  val tanh : 'a t -> 'a t
  val asinh : 'a t -> 'a t
  val acosh : 'a t -> 'a t
  val atanh : 'a t -> 'a t
  val erf : 'a t -> 'a t
  val erfc : 'a t -> 'a t
  (* The results are floating-point numbers; round rounds halves away from zero. *)
  val floor : 'a t -> 'a t
  val ceil : 'a t -> 'a t
  val round : 'a t -> 'a t
  val trunc : 'a t -> 'a t
  val copysign : 'a t * 'a t -> 'a t
  val isnan : 'a t -> bool t
  val isinf : 'a t -> bool t
  val isfinite : 'a t -> bool t
  val pos : 'a t -> 'a t
  val rectify : 'a t -> 'a t  (* the greater of x and 0 *)
  (* Special functions. Those of several operands take them in the order of their usual notation: gamma_p (a, x), ibeta (a, b, x). *)
  val exp10 : 'a t -> 'a t  (* 10 to the power of x *)
  val sinpi : 'a t -> 'a t  (* sin(pi x) *)
  val cospi : 'a t -> 'a t  (* cos(pi x) *)
  val sigmoid : 'a t -> 'a t  (* 1 / (1 + exp(-x)) *)
  val softplus : 'a t -> 'a t  (* log(1 + exp(x)) *)
  val log1mexp : 'a t -> 'a t  (* log(1 - exp(-x)) for x >= 0 *)
  val logit : 'a t -> 'a t  (* log(x / (1 - x)) *)
  val erfinv : 'a t -> 'a t  (* The inverse of erf *)
  val erfcinv : 'a t -> 'a t  (* The inverse of erfc *)
  val ndtr : 'a t -> 'a t  (* The distribution function of the standard normal distribution *)
  val ndtri : 'a t -> 'a t  (* The inverse of ndtr *)
  val lgamma : 'a t -> 'a t  (* log |gamma(x)| *)
  val tgamma : 'a t -> 'a t  (* The gamma function *)
  val digamma : 'a t -> 'a t  (* The derivative of lgamma *)
  val trigamma : 'a t -> 'a t  (* The derivative of digamma *)
  val lfact : 'a t -> 'a t  (* log |gamma(1 + x)|, the logarithm of x factorial *)
  val bessel_j0 : 'a t -> 'a t  (* The Bessel function of the first kind of order 0 *)
  val bessel_j1 : 'a t -> 'a t  (* The Bessel function of the first kind of order 1 *)
  val bessel_y0 : 'a t -> 'a t  (* The Bessel function of the second kind of order 0 *)
  val bessel_y1 : 'a t -> 'a t  (* The Bessel function of the second kind of order 1 *)
  val bessel_i0 : 'a t -> 'a t  (* The modified Bessel function of the first kind of order 0 *)
  val bessel_i1 : 'a t -> 'a t  (* The modified Bessel function of the first kind of order 1 *)
  val logaddexp : 'a t * 'a t -> 'a t  (* of (x, y): log(exp(x) + exp(y)) *)
  val lchoose : 'a t * 'a t -> 'a t  (* of (n, k): The logarithm of the binomial coefficient *)
  val lbeta : 'a t * 'a t -> 'a t  (* of (a, b): The logarithm of the beta function *)
  val mvlgamma : 'a t * 'a t -> 'a t  (* of (x, p): The logarithm of the multivariate gamma function of dimension p *)
  val mvdigamma : 'a t * 'a t -> 'a t  (* of (x, p): The derivative of mvlgamma with respect to x *)
  val gamma_p : 'a t * 'a t -> 'a t  (* of (a, x): The regularized lower incomplete gamma function P(a, x) *)
  val gamma_q : 'a t * 'a t -> 'a t  (* of (a, x): The regularized upper incomplete gamma function, 1 - P(a, x) *)
  val ibeta : 'a t * 'a t * 'a t -> 'a t  (* of (a, b, x): The regularized incomplete beta function *)
  val polygamma : 'a t * 'a t -> 'a t  (* of (n, x): The derivative of order n of digamma, for whole numbers n *)
  val mvpolygamma : 'a t * 'a t * 'a t -> 'a t  (* of (n, x, p): The derivative of order n of mvdigamma *)
  val gamma_p_da : 'a t * 'a t -> 'a t  (* of (a, x): The derivative of gamma_p with respect to a *)
  val ibeta_da : 'a t * 'a t * 'a t -> 'a t  (* of (a, b, x): The derivative of ibeta with respect to a *)
  val ibeta_db : 'a t * 'a t * 'a t -> 'a t  (* of (a, b, x): The derivative of ibeta with respect to b *)

  (* ---- operators alone

     let open Exp.Infix in x * x + R 1.0 end: this hides only the operators of the Basis, which are Int.+, Real.* and so on there.
     A program that writes == && || << >> as infix operators declares them first:
         infix 5 << >>  infix 4 ==  infix 3 &&  infix 2 || *)
  structure Infix :
    sig
      val I : int -> int t
      val R : real -> real t
      val B : bool -> bool t
      val + : 'a t * 'a t -> 'a t
      val - : 'a t * 'a t -> 'a t
      val * : 'a t * 'a t -> 'a t
      val / : 'a t * 'a t -> 'a t
      val ~ : 'a t -> 'a t
      val div : 'a t * 'a t -> 'a t
      val mod : 'a t * 'a t -> 'a t
      val < : 'a t * 'a t -> bool t
      val <= : 'a t * 'a t -> bool t
      val > : 'a t * 'a t -> bool t
      val >= : 'a t * 'a t -> bool t
      val == : 'a t * 'a t -> bool t
      val <> : 'a t * 'a t -> bool t
      val && : bool t * bool t -> bool t
      val || : bool t * bool t -> bool t
    end

  (* ---- types *)

  (* cast ty x: floating-point to integer truncates and saturates, nan becomes 0; integer to integer wraps; to bool is x <> 0. *)
  val cast : 'b Type.t -> 'a t -> 'b t
  val typeOf : 'a t -> 'a Type.t

  (* ---- tuples *)

  (* The same columns as a value of another type, for example an element of Type.convert's as one of the type that it was made from, or back. Warpfold
     Type if the columns differ. *)
  val view : 'a Type.t -> 'b t -> 'a t
  val pair : 'a t * 'b t -> ('a * 'b) t
  val unpair : ('a * 'b) t -> 'a t * 'b t
  val triple : 'a t * 'b t * 'c t -> ('a * 'b * 'c) t
  val untriple : ('a * 'b * 'c) t -> 'a t * 'b t * 'c t
  val quadruple : 'a t * 'b t * 'c t * 'd t -> ('a * 'b * 'c * 'd) t
  val unquadruple : ('a * 'b * 'c * 'd) t -> 'a t * 'b t * 'c t * 'd t

  (* ---- iteration *)

  (* Begins with `start`, and applies `next` while `continue` is true. Each element has its own number of iterations. *)
  val loop : {start : 'a t, continue : 'a t -> bool t, next : 'a t -> 'a t} -> 'a t
end
