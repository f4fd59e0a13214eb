structure Gradient =
struct
  open Core

  (* x with each sequence replaced by what `call` makes of it. *)
  fun each (name, call) (Jit.Value {rebuild, ...}) =
    rebuild (fn (s, context) =>
      newCell (name, context, [s], fn handles => handleOf (name, fn out => call (List.hd handles, out)), true))
  fun marked name argument given = each (name, CApi.wf_variable) argument (Jit.lifted argument given)
  fun variable argument given = marked "Gradient.variable" argument given
  fun stopGradient argument x = each ("Gradient.stopGradient", CApi.wf_constant) argument x

  (* Calls `use` with the arrays of the lists into which the handles are divided: the first n, the next m, and so on. An empty one is null. *)
  fun divided ([], _, use) = use []
    | divided (n :: lengths, handles, use) =
        pointers (List.take (handles, n), fn (array, count) =>
          divided (lengths, List.drop (handles, n), fn rest => use ((if n = 0 then null else array, count) :: rest)))
  (* `like` with other sequences, which one call makes from these lists of sequences. *)
  fun derived (name, (description, like), lists, call) =
    let
      val n = List.length (Jit.cellsOf description like)
      val from = List.concat lists
      val makers = makers (name, n, fn (handles, out) =>
        divided (List.map List.length lists, handles, fn arrays => call (arrays, out)))
    in
      Jit.replaced description (fn (context, make) => newCell (name, context, from, make, true)) (like, makers)
    end

  fun pulled (name, argument, x) (values, seeds) =
    derived (name, (argument, x), [values, seeds, Jit.cellsOf argument x],
             fn ([(ys, n), (cotangents, _), (xs, m)], out) => CApi.wf_gradient (ys, cotangents, n, xs, m, out)
              | _ => raise Match)
  fun gradients argument (Scalar y) x = pulled ("Gradient.gradients", argument, x) ([cellOf y], [])

  (* f of a variable, and the variable. *)
  fun evaluated (name, argument, f, given) =
    let val x = marked name argument given
    in (Jit.whileTracing (fn () => f x), x) end

  fun valued name argument f given =
    let val (value as Scalar y, x) = evaluated (name, argument, f, given)
    in (value, pulled (name, argument, x) ([cellOf y], [])) end
  fun valueAndGrad argument = valued "Gradient.valueAndGrad" argument
  fun graded name argument f given = #2 (valued name argument f given)
  fun grad argument = graded "Gradient.grad" argument

  fun vjp (argument, result) f given =
    let val (y, x) = evaluated ("Gradient.vjp", argument, f, given)
    in (y, fn seed => pulled ("Gradient.vjp", argument, x) (Jit.cellsOf result y, Jit.cellsOf result seed)) end

  fun pushed name (argument, result) f (given, direction) =
    let
      val (y, x) = evaluated (name, argument, f, given)
      val changes = Jit.cellsOf argument (Jit.lifted argument direction)
    in
      (y, derived (name, (result, y), [Jit.cellsOf result y, Jit.cellsOf argument x, changes],
                   fn ([(ys, n), (xs, m), (tangents, _)], out) => CApi.wf_tangent (ys, n, xs, tangents, m, out)
                    | _ => raise Match))
    end
  fun jvp descriptions = pushed "Gradient.jvp" descriptions

  fun hessianVector argument f =
    let val name = "Gradient.hessianVector"
    in #2 o pushed name (argument, argument) (graded name (Jit.seen argument) f) end
end
