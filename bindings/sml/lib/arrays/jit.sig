(* Functions of sequences that are traced once for each list of shapes of their arguments, and from then on run their plan.

     val step =
       let open Jit
       in jit (pair (seq, number Type.real), pair (seq, scalar)) (fn (x, rate) =>
            let val y = Seq.map (fn x => Exp.- (x, Exp.* (Exp.scalar rate, x))) x
            in (y, Scalar.reduce Exp.+ 0.0 y) end)
       end
     val (y, sum) = step (x, 0.1)

   The first call with arguments of new shapes calls the function, with sequences that have no elements yet, as a lambda is called with expressions. It
   plans the results, and later calls run that plan. A call costs what its kernels cost and a few microseconds, so that functions of few
   elements take a fraction of their time.

   Whatever else the function reads is a constant of the plan: numbers, files, random seeds, captured sequences. A captured sequence that has been
   computed is kept, another one is computed in each run. Side effects of the function occur while it is traced alone.

   The function cannot read values of its arguments: Seq.reduce, Seq.nth, Scalar.value, Seq.toList and so on raise Warpfold Argument there. Scalar has the
   lazy reductions, and Exp.cond and Seq.filter replace `if`. Shapes are known to the function, and Seq.length returns them.

   The results are computed when the call returns. Arguments that have not been computed are computed first, together. The default context of the
   function is that of the first argument that has one. Seq.explain of a result shows the plan that computed it. Within another function that
   jit traces, the call is the function's own. *)
signature JIT =
sig

  (* A description of what a function takes or returns: the function sees an 'a, its caller a 'b. They differ for numbers alone. *)
  type ('a, 'b) value

  val seq : ('a Seq.seq, 'a Seq.seq) value
  val scalar : ('a Scalar.t, 'a Scalar.t) value
  val tensor : ('a Tensor.t, 'a Tensor.t) value
  (* A number, or a tuple of numbers, that the function sees as a lazy scalar, so that another number needs no other trace. *)
  val number : 'a Type.t -> ('a Scalar.t, 'a) value
  val pair : ('a, 'b) value * ('c, 'd) value -> ('a * 'c, 'b * 'd) value
  val triple : ('a, 'b) value * ('c, 'd) value * ('e, 'f) value -> ('a * 'c * 'e, 'b * 'd * 'f) value
  val quadruple : ('a, 'b) value * ('c, 'd) value * ('e, 'f) value * ('g, 'h) value -> ('a * 'c * 'e * 'g, 'b * 'd * 'f * 'h) value
  (* For example the parameters of a model. Lists of another length are another trace. *)
  val list : ('a, 'b) value -> ('a list, 'b list) value
  (* convert (to, from) v is values of another type, such as a record, which `to` converts to those of v, and `from` back. *)
  val convert : ('b -> 'a) * ('a -> 'b) -> ('a, 'a) value -> ('b, 'b) value

  (* jit (argument, result) f is f. A call raises what f raises, and as Seq.force does; later calls are not affected. Warpfold Type for sequences of
     sequences: Seq.flatten and Segments.lengths are two sequences. Up to 64 traces are kept, the latest ones, and released with the
     function. Threads that call with new shapes at the same time may each call f. Work of a trace: that of planning the results. *)
  val jit : ('a, 'b) value * ('c, 'c) value -> ('a -> 'c) -> 'b -> 'c
end
