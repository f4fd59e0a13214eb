(** Expressions: the parameters and results of traced functions.

    A function passed to [Seq.map] or a similar function is called once, with expressions, and its operations on them are recorded.
    It may use any OCaml that does not inspect the values: use {!where} for [if] and {!loop} for recursion. Captured numbers
    are literals with their exact bits ([f32 1.]); {!at} reads captured sequences. Open the module locally:
    {[
      Seq.map Expr.(fun x -> (x * x) + f32 1.) s
    ]}

    Operations take operands of one type and never convert; {!cast} does. [docs/operations.md] defines their results: integers
    wrap, x / 0 is 0, nothing traps. Tracing an operation costs constant time and runs nothing.

    An expression may be used only inside the function and the loop that it was made for; any other use raises
    [Invalid_argument] from the call that traces the function. Stdlib's [=], [<], [compare], [min] and [max] of expressions also
    raise [Invalid_argument]: inside [Expr.( )] these names are the operations. *)

(** {1 Types}

    The type of an expression is [f32], [int], ...: a polymorphic variant that states which operations accept it, the OCaml type
    ['a] of its value and the {!Bigarray} kind [('x, 'e)] that stores it. Its tags are never matched. A function of any number
    has type [([< _ number ] as 'x) -> 'x]. Below, [Layout.t], {!Captured.seq} and {!Captured.scalar} are {!Dtype.t}, {!Seq.t}
    and {!Scalar.t}. *)

(* Printed types name a module as it is named here: Warpfold.Captured for Warpfold__Captured. Dune finds dependencies by the
   short names in [needed]. *)

type needed := (unit, unit) Captured.seq [@@warning "-34"]
module Captured := Warpfold__Captured

type ('a, 'x, 'e) value = ('a, 'x, 'e) Item.value
type 'v scalar = [ `Bool of 'v | `Int of 'v | `Float of 'v ]
type 'v number = [ `Int of 'v | `Float of 'v ]
type 'v integer = [ `Int of 'v ]
type 'v real = [ `Float of 'v ]
type 'v bits = [ `Bool of 'v | `Int of 'v ]
type f64 = [ `Float of (float, float, Bigarray.float64_elt) value ]
type f32 = [ `Float of (float, float, Bigarray.float32_elt) value ]
type u64 = [ `Int of (Unsigned.UInt64.t, int64, Bigarray.int64_elt) value ]
type i64 = [ `Int of (int64, int64, Bigarray.int64_elt) value ]
type u32 = [ `Int of (int, int32, Bigarray.int32_elt) value ]
type i32 = [ `Int of (int32, int32, Bigarray.int32_elt) value ]
type u8 = [ `Int of (int, int, Bigarray.int8_unsigned_elt) value ]
type nonrec bool = [ `Bool of (bool, int, Bigarray.int8_unsigned_elt) value ]

(** An i64; OCaml reads its lower 63 bits. *)
type nonrec int = [ `Int of (int, int, Bigarray.int_elt) value ]

(** {1 Literals}

    Integers out of the type's range raise [Invalid_argument]; [f32] rounds once. *)

val bool : Stdlib.Bool.t -> bool
val u8 : Stdlib.Int.t -> u8
val i32 : Stdlib.Int.t -> i32
val u32 : Stdlib.Int.t -> u32
val int : Stdlib.Int.t -> int
val i64 : Stdlib.Int.t -> i64
val u64 : Stdlib.Int.t -> u64
val f32 : float -> f32
val f64 : float -> f64

(** A literal of any type, including tuples: [const Dtype.i64 Int64.min_int]. *)
val const : ('a, 'b) Layout.t -> 'a -> 'b

(** {1 Conversions} *)

(** [cast Dtype.f32 x] converts x. A float to an integer truncates and saturates, NaN becomes 0; an integer to an integer wraps;
    any number to bool is x <> 0. *)
val cast : ('a, ([< _ scalar ] as 'b)) Layout.t -> [< _ scalar ] -> 'b

(** {1 Arithmetic} *)

