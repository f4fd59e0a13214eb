(** Random numbers without state: element [i] of a random sequence depends on a key and [i] alone. It is the same on every engine and
    in every language, in any order, whole or in parts. Random sequences are delayed and fuse, so that a Monte Carlo estimate reads no
    memory:

    {[
      let x = Random.uniform Dtype.f32 (Random.split key 0) n and y = Random.uniform Dtype.f32 (Random.split key 1) n in
      let inside = Seq.filter (fun (x, y) -> Expr.((x * x) + (y * y) < f32 1.)) (Seq.zip x y) in
      4. *. float (Seq.length inside) /. float n
    ]} *)

(** Draw from a key once, and from keys that it splits into for further draws. *)
type key = (Unsigned.UInt64.t, Expr.u64) Scalar.t

val key : ?context:Context.t -> int -> key

(** [split key i] is number [i] of the keys that [key] splits into. *)
val split : key -> int -> key

(** [keys key n] is [split key 0], ..., [split key (n - 1)] as a sequence. *)
val keys : key -> int -> (Unsigned.UInt64.t, Expr.u64) Seq.t

(** A parameter of a distribution. *)
type parameter =
  | Real of float
  | Int of int
  | Scalar : ('a, 'b) Scalar.t -> parameter
  | Seq : ('a, 'b) Seq.t -> parameter  (** an element per draw *)

(** {1 Distributions}

    [gaussian Dtype.f32 ~parameters:[ Real 3.; Real 0.5 ] key n] is a sequence of [n] draws. The comments list the parameters; those
    in brackets may be omitted.
    @raise Warpfold.Error [Argument] for another number of parameters
    @raise Invalid_argument for a sequence of another length *)

type 'b reals := (float, 'b) Dtype.t -> ?parameters:parameter list -> key -> int -> (float, 'b) Seq.t
type ('a, 'b) integers := ('a, 'b) Dtype.t -> ?parameters:parameter list -> key -> int -> ('a, 'b) Seq.t

(** \[low, high\], by default 0 and 1 *)
val uniform : 'b reals

(** \[mean, deviation\], by default 0 and 1 *)
val gaussian : 'b reals

(** mean, deviation of the logarithm *)
val lognormal : 'b reals

(** \[rate\], by default 1 *)
val exponential : 'b reals

(** shape, scale *)
val weibull : 'b reals

(** location, scale *)
val gumbel : 'b reals

(** location, scale *)
val laplace : 'b reals

(** location, scale *)
val cauchy : 'b reals

(** shape, \[scale\] *)
val gamma : 'b reals

(** degrees of freedom *)
val chi_squared : 'b reals

(** degrees of freedom *)
val student_t : 'b reals

(** a, b *)
val beta : 'b reals

(** probability *)
val bernoulli : ('a, 'b) integers

(** low, high: in \[low, high) *)
val uniform_int : ('a, 'b) integers

(** probability: the number of failures before a success *)
val geometric : ('a, 'b) integers

(** successes, probability: the number of failures before that many successes *)
val negative_binomial : ('a, 'b) integers

(** mean *)
val poisson : ('a, 'b) integers

(** n, probability *)
val binomial : ('a, 'b) integers

(** shape: the logarithm of [gamma], which is small for small shapes *)
val log_gamma : 'b reals

(** a sequence of m shapes: rows of m numbers with the sum 1 *)
val dirichlet : 'b reals

(** no parameters: the numbers from 0 to n - 1 in random order *)
val permutation : ('a, 'b) integers

(** a sequence of weights: its indices, with these relative probabilities *)
val categorical : ('a, 'b) integers

(** [sample key s n] is [n] different elements of [s] in random order. Work m log m for a sequence of length m.
    @raise Invalid_argument if [n] exceeds the length of [s] *)
val sample : key -> ('a, 'b) Seq.t -> int -> ('a, 'b) Seq.t

(** {1 Densities} *)

(** [log_density "gaussian" x] is the logarithm of the density of each element of [x], or of the probability of a count. Under "dirichlet",
    it has an element per row of [x]. Under "permutation", it has one element: [x] is a permutation, or with a parameter m the indices of a
    sample of m elements, in order. *)
val log_density : string -> ?parameters:parameter list -> (float, 'b) Seq.t -> (float, 'b) Seq.t

(** The probability of numbers up to each element. *)
val distribution_function : string -> ?parameters:parameter list -> (float, 'b) Seq.t -> (float, 'b) Seq.t
