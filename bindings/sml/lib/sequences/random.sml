structure Random =
struct
  open Platform Rep

  type key = Word64.word scalar

  fun key seed =
    Scalar (Core.inContext ("Random.key", Type.word64, [], fn (c, _, out) => CApi.wf_random_key (c, int64 seed, out)))
  fun split (Scalar key) i =
    Scalar (Core.from ("Random.split", key, Type.word64, fn (p, out) => CApi.wf_random_split (p, int64 i, out)))

  (* A parameter in a context. *)
  type parameter = Context.t -> cell
  fun number (name, ty as Type.T {store, ...}, x) context =
    Core.cellOf (Core.make (name, context, ty, [context], fn (handles, out) =>
      Warpfold.scratch (fn p =>
        (store ([p], Array.fromList [x]);
         CApi.wf_scalar (List.hd handles, int32 (Type.code (Core.theScalar (name, ty))), p, out)))))
  fun real x = number ("Random.real", Type.real, x)
  fun int x = number ("Random.int", Type.int, x)
  fun scalar (Scalar s) _ = Core.cellOf s
  fun each s _ = Core.cellOf s

  (* A sequence made from s and parameters; `call` takes the handle of s, the parameters as an array, their number, and the output. *)
  fun withParameters (name, s, parameters, ty) call =
    let
      val context = Core.contextOf s
      val cells = List.map (fn parameter => parameter context) parameters
    in
      Core.make (name, context, ty, Core.cellOf s :: cells, fn (handles, out) =>
        Warpfold.pointers (List.tl handles, fn (array, n) => call (List.hd handles, array, n, out)))
    end

  type 'a draws = 'a Type.t -> parameter list -> key -> int -> 'a seq
  fun draw (name, distribution) ty parameters (Scalar key) n =
    if n < 0 then raise Warpfold.failure (Size, name ^ ": the length is " ^ Int.toString n ^ "; expected 0 or more")
    else withParameters (name, key, parameters, ty) (fn (p, array, count, out) =>
      CApi.wf_random (text distribution, p, array, count, int64 n, int32 (Type.code (Core.theScalar (name, ty))), out))
  fun keys key n = draw ("Random.keys", "key") Type.word64 [] key n
  fun uniform ty = draw ("Random.uniform", "uniform") ty
  fun gaussian ty = draw ("Random.gaussian", "gaussian") ty
  fun lognormal ty = draw ("Random.lognormal", "lognormal") ty
  fun exponential ty = draw ("Random.exponential", "exponential") ty
  fun weibull ty = draw ("Random.weibull", "weibull") ty
  fun gumbel ty = draw ("Random.gumbel", "gumbel") ty
  fun laplace ty = draw ("Random.laplace", "laplace") ty
  fun cauchy ty = draw ("Random.cauchy", "cauchy") ty
  fun gamma ty = draw ("Random.gamma", "gamma") ty
  fun chiSquared ty = draw ("Random.chiSquared", "chi_squared") ty
  fun studentT ty = draw ("Random.studentT", "student_t") ty
  fun beta ty = draw ("Random.beta", "beta") ty
  fun bernoulli ty = draw ("Random.bernoulli", "bernoulli") ty
  fun uniformInt ty = draw ("Random.uniformInt", "uniform_int") ty
  fun geometric ty = draw ("Random.geometric", "geometric") ty
  fun negativeBinomial ty = draw ("Random.negativeBinomial", "negative_binomial") ty
  fun poisson ty = draw ("Random.poisson", "poisson") ty
  fun binomial ty = draw ("Random.binomial", "binomial") ty
  fun logGamma ty = draw ("Random.logGamma", "log_gamma") ty
  fun dirichlet ty = draw ("Random.dirichlet", "dirichlet") ty
  fun permutation ty = draw ("Random.permutation", "permutation") ty
  fun categorical ty = draw ("Random.categorical", "categorical") ty

  fun sample key s n =
    let
      val name = "Random.sample"
      val order = draw (name, "permutation") Type.int [] key (Core.lengthNow (name, s))
      val chosen = Core.from (name, order, Type.int, fn (p, out) => CApi.wf_take (p, int64 n, out))
    in
      Core.map (name, fn i => Exp.at (s, i), chosen)
    end

  fun ofValues (name, call) distribution parameters x =
    withParameters (name, x, parameters, Core.typeOf x) (fn (p, array, n, out) => call (text distribution, p, array, n, out))
  fun logDensity distribution = ofValues ("Random.logDensity", CApi.wf_log_density) distribution
  fun distributionFunction distribution = ofValues ("Random.distributionFunction", CApi.wf_distribution_function) distribution
end
