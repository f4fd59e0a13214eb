(** Functions of sequences that are traced once for each shape of their arguments, and from then on run their plan.

    {[
      let smooth = Jit.jit (fun x -> Seq.map Expr.(fun x -> x * f32 0.5) (Seq.rev x))

      let step =
        Jit.(fn (seq @-> number Dtype.f32 @-> returning (pair seq scalar))) (fun x rate ->
            let y = Seq.map Expr.(fun x -> x - (value rate * x)) x in
            (y, Seq.sum y))

      let y, sum = step x 0.1
    ]}

    The result of {!jit} or {!fn} calls f once for each list of shapes of its arguments, with sequences that have no elements yet, as a function of
    elements is called with expressions. It plans what f returns, and later calls run that plan. A call costs what its kernels cost and about a
    microsecond, so that functions of few elements take a fraction of their time.

    - Whatever else f reads is a constant of the plan: numbers, files, random seeds, captured sequences. A captured sequence that has been computed is
      kept, another one is computed in each run. Side effects of f occur while it is traced alone.
    - f cannot read values of its arguments: [Scalar.get], [Seq.to_array] and so on raise [Warpfold.Error] [Argument] there. Expected are
      [Expr.where], reductions and filters instead of [if] and loops on values. Extents are known to f, and {!Seq.length} returns them.
    - The results are computed when the call returns. Arguments that have not been computed are computed first, together.
    - Up to 64 traces of a function are kept, the latest ones. A trace is released with the function. Work of a trace: that of planning the results.
    - Within another function that is being traced by {!jit} or {!fn}, the call is f's own.
    - [Warpfold.explain] of a result shows the plan that computed it.
    - Any number of threads may call at once. Threads that call with new shapes at the same time may each trace f.

    A call raises what f raises, and as {!Seq.force} does; later calls are not affected. *)

(* Printed types name a module as it is named here: Warpfold.Expr for Warpfold__Expr. Dune finds dependencies by the
   short names in [needed]. *)

type needed := Expr.int * (unit, unit) Dtype.t * (unit, unit) Seq.t * (unit, unit) Scalar.t * (Axes.rank0, unit, unit) Ndarray.t * Random.key [@@warning "-34"]
module Dtype := Warpfold__Dtype
module Seq := Warpfold__Seq
module Scalar := Warpfold__Scalar
module Ndarray := Warpfold__Ndarray
module Random := Warpfold__Random

(** [jit f] is [f] for functions of one sequence, array, scalar or key, whose result is one of these.

    [jit f] is an application, which OCaml generalizes to no polymorphic function: make one for each type of elements. *)
val jit : (('r, 'a, 'b) Ndarray.t -> ('s, 'c, 'd) Ndarray.t) -> ('r, 'a, 'b) Ndarray.t -> ('s, 'c, 'd) Ndarray.t

(** {1 Several arguments and results} *)

(** What a function takes or returns: the traced function sees an ['a] where the caller sees a ['b]. They differ for numbers alone. *)
type ('a, 'b) value

val seq : (('a, 'b) Seq.t, ('a, 'b) Seq.t) value
val scalar : (('a, 'b) Scalar.t, ('a, 'b) Scalar.t) value
val ndarray : (('r, 'a, 'b) Ndarray.t, ('r, 'a, 'b) Ndarray.t) value
val key : (Random.key, Random.key) value

(** A number, or a tuple of numbers, that the traced function sees as a lazy scalar, so that another number needs no other trace. Its context is
    that of the first sequence among the arguments. *)
val number : ('a, 'b) Dtype.t -> (('a, 'b) Scalar.t, 'a) value

val pair : ('a, 'b) value -> ('c, 'd) value -> ('a * 'c, 'b * 'd) value
val triple : ('a, 'b) value -> ('c, 'd) value -> ('e, 'f) value -> ('a * 'c * 'e, 'b * 'd * 'f) value

val quadruple :
  ('a, 'b) value -> ('c, 'd) value -> ('e, 'f) value -> ('g, 'h) value -> ('a * 'c * 'e * 'g, 'b * 'd * 'f * 'h) value

(** For example the parameters of a model. Lists of another length are another trace. *)
val list : ('a, 'b) value -> ('a list, 'b list) value

(** [conv to_ of_ v] is values of another type, such as a record or an array, that [to_] converts to those of [v] and [of_] back:
    [conv (fun m -> (m.weights, m.bias)) (fun (weights, bias) -> { weights; bias }) (pair ndarray seq)]. *)
val conv : ('b -> 'a) -> ('a -> 'b) -> ('a, 'a) value -> ('b, 'b) value

(** Types of functions: [seq @-> scalar @-> returning seq]. *)
type ('f, 'g) signature

val ( @-> ) : ('a, 'b) value -> ('f, 'g) signature -> ('a -> 'f, 'b -> 'g) signature
val returning : ('a, 'a) value -> ('a, 'a) signature

(** [fn signature f] is [f] for arguments and results of these types. *)
val fn : ('f, 'g) signature -> 'f -> 'g

(**/**)

val described : ('a, 'b) value -> ('a, 'b) Described.t
val following : (unit -> 'a) -> 'a
