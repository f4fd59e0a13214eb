(* Random numbers without state: element i of a random sequence depends on a key and i alone. It is the same on every engine and in every
   language, in any order, whole or in parts. Random sequences are delayed and fuse, so that a Monte Carlo estimate reads no memory:

       val x = Random.uniform Type.single [] (Random.split key 0) n
       val y = Random.uniform Type.single [] (Random.split key 1) n
       val one = Exp.single (Single.fromReal 1.0)
       val inside = Seq.filter (fn p => let val (x, y) = Exp.unpair p in Exp.< (Exp.+ (Exp.* (x, x), Exp.* (y, y)), one) end) (Seq.zip (x, y))
       val pi = 4.0 * real (Seq.length inside) / real n *)
signature RANDOM =
sig
  (* Draw from a key once, and from keys that it splits into for further draws. *)
  type key = Word64.word Scalar.t
  val key : int -> key
  (* The i-th of the keys that a key splits into. *)
  val split : key -> int -> key
  (* split key 0, ..., split key (n - 1) *)
  val keys : key -> int -> Word64.word Seq.seq

  (* A parameter of a distribution; `each` has an element per draw. *)
  type parameter
  val real : real -> parameter
  val int : int -> parameter
  val scalar : 'a Scalar.t -> parameter
  val each : 'a Seq.seq -> parameter

  (* n draws: distribution elementType parameters key n. The comments state the parameters; those in brackets may be omitted. Another
     number of parameters raises Warpfold, a sequence of another length Size. *)
  type 'a draws = 'a Type.t -> parameter list -> key -> int -> 'a Seq.seq
  val uniform : 'a draws      (* [low, high], by default 0 and 1 *)
  val gaussian : 'a draws     (* [mean, deviation], by default 0 and 1 *)
  val lognormal : 'a draws    (* mean, deviation of the logarithm *)
  val exponential : 'a draws  (* [rate], by default 1 *)
  val weibull : 'a draws      (* shape, scale *)
  val gumbel : 'a draws       (* location, scale *)
  val laplace : 'a draws      (* location, scale *)
  val cauchy : 'a draws       (* location, scale *)
  val gamma : 'a draws        (* shape, [scale] *)
  val chiSquared : 'a draws   (* degrees of freedom *)
  val studentT : 'a draws     (* degrees of freedom *)
  val beta : 'a draws         (* a, b *)
  val bernoulli : 'a draws    (* probability; bools or numbers *)
  val uniformInt : 'a draws   (* low, high: in [low, high) *)
  val geometric : 'a draws    (* probability: the number of failures before a success *)
  val negativeBinomial : 'a draws  (* successes, probability: the number of failures before that many successes *)
  val poisson : 'a draws      (* mean *)
  val binomial : 'a draws     (* n, probability *)
  val logGamma : 'a draws     (* shape: the logarithm of gamma, which is small for small shapes *)
  val dirichlet : 'a draws    (* each of m shapes: rows of m numbers with the sum 1 *)
  val permutation : 'a draws  (* no parameters: 0, ..., n - 1 in random order *)
  val categorical : 'a draws  (* each of the weights: their indices, with these relative probabilities *)

  (* sample key s n is n different elements of s in random order. Work m log m for a sequence of length m. Raises Range if n exceeds m. *)
  val sample : key -> 'a Seq.seq -> int -> 'a Seq.seq

  (* The logarithm of the density of each element, or of the probability of a count, under a distribution of that name, such as "gaussian";
     and the probability of numbers up to it. Under "dirichlet", one per row; under "permutation", one: of a permutation, or with a parameter
     m of the indices of a sample of m elements, in order. *)
  val logDensity : string -> parameter list -> real Seq.seq -> real Seq.seq
  val distributionFunction : string -> parameter list -> real Seq.seq -> real Seq.seq
end
