module Raw = Warpfold_raw

type key = (Unsigned.UInt64.t, Expr.u64) Scalar.t

type parameter =
  | Real of float
  | Int of int
  | Scalar : ('a, 'b) Scalar.t -> parameter
  | Seq : ('a, 'b) Seq.t -> parameter

let named name f = Call.named "Random." name f

let key ?context seed : key =
  named "key" (fun () ->
      let context = match context with Some context -> context | None -> Context.default () in
      Context.use context (fun c -> { Node.handle = Call.seq (fun out -> Raw.random_key c seed out); dtype = Dtype.u64 }))

let split (key : key) i : key =
  named "split" (fun () ->
      Node.use key (fun pointer -> { Node.handle = Call.seq (fun out -> Raw.random_split pointer i out); dtype = Dtype.u64 }))

(* The code of a type of one column. *)
let code : type a b. (a, b) Dtype.t -> int = function
  | Element e -> Element.code e
  | dtype -> invalid_arg ("the elements have type " ^ Dtype.name dtype ^ ": expected a scalar type")

(* Calls `call` with the node's pointer and an array of the parameters. *)
let with_parameters parameters node call =
  let context = lazy (Node.use node (fun pointer -> Context.own (Raw.context_of pointer))) in
  let handle = function
    | Real x -> (Scalar.const ~context:(Lazy.force context) Dtype.f64 x).Node.handle
    | Int x -> (Scalar.const ~context:(Lazy.force context) Dtype.int x).Node.handle
    | Scalar x -> x.Node.handle
    | Seq s -> s.Node.handle
  in
  Handle.use_seqs (List.map handle parameters) (fun array n ->
      Node.use node (fun pointer -> Call.seq (fun out -> call pointer array n out)))

let draw_named name distribution dtype ?(parameters = []) (key : key) n : _ Seq.t =
  named name (fun () ->
      if n < 0 then invalid_arg (Printf.sprintf "warpfold: the length is %d, expected 0 or more" n);
      let code = code dtype in
      let call key array count out = Raw.random distribution key array count n code out in
      { Node.handle = with_parameters parameters key call; dtype })

let draw distribution = draw_named distribution distribution
let keys key n = draw_named "keys" "key" Dtype.u64 key n
let uniform dtype = draw "uniform" dtype
let gaussian dtype = draw "gaussian" dtype
let lognormal dtype = draw "lognormal" dtype
let exponential dtype = draw "exponential" dtype
let weibull dtype = draw "weibull" dtype
let gumbel dtype = draw "gumbel" dtype
let laplace dtype = draw "laplace" dtype
let cauchy dtype = draw "cauchy" dtype
let gamma dtype = draw "gamma" dtype
let chi_squared dtype = draw "chi_squared" dtype
let student_t dtype = draw "student_t" dtype
let beta dtype = draw "beta" dtype
let bernoulli dtype = draw "bernoulli" dtype
let uniform_int dtype = draw "uniform_int" dtype
let geometric dtype = draw "geometric" dtype
let negative_binomial dtype = draw "negative_binomial" dtype
let poisson dtype = draw "poisson" dtype
let binomial dtype = draw "binomial" dtype
let log_gamma dtype = draw "log_gamma" dtype
let dirichlet dtype = draw "dirichlet" dtype
let permutation dtype = draw "permutation" dtype
let categorical dtype = draw "categorical" dtype

let sample key (s : _ Seq.t) n =
  Call.composed ~folder:"Random." "sample" (fun () -> Seq.map_to s.Node.dtype (fun i -> Expr.(s.%(i))) (Seq.take n (permutation Dtype.int key (Seq.length s))))

let of_values name raw distribution ?(parameters = []) (x : _ Seq.t) : _ Seq.t =
  named name (fun () ->
      let call pointer array n out = raw distribution pointer array n out in
      { Node.handle = with_parameters parameters x call; dtype = x.Node.dtype })

let log_density distribution = of_values "log_density" Raw.log_density distribution
let distribution_function distribution = of_values "distribution_function" Raw.distribution_function distribution
