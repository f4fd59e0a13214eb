(** Expressions: what the parameters of a traced function are.

    A function given to [Seq.map] and its like is called once, with expressions, and what it does to them is written down.
    So it may use any OCaml that does not look at the values: [if] becomes {!where}, recursion becomes {!loop}; captured numbers
    are literals with their exact bits ([f32 1.]), captured sequences are read by {!at}. Open the module locally:
    {[
      Seq.map Expr.(fun x -> (x * x) + f32 1.) s
    ]}

    ['a] is OCaml's type of the value; ['k] tells, as a {!Bigarray.kind} does, how it is stored, and before that whether it is
    a truth value, an integer or a float. Operations take operands of one type and never convert; {!cast} does. What they compute
    is told in [docs/operations.md]: integers wrap, x / 0 is 0, nothing traps. All cost constant time; none runs anything.

    An expression may be used only in the function, and the loop, that it was made for; elsewhere the call that traces the
    function raises [Invalid_argument]. *)

type ('a, 'k) t = ('a, 'k) Item.t
type bool = Item.Types.bool
type u8 = Item.Types.u8
type i32 = Item.Types.i32
type u32 = Item.Types.u32

(** An i64 of which OCaml sees the lower 63 bits. *)
type int = Item.Types.int

type i64 = Item.Types.i64
type u64 = Item.Types.u64
type f32 = Item.Types.f32
type f64 = Item.Types.f64

(** {1 Literals}

    Integers outside of the type's range raise [Invalid_argument]; [f32] rounds once. *)

val bool : Stdlib.Bool.t -> bool
val u8 : Stdlib.Int.t -> u8
val i32 : Stdlib.Int.t -> i32
val u32 : Stdlib.Int.t -> u32
val int : Stdlib.Int.t -> int
val i64 : Stdlib.Int.t -> i64
val u64 : Stdlib.Int.t -> u64
val f32 : float -> f32
val f64 : float -> f64

(** Any value, tuples too: [const Dtype.i64 Int64.min_int]. *)
val const : ('a, 'b) Dtype.t -> 'a -> 'b

(** {1 Conversions} *)

(** [cast Dtype.f32 x]. Floats to integers truncate and saturate, NaN becomes 0; integers to integers wrap; to bool is x <> 0. *)
val cast : ('a, ('a, 'k) t) Dtype.t -> ('b, 'l) t -> ('a, 'k) t

(** {1 Arithmetic} *)

val add : ('a, ([< `Int | `Float ] * 'e as 'k)) t -> ('a, 'k) t -> ('a, 'k) t
val sub : ('a, ([< `Int | `Float ] * 'e as 'k)) t -> ('a, 'k) t -> ('a, 'k) t
val mul : ('a, ([< `Int | `Float ] * 'e as 'k)) t -> ('a, 'k) t -> ('a, 'k) t
val div : ('a, ([< `Int | `Float ] * 'e as 'k)) t -> ('a, 'k) t -> ('a, 'k) t

(** The sign is that of the first operand. *)
val rem : ('a, ([< `Int | `Float ] * 'e as 'k)) t -> ('a, 'k) t -> ('a, 'k) t

(** A NaN beside a number is left out; of equal operands, as 0 and -0, the first is taken. *)
val min : ('a, 'k) t -> ('a, 'k) t -> ('a, 'k) t

val max : ('a, 'k) t -> ('a, 'k) t -> ('a, 'k) t
val neg : ('a, ([< `Int | `Float ] * 'e as 'k)) t -> ('a, 'k) t
val abs : ('a, ([< `Int | `Float ] * 'e as 'k)) t -> ('a, 'k) t
val sign : ('a, ([< `Int | `Float ] * 'e as 'k)) t -> ('a, 'k) t

(** {1 Comparisons} *)

val eq : ('a, 'k) t -> ('a, 'k) t -> bool
val ne : ('a, 'k) t -> ('a, 'k) t -> bool
val lt : ('a, 'k) t -> ('a, 'k) t -> bool
val le : ('a, 'k) t -> ('a, 'k) t -> bool
val gt : ('a, 'k) t -> ('a, 'k) t -> bool
val ge : ('a, 'k) t -> ('a, 'k) t -> bool

(** {1 Truth values and bits}

    [and_] and [or_] compute both operands; to guard an index, use {!where}. *)

val and_ : ('a, ([< `Bool | `Int ] * 'e as 'k)) t -> ('a, 'k) t -> ('a, 'k) t
val or_ : ('a, ([< `Bool | `Int ] * 'e as 'k)) t -> ('a, 'k) t -> ('a, 'k) t
val xor : ('a, ([< `Bool | `Int ] * 'e as 'k)) t -> ('a, 'k) t -> ('a, 'k) t
val not : ('a, ([< `Bool | `Int ] * 'e as 'k)) t -> ('a, 'k) t

(** Shifts count modulo the width; [shr] of a signed type copies the sign. *)
val shl : ('a, ([< `Int ] * 'e as 'k)) t -> ('a, 'k) t -> ('a, 'k) t

val shr : ('a, ([< `Int ] * 'e as 'k)) t -> ('a, 'k) t -> ('a, 'k) t

val popcount : ('a, ([< `Int ] * 'e as 'k)) t -> ('a, 'k) t
val clz : ('a, ([< `Int ] * 'e as 'k)) t -> ('a, 'k) t

(** {1 Choices} *)

(** [where c x y] is [x] where [c] holds, else [y]. Both are computed, but an index counts only where its element is chosen. *)
val where : bool -> ('a, 'k) t -> ('a, 'k) t -> ('a, 'k) t

(** The same between tuples: [choose Dtype.(pair int f32) c (i, x) (j, y)]. *)
val choose : ('a, 'b) Dtype.t -> bool -> 'b -> 'b -> 'b

(** [loop dtype ~init ~while_ next] starts with the values [init] and replaces them by [next] of themselves as long as [while_]
    of them holds. Each element loops as often as its own data ask. Steps until x reaches 1 by Collatz's rule:
    {[
      let steps x =
        let _, n = loop Dtype.(pair int int) ~init:(x, int 0)
            ~while_:(fun (x, _) -> x <> int 1)
            (fun (x, n) -> (where (x land int 1 = int 0) (x / int 2) ((int 3 * x) + int 1), n + int 1)) in
        n
    ]} *)
val loop : ('a, 'b) Dtype.t -> init:'b -> while_:('b -> bool) -> ('b -> 'b) -> 'b

(** {1 Captured sequences} *)

(** Element [i] of a captured sequence. An index outside of it is an [Invalid_argument] of whatever forces the result, if the
    element is chosen. *)
val at : ('a, 'b) Node.seq -> (_, [< `Int ] * _) t -> 'b

(** [s.%(i)] is [at s i]. *)
val ( .%() ) : ('a, 'b) Node.seq -> (_, [< `Int ] * _) t -> 'b

val length : ('a, 'b) Node.seq -> int

(** A captured scalar, which need not have been computed. *)
val value : ('a, 'b) Node.scalar -> 'b

(** {1 Functions of floats} *)

val fma : ('a, ([< `Float ] * 'e as 'k)) t -> ('a, 'k) t -> ('a, 'k) t -> ('a, 'k) t
val sqrt : ('a, ([< `Float ] * 'e as 'k)) t -> ('a, 'k) t
val rsqrt : ('a, ([< `Float ] * 'e as 'k)) t -> ('a, 'k) t
val cbrt : ('a, ([< `Float ] * 'e as 'k)) t -> ('a, 'k) t
val exp : ('a, ([< `Float ] * 'e as 'k)) t -> ('a, 'k) t
val exp2 : ('a, ([< `Float ] * 'e as 'k)) t -> ('a, 'k) t
val expm1 : ('a, ([< `Float ] * 'e as 'k)) t -> ('a, 'k) t
val log : ('a, ([< `Float ] * 'e as 'k)) t -> ('a, 'k) t
val log2 : ('a, ([< `Float ] * 'e as 'k)) t -> ('a, 'k) t
val log10 : ('a, ([< `Float ] * 'e as 'k)) t -> ('a, 'k) t
val log1p : ('a, ([< `Float ] * 'e as 'k)) t -> ('a, 'k) t
val pow : ('a, ([< `Float ] * 'e as 'k)) t -> ('a, 'k) t -> ('a, 'k) t
val hypot : ('a, ([< `Float ] * 'e as 'k)) t -> ('a, 'k) t -> ('a, 'k) t
val sin : ('a, ([< `Float ] * 'e as 'k)) t -> ('a, 'k) t
val cos : ('a, ([< `Float ] * 'e as 'k)) t -> ('a, 'k) t
val tan : ('a, ([< `Float ] * 'e as 'k)) t -> ('a, 'k) t
val asin : ('a, ([< `Float ] * 'e as 'k)) t -> ('a, 'k) t
val acos : ('a, ([< `Float ] * 'e as 'k)) t -> ('a, 'k) t
val atan : ('a, ([< `Float ] * 'e as 'k)) t -> ('a, 'k) t
val atan2 : ('a, ([< `Float ] * 'e as 'k)) t -> ('a, 'k) t -> ('a, 'k) t
val sinh : ('a, ([< `Float ] * 'e as 'k)) t -> ('a, 'k) t
val cosh : ('a, ([< `Float ] * 'e as 'k)) t -> ('a, 'k) t
val tanh : ('a, ([< `Float ] * 'e as 'k)) t -> ('a, 'k) t
val asinh : ('a, ([< `Float ] * 'e as 'k)) t -> ('a, 'k) t
val acosh : ('a, ([< `Float ] * 'e as 'k)) t -> ('a, 'k) t
val atanh : ('a, ([< `Float ] * 'e as 'k)) t -> ('a, 'k) t
val erf : ('a, ([< `Float ] * 'e as 'k)) t -> ('a, 'k) t
val erfc : ('a, ([< `Float ] * 'e as 'k)) t -> ('a, 'k) t
val floor : ('a, ([< `Float ] * 'e as 'k)) t -> ('a, 'k) t
val ceil : ('a, ([< `Float ] * 'e as 'k)) t -> ('a, 'k) t

(** Halves are rounded away from zero. *)
val round : ('a, ([< `Float ] * 'e as 'k)) t -> ('a, 'k) t

val trunc : ('a, ([< `Float ] * 'e as 'k)) t -> ('a, 'k) t
val copysign : ('a, ([< `Float ] * 'e as 'k)) t -> ('a, 'k) t -> ('a, 'k) t
val isnan : ('a, ([< `Float ] * 'e as 'k)) t -> bool
val isinf : ('a, ([< `Float ] * 'e as 'k)) t -> bool
val isfinite : ('a, ([< `Float ] * 'e as 'k)) t -> bool

(** {1 Operators}

    With the precedences of OCaml's own. [&&] and [||] compute both operands. *)

module Infix : sig
  val ( + ) : ('a, ([< `Int | `Float ] * 'e as 'k)) t -> ('a, 'k) t -> ('a, 'k) t
  val ( - ) : ('a, ([< `Int | `Float ] * 'e as 'k)) t -> ('a, 'k) t -> ('a, 'k) t
  val ( * ) : ('a, ([< `Int | `Float ] * 'e as 'k)) t -> ('a, 'k) t -> ('a, 'k) t
  val ( / ) : ('a, ([< `Int | `Float ] * 'e as 'k)) t -> ('a, 'k) t -> ('a, 'k) t
  val ( mod ) : ('a, ([< `Int | `Float ] * 'e as 'k)) t -> ('a, 'k) t -> ('a, 'k) t
  val ( ~- ) : ('a, ([< `Int | `Float ] * 'e as 'k)) t -> ('a, 'k) t
  val ( = ) : ('a, 'k) t -> ('a, 'k) t -> bool
  val ( <> ) : ('a, 'k) t -> ('a, 'k) t -> bool
  val ( < ) : ('a, 'k) t -> ('a, 'k) t -> bool
  val ( <= ) : ('a, 'k) t -> ('a, 'k) t -> bool
  val ( > ) : ('a, 'k) t -> ('a, 'k) t -> bool
  val ( >= ) : ('a, 'k) t -> ('a, 'k) t -> bool
  val ( && ) : bool -> bool -> bool
  val ( || ) : bool -> bool -> bool
  val ( land ) : ('a, ([< `Int ] * 'e as 'k)) t -> ('a, 'k) t -> ('a, 'k) t
  val ( lor ) : ('a, ([< `Int ] * 'e as 'k)) t -> ('a, 'k) t -> ('a, 'k) t
  val ( lxor ) : ('a, ([< `Int ] * 'e as 'k)) t -> ('a, 'k) t -> ('a, 'k) t
  val ( lsl ) : ('a, ([< `Int ] * 'e as 'k)) t -> ('a, 'k) t -> ('a, 'k) t
end

include module type of Infix