val add : ([< _ number ] as 'x) -> 'x -> 'x
val sub : ([< _ number ] as 'x) -> 'x -> 'x
val mul : ([< _ number ] as 'x) -> 'x -> 'x
val div : ([< _ number ] as 'x) -> 'x -> 'x

(** The remainder; its sign is that of the first operand. *)
val rem : ([< _ number ] as 'x) -> 'x -> 'x

(** The minimum; a NaN is ignored if the other operand is a number. Of equal operands, such as 0 and -0, the first is returned. *)
val min : ([< _ scalar ] as 'x) -> 'x -> 'x

val max : ([< _ scalar ] as 'x) -> 'x -> 'x
val neg : ([< _ number ] as 'x) -> 'x
val abs : ([< _ number ] as 'x) -> 'x
val sign : ([< _ number ] as 'x) -> 'x

(** {1 Comparisons} *)

val eq : ([< _ scalar ] as 'x) -> 'x -> bool
val ne : ([< _ scalar ] as 'x) -> 'x -> bool
val lt : ([< _ scalar ] as 'x) -> 'x -> bool
val le : ([< _ scalar ] as 'x) -> 'x -> bool
val gt : ([< _ scalar ] as 'x) -> 'x -> bool
val ge : ([< _ scalar ] as 'x) -> 'x -> bool

(** {1 Truth values and bits}

    For [bool]s, [and_] and [or_] evaluate the second operand only if the first does not decide the result. So the first can guard an index,
    as in [i < length s && s.%(i) > int 0]. For integers they compute both operands. *)

val and_ : ([< _ bits ] as 'x) -> 'x -> 'x
val or_ : ([< _ bits ] as 'x) -> 'x -> 'x
val xor : ([< _ bits ] as 'x) -> 'x -> 'x
val not : ([< _ bits ] as 'x) -> 'x

(** Shifts count modulo the width; [shr] of a signed type copies the sign. *)
val shl : ([< _ integer ] as 'x) -> 'x -> 'x

val shr : ([< _ integer ] as 'x) -> 'x -> 'x

val popcount : ([< _ integer ] as 'x) -> 'x
val clz : ([< _ integer ] as 'x) -> 'x

(** [philox32 key number stream] is the random word of 32 bits with this number in a stream of numbers, of all streams that belong
    to a key: taken modulo the width of the type. Streams from 2{^61} on are reserved. {!Random} has distributions. *)
val philox32 : ([< _ integer ] as 'x) -> 'x -> 'x -> 'x

(** The random word of 64 bits. *)
val philox64 : ([< _ integer ] as 'x) -> 'x -> 'x -> 'x

(** {1 Random numbers}

    [draw "poisson" Dtype.int key i [ mean ]] is element [i] of the sequence [Random.poisson Dtype.int] with these parameters and this key,
    as an expression: loops draw as many numbers as they need. [value key] is a captured {!Random.key}, and [split_key key i]
    one of the keys that a key splits into. All distributions of {!Random} can be drawn, but [dirichlet], [permutation] and
    [categorical]. Another number of parameters raises [Error Compile] from the call that traces the function. *)

val draw : string -> ('a, ([< _ scalar ] as 'b)) Layout.t -> u64 -> int -> ([< _ scalar ] as 'c) list -> 'b

(** In \[0, 1). *)
val uniform : ('a, ([< _ real ] as 'b)) Layout.t -> u64 -> int -> 'b

(** Mean 0 and deviation 1. *)
val gaussian : ('a, ([< _ real ] as 'b)) Layout.t -> u64 -> int -> 'b

(** Rate 1. *)
val exponential : ('a, ([< _ real ] as 'b)) Layout.t -> u64 -> int -> 'b

val split_key : u64 -> int -> u64

(** {1 Choices} *)

(** [where c x y] is [x] where [c] holds, else [y]. Both are computed, but an index counts only where its element is chosen. *)
val where : bool -> ([< _ scalar ] as 'x) -> 'x -> 'x

(** [where] for tuples: [choose Dtype.(pair int f32) c (i, x) (j, y)]. *)
val choose : ('a, 'b) Layout.t -> bool -> 'b -> 'b -> 'b

(** [loop dtype ~init ~while_ next] starts with the values [init] and replaces them by [next values] while [while_ values] is
    true. Each element has its own number of iterations. The number of Collatz steps from x to 1:
    {[
      let steps x =
        let _, n = loop Dtype.(pair int int) ~init:(x, int 0)
            ~while_:(fun (x, _) -> x <> int 1)
            (fun (x, n) -> (where (x land int 1 = int 0) (x / int 2) ((int 3 * x) + int 1), n + int 1)) in
        n
    ]} *)
val loop : ('a, 'b) Layout.t -> init:'b -> while_:('b -> bool) -> ('b -> 'b) -> 'b

(** {1 Captured sequences} *)

(** [at s i] is element [i] of a captured sequence. If a selected element has an index out of range, the call that forces the
    result raises [Invalid_argument]. *)
val at : ('a, 'b) Captured.seq -> [< _ integer ] -> 'b

(** [s.%(i)] is [at s i]. *)
val ( .%() ) : ('a, 'b) Captured.seq -> [< _ integer ] -> 'b

val length : ('a, 'b) Captured.seq -> int

(** The value of a captured scalar, which need not have been computed. *)
val value : ('a, 'b) Captured.scalar -> 'b

(** {1 Functions of floats} *)

val fma : ([< _ real ] as 'x) -> 'x -> 'x -> 'x
val sqrt : ([< _ real ] as 'x) -> 'x
val rsqrt : ([< _ real ] as 'x) -> 'x
val cbrt : ([< _ real ] as 'x) -> 'x
val exp : ([< _ real ] as 'x) -> 'x
val exp2 : ([< _ real ] as 'x) -> 'x
val expm1 : ([< _ real ] as 'x) -> 'x
val log : ([< _ real ] as 'x) -> 'x
val log2 : ([< _ real ] as 'x) -> 'x
val log10 : ([< _ real ] as 'x) -> 'x
val log1p : ([< _ real ] as 'x) -> 'x
val pow : ([< _ real ] as 'x) -> 'x -> 'x
val hypot : ([< _ real ] as 'x) -> 'x -> 'x
val sin : ([< _ real ] as 'x) -> 'x
val cos : ([< _ real ] as 'x) -> 'x
val tan : ([< _ real ] as 'x) -> 'x
val asin : ([< _ real ] as 'x) -> 'x
val acos : ([< _ real ] as 'x) -> 'x
val atan : ([< _ real ] as 'x) -> 'x
val atan2 : ([< _ real ] as 'x) -> 'x -> 'x
val sinh : ([< _ real ] as 'x) -> 'x
val cosh : ([< _ real ] as 'x) -> 'x
val tanh : ([< _ real ] as 'x) -> 'x
val asinh : ([< _ real ] as 'x) -> 'x
val acosh : ([< _ real ] as 'x) -> 'x
val atanh : ([< _ real ] as 'x) -> 'x
val erf : ([< _ real ] as 'x) -> 'x
val erfc : ([< _ real ] as 'x) -> 'x
val floor : ([< _ real ] as 'x) -> 'x
val ceil : ([< _ real ] as 'x) -> 'x

(** Rounds halves away from zero. *)
val round : ([< _ real ] as 'x) -> 'x

val trunc : ([< _ real ] as 'x) -> 'x
val copysign : ([< _ real ] as 'x) -> 'x -> 'x
val isnan : [< _ real ] -> bool
val isinf : [< _ real ] -> bool
val isfinite : [< _ real ] -> bool
val pos : ([< _ number ] as 'x) -> 'x

(** The greater of x and 0. *)
val rectify : ([< _ number ] as 'x) -> 'x

(** {1 Special functions} *)

(** 10 to the power of x. *)
val exp10 : ([< _ real ] as 'x) -> 'x

(** sin(pi x). *)
val sinpi : ([< _ real ] as 'x) -> 'x

(** cos(pi x). *)
val cospi : ([< _ real ] as 'x) -> 'x

(** 1 / (1 + exp(-x)). *)
val sigmoid : ([< _ real ] as 'x) -> 'x

(** log(1 + exp(x)). *)
val softplus : ([< _ real ] as 'x) -> 'x

(** log(1 - exp(-x)) for x >= 0. *)
val log1mexp : ([< _ real ] as 'x) -> 'x

(** log(x / (1 - x)). *)
val logit : ([< _ real ] as 'x) -> 'x

(** The inverse of erf. *)
val erfinv : ([< _ real ] as 'x) -> 'x

(** The inverse of erfc. *)
val erfcinv : ([< _ real ] as 'x) -> 'x

(** The distribution function of the standard normal distribution. *)
val ndtr : ([< _ real ] as 'x) -> 'x

(** The inverse of ndtr. *)
val ndtri : ([< _ real ] as 'x) -> 'x

(** log |gamma(x)|. *)
val lgamma : ([< _ real ] as 'x) -> 'x

(** The gamma function. *)
val tgamma : ([< _ real ] as 'x) -> 'x

(** The derivative of lgamma. *)
val digamma : ([< _ real ] as 'x) -> 'x

(** The derivative of digamma. *)
val trigamma : ([< _ real ] as 'x) -> 'x

(** log |gamma(1 + x)|, the logarithm of x factorial. *)
val lfact : ([< _ real ] as 'x) -> 'x

(** The Bessel function of the first kind of order 0. *)
val bessel_j0 : ([< _ real ] as 'x) -> 'x

(** The Bessel function of the first kind of order 1. *)
val bessel_j1 : ([< _ real ] as 'x) -> 'x

(** The Bessel function of the second kind of order 0. *)
val bessel_y0 : ([< _ real ] as 'x) -> 'x

(** The Bessel function of the second kind of order 1. *)
val bessel_y1 : ([< _ real ] as 'x) -> 'x

(** The modified Bessel function of the first kind of order 0. *)
val bessel_i0 : ([< _ real ] as 'x) -> 'x

(** The modified Bessel function of the first kind of order 1. *)
val bessel_i1 : ([< _ real ] as 'x) -> 'x

(** [logaddexp x y]. log(exp(x) + exp(y)). *)
val logaddexp : ([< _ real ] as 'x) -> 'x -> 'x

(** [lchoose n k]. The logarithm of the binomial coefficient. *)
val lchoose : ([< _ real ] as 'x) -> 'x -> 'x

(** [lbeta a b]. The logarithm of the beta function. *)
val lbeta : ([< _ real ] as 'x) -> 'x -> 'x

(** [mvlgamma x p]. The logarithm of the multivariate gamma function of dimension p. *)
val mvlgamma : ([< _ real ] as 'x) -> 'x -> 'x

(** [mvdigamma x p]. The derivative of mvlgamma with respect to x. *)
val mvdigamma : ([< _ real ] as 'x) -> 'x -> 'x

(** [gamma_p a x]. The regularized lower incomplete gamma function P(a, x). *)
val gamma_p : ([< _ real ] as 'x) -> 'x -> 'x

(** [gamma_q a x]. The regularized upper incomplete gamma function, 1 - P(a, x). *)
val gamma_q : ([< _ real ] as 'x) -> 'x -> 'x

(** [ibeta a b x]. The regularized incomplete beta function. *)
val ibeta : ([< _ real ] as 'x) -> 'x -> 'x -> 'x

(** [polygamma n x]. The derivative of order n of digamma, for whole numbers n. *)
val polygamma : ([< _ real ] as 'x) -> 'x -> 'x

(** [mvpolygamma n x p]. The derivative of order n of [mvdigamma x p]. *)
val mvpolygamma : ([< _ real ] as 'x) -> 'x -> 'x -> 'x

(** [gamma_p_da a x]. The derivative of [gamma_p a x] with respect to a. *)
val gamma_p_da : ([< _ real ] as 'x) -> 'x -> 'x

(** [ibeta_da a b x], [ibeta_db a b x]. The derivatives of [ibeta a b x] with respect to a and b. *)
val ibeta_da : ([< _ real ] as 'x) -> 'x -> 'x -> 'x

val ibeta_db : ([< _ real ] as 'x) -> 'x -> 'x -> 'x

(** {1 Operators}

    They have the precedences of OCaml's own. [&&] and [||] are {!and_} and {!or_} of [bool]s: they evaluate the right operand only if the
    left one does not decide the result. [+.], [-.], [*.], [/.] are OCaml's, of floats: [x * f32 (1. /. 3.)]. *)

module Infix : sig
  val ( + ) : ([< _ number ] as 'x) -> 'x -> 'x
  val ( - ) : ([< _ number ] as 'x) -> 'x -> 'x
  val ( * ) : ([< _ number ] as 'x) -> 'x -> 'x
  val ( / ) : ([< _ number ] as 'x) -> 'x -> 'x
  val ( mod ) : ([< _ number ] as 'x) -> 'x -> 'x
  val ( ~- ) : ([< _ number ] as 'x) -> 'x
  val ( ~+ ) : ([< _ number ] as 'x) -> 'x

  (** [pow]. *)
  val ( ** ) : ([< _ real ] as 'x) -> 'x -> 'x

  val ( = ) : ([< _ scalar ] as 'x) -> 'x -> bool
  val ( <> ) : ([< _ scalar ] as 'x) -> 'x -> bool
  val ( < ) : ([< _ scalar ] as 'x) -> 'x -> bool
  val ( <= ) : ([< _ scalar ] as 'x) -> 'x -> bool
  val ( > ) : ([< _ scalar ] as 'x) -> 'x -> bool
  val ( >= ) : ([< _ scalar ] as 'x) -> 'x -> bool
  val ( && ) : bool -> bool -> bool
  val ( || ) : bool -> bool -> bool
  val ( land ) : ([< _ integer ] as 'x) -> 'x -> 'x
  val ( lor ) : ([< _ integer ] as 'x) -> 'x -> 'x
  val ( lxor ) : ([< _ integer ] as 'x) -> 'x -> 'x
  val ( lsl ) : ([< _ integer ] as 'x) -> 'x -> 'x

  (** [shr]: for an unsigned type it shifts zeros in. *)
  val ( asr ) : ([< _ integer ] as 'x) -> 'x -> 'x
end

include module type of Infix

val lnot : ([< _ integer ] as 'x) -> 'x

(** {1 Printing} *)

(** Prints the expression in the written form, with operands to a small depth. *)
val pp : Format.formatter -> [< _ scalar ] -> unit
[@@ocaml.toplevel_printer]
