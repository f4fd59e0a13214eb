(* Gradients: against differences of f64, forward mode against reverse mode, and against derivatives written by hand. The rules of
   all primitives and operations are tested in C++. *)
structure GradientTests =
struct
  open Arrays Gradient

  fun single x = Single.fromReal x
  fun close tolerance (a, b) = Real.abs (a - b) <= tolerance * Real.max (1.0, Real.max (Real.abs a, Real.abs b))
  fun near tolerance what (a, b) =
    holds (what ^ ": " ^ Real.toString a ^ " = " ^ Real.toString b) (close tolerance (a, b))
  fun all tolerance what (xs, ys) =
    (int (List.length xs, List.length ys); ListPair.app (near tolerance what) (xs, ys))
  val same = all 1E~12 "elements"

  (* Values that differ by position, between low and high; others for each k. *)
  fun values (k, low, high) n =
    List.tabulate (n, fn i => low + (high - low) * real ((i * 7919 + k * 104729 + 331) mod 100003) / 100003.0)
  fun sum s = Scalar.reduce Exp.+ 0.0 s
  fun dot (s, t) = Scalar.value (sum (Seq.zipWith Exp.* (s, t)))
  fun moved (s, v, h) = Seq.zipWith (fn (x, d) => Exp.+ (x, Exp.* (Exp.real h, d))) (s, v)

  (* Functions of a sequence of numbers between 0.5 and 2, smooth near it *)
  fun square x = Exp.* (x, x)
  fun logistic x = Exp./ (Exp.real 1.0, Exp.+ (Exp.real 1.0, Exp.exp (Exp.~ x)))
  fun weighted s = sum (Seq.zipWith (fn (x, i) => let open Exp in x * (real 1.0 + cast Type.real (i mod int 7)) end) (s, Seq.iota (Seq.length s)))
  fun first n s = Seq.take s (Int.min (Seq.length s, n))
  fun square2 s = let val n = Real.floor (Math.sqrt (real (Seq.length s))) in Tensor.fromSeq [n, n] (Seq.take s (n * n)) end
  val functions =
    [("a map", sum o Seq.map (fn x => let open Exp in sin x * exp (~ x) / (real 1.0 + x * x) end)),
     ("a captured scalar", fn s => let val t = sum s in weighted (Seq.map (fn x => Exp./ (x, Exp.scalar t)) s) end),
     ("filter", weighted o Seq.map square o Seq.filter (fn x => Exp.> (x, Exp.real 1.2))),
     ("inner sums", fn s =>
       let val n = Seq.length s div 3
       in weighted (Seq.tabulate (fn i => Inner.sum (Inner.map square (Inner.subseq (Inner.seq s) (Exp.* (i, Exp.int 3), Exp.int 3)))) n) end),
     ("matmul", fn s =>
       let val a = square2 (first 400 s)
       in weighted (Tensor.toSeq (Linear.matmul (a, Tensor.transpose (Tensor.map Exp.sin a)))) end)]

  (* <gradient, v> is the difference quotient in the direction v, and the derivative in forward mode. *)
  fun againstDifferences (name, f) =
    test ("gradient: " ^ name) (fn () =>
      List.app
        (fn n =>
          let
            val (s, v) = (RealSeq.fromList (values (0, 0.5, 2.0) n), RealSeq.fromList (values (1, ~1.0, 1.0) n))
            val early = valueAndGrad Jit.seq f s
            val () = Seq.force [Scalar.any (#1 early)]
            val (late, alone) = (valueAndGrad Jit.seq f s, grad Jit.seq f s)
            val () = Seq.force [Scalar.any (#1 late), Seq.any (#2 late)]
            val along = dot (alone, v)
            val (_, forward) = jvp (Jit.seq, Jit.scalar) f (s, v)
            val h = 1E~6
            val quotient = (Scalar.value (f (moved (s, v, h))) - Scalar.value (f (moved (s, v, Real.~ h)))) / (2.0 * h)
          in
            int (n, Seq.length alone);
            all 1E~9 "forced early and late" (Seq.toList (#2 early), Seq.toList (#2 late));
            all 1E~9 "with the value and alone" (Seq.toList alone, Seq.toList (#2 late));
            near 1E~10 "forward mode" (Scalar.value forward, along);
            if n > 40000 then () else near 3E~5 ("differences of " ^ Int.toString n) (quotient, along)
          end)
        [1, 2, 33, 1025, 100001])

  (* f, and its derivative, second derivative *)
  val derivatives =
    let open Exp
    in
      [("sin", sin, cos, fn x => ~ (sin x)),
       ("exp", exp, exp, exp),
       ("log", log, fn x => real 1.0 / x, fn x => real (Real.~ 1.0) / (x * x)),
       ("softplus", softplus, logistic, fn x => logistic x * (real 1.0 - logistic x))]
    end
  fun byHand (name, f, f', f'') =
    test ("gradient: the derivatives of " ^ name) (fn () =>
      let
        val n = 1025
        val (s, v) = (RealSeq.fromList (values (2, 0.25, 3.0) n), RealSeq.fromList (values (3, ~1.0, 1.0) n))
        val loss = sum o Seq.map f
        val (y, pull) = vjp (Jit.seq, Jit.seq) (Seq.map f) s
        val expected = Seq.toList (Seq.map f' s)
        val scaled = Seq.toList (Seq.zipWith (fn (x, d) => Exp.* (f' x, d)) (s, v))
        val second = Seq.toList (Seq.zipWith (fn (x, d) => Exp.* (f'' x, d)) (s, v))
      in
        same (expected, Seq.toList (grad Jit.seq loss s));
        same (scaled, Seq.toList (pull v));
        same (scaled, Seq.toList (#2 (jvp (Jit.seq, Jit.seq) (Seq.map f) (s, v))));
        same (Seq.toList (Seq.map f s), Seq.toList y);
        same (second, Seq.toList (hessianVector Jit.seq loss (s, v)));
        same (second, Seq.toList (grad Jit.seq (fn s => sum (Seq.zipWith Exp.* (grad Jit.seq loss s, v))) s));
        same ([Scalar.value (grad (Jit.number Type.real) (grad Jit.scalar (Scalar.map f)) 0.75)],
              Seq.toList (Seq.map f'' (RealSeq.fromList [0.75])))
      end)

  (* sum a s^2 + b sum m, of parameters of each kind *)
  fun shapes () =
    let
      val s = RealSeq.fromList [1.0, ~2.0, 3.0]
      val m = RealTensor.fromList [2, 2] [1.0, 2.0, 3.0, 4.0]
      fun loss (s, m, a, b) =
        let val squares = Scalar.zipWith Exp.* (a, sum (Seq.map square s))
        in Scalar.zipWith Exp.+ (squares, Scalar.zipWith Exp.* (b, sum (Tensor.toSeq m))) end
      fun check (s, m, a, b) =
        (same ([4.0, ~8.0, 12.0], Seq.toList s);
         list Int.toString ([2, 2], Tensor.shape m);
         same ([5.0, 5.0, 5.0, 5.0], Tensor.toList m);
         same ([14.0, 10.0], [Scalar.value a, Scalar.value b]))
      val b = Scalar.reduce Exp.max 0.0 (RealSeq.fromList [5.0])
      val four = let open Jit in quadruple (seq, tensor, number Type.real, scalar) end
      val record =
        Jit.convert (fn {s, m, a, b} => (s, m, a, b), fn (s, m, a, b) => {s = s, m = m, a = a, b = b})
          (let open Jit in quadruple (seq, tensor, scalar, scalar) end)
      fun ofRecord {s, m, a, b} = loss (s, m, a, b)
    in
      test "gradient: tuples and numbers" (fn () => check (grad four loss (s, m, 2.0, b)));
      test "gradient: records" (fn () =>
        let
          val a = Scalar.reduce Exp.+ 0.0 (RealSeq.fromList [2.0])
          val {s = s', m = m', a = a', b = b'} = grad record ofRecord {s = s, m = m, a = a, b = b}
          val stepped = Jit.jit (record, record) (grad record ofRecord) {s = s, m = m, a = a, b = b}
        in
          check (s', m', a', b');
          check (#s stepped, #m stepped, #a stepped, #b stepped)
        end);
      test "gradient: lists, constants, pairs of numbers" (fn () =>
        let
          val layers = [s, Seq.map Exp.~ s, Seq.take s 1]
          val gradients = grad (Jit.list Jit.seq) (fn layers => sum (Seq.map square (RealSeq.concat layers))) layers
          val constant = grad Jit.tensor (fn c => sum (Tensor.toSeq (Tensor.Infix.* (c, m)))) (Tensor.Infix.R 3.0)
          val points = Seq.zip (s, Seq.map Exp.exp s)
          val slopes = grad Jit.seq (fn p => sum (Seq.map (fn p => let val (x, y) = Exp.unpair p in Exp.* (x, y) end) p)) points
        in
          List.app same (ListPair.zip ([[2.0, ~4.0, 6.0], [~2.0, 4.0, ~6.0], [2.0]], List.map Seq.toList gradients));
          int (0, List.length (grad (Jit.list Jit.seq) (fn _ => b) []));
          same ([10.0], Tensor.toList constant);
          same (Seq.toList s, List.map #2 (Seq.toList slopes));
          same (List.map Math.exp (Seq.toList s), List.map #1 (Seq.toList slopes))
        end);
      test "gradient: singles" (fn () =>
        let val x = SingleSeq.fromList (List.map single [0.5, 1.5])
        in
          all 1E~6 "elements"
            ([1.0, 3.0], List.map Single.toReal (Seq.toList (grad Jit.seq (fn s => Scalar.reduce Exp.+ (single 0.0) (Seq.map square s)) x)))
        end)
    end

  fun defineByRun () =
    (test "gradient: define by run" (fn () =>
       let
         val n = 33
         val x = variable Jit.seq (RealSeq.fromList (values (4, ~1.0, 1.0) n))
         val other = variable Jit.seq (RealSeq.fromList [1.0, 2.0])
         val y = Seq.map Exp.exp x
         val () = Seq.force [Seq.any y]
         val value = sum (Seq.map square y)
         val before_ = gradients Jit.seq value x
         val _ = Scalar.value value
         val expected = List.map (fn x => 2.0 * Math.exp (2.0 * x)) (Seq.toList x)
       in
         same (expected, Seq.toList before_);
         same (expected, Seq.toList (gradients Jit.seq value x));
         same ([0.0, 0.0], Seq.toList (gradients Jit.seq value other));
         same (List.map Math.exp (Seq.toList x),
               Seq.toList (gradients Jit.seq (sum (Seq.zipWith Exp.* (y, stopGradient Jit.seq (Seq.map (fn _ => Exp.real 1.0) y)))) x));
         same (List.tabulate (n, fn _ => 0.0), Seq.toList (gradients Jit.seq (sum (stopGradient Jit.seq y)) x))
       end);
     test "gradient: nothing leaks through cond" (fn () =>
       same ([0.0, 0.25],
             Seq.toList (grad Jit.seq (fn s => sum (Seq.map (fn x => let open Exp in cond (x > real 0.0, sqrt x, real 0.0) end) s))
                           (RealSeq.fromList [0.0, 4.0]))));
     test "gradient: a value and its gradient are one kernel" (fn () =>
       let val (value, slope) = valueAndGrad Jit.seq (sum o Seq.map (fn x => square (Exp.sin x))) (RealSeq.fromList (values (5, 0.0, 1.0) 5000))
       in contains ("1 kernel\n", Seq.explain [Scalar.any value, Seq.any slope]) end);
     test "gradient: no elements" (fn () => int (0, Seq.length (grad Jit.seq sum (RealSeq.fromList [])))))

  fun traced () =
    test "gradient: in and outside of jit" (fn () =>
      let
        fun loss (s, w) = sum (Seq.map (fn x => Exp.softplus (Exp.* (x, Exp.scalar w))) s)
        val parameters = let open Jit in pair (seq, number Type.real) end
        val (count, lossOnce) = let val n = ref 0 in (n, fn x => (n := !n + 1; loss x)) end
        val results = let open Jit in pair (scalar, pair (seq, scalar)) end
        val step = Jit.jit (parameters, results) (valueAndGrad (let open Jit in pair (seq, scalar) end) lossOnce)
        fun check n w =
          let
            val s = RealSeq.fromList (values (6, ~2.0, 2.0) n)
            val (v, (ds, dw)) = valueAndGrad parameters loss (s, w)
            val (v', (ds', dw')) = step (s, w)
            val (ds'', _) = grad parameters (Jit.jit (let open Jit in pair (seq, scalar) end, Jit.scalar) loss) (s, w)
          in
            same ([Scalar.value v, Scalar.value dw], [Scalar.value v', Scalar.value dw']);
            same (Seq.toList ds, Seq.toList ds');
            same (Seq.toList ds, Seq.toList ds'')
          end
        val compiled = Jit.jit (Jit.seq, Jit.seq) (Seq.map Exp.sin)
        val s = RealSeq.fromList [0.5, 1.5]
        fun hessian f = Jit.jit (let open Jit in pair (seq, seq) end, Jit.seq) (hessianVector Jit.seq f)
      in
        List.app (fn n => List.app (check n) [0.5, ~1.0]) [1, 33, 1025];
        int (3, !count);
        same ([Math.cos 0.5, Math.cos 1.5], Seq.toList (grad Jit.seq (sum o compiled) s));
        same ([Math.sin 0.5, Math.sin 1.5], Seq.toList (compiled s));
        same ([3.0, 9.0], Seq.toList (hessian (sum o Seq.map (fn x => Exp.* (x, square x))) (s, RealSeq.fromList [1.0, 1.0])));
        (* An exception in the function leaves jit as it was. *)
        raises "Domain" (fn Domain => true | _ => false) (fn () => grad Jit.seq (fn _ => raise Domain) s);
        warpfold (Warpfold.Argument, "stopGradient") (fn () => compiled (variable Jit.seq s))
      end)

  fun errors () =
    test "gradient: errors" (fn () =>
      let
        val s = RealSeq.fromList [1.0, 2.0]
        val computed = sum (Seq.map square s)
        val _ = Scalar.value computed
        val hypot = Native.c {name = "hypot", address = CFunctions.hypot, parameters = Type.pair (Type.real, Type.real), result = Type.real}
        fun opaque s = sum (Native.map hypot (Seq.zip (s, s)))
        val (_, pull) = vjp (Jit.seq, Jit.seq) (Seq.map square) s
      in
        warpfold (Warpfold.Argument, "Gradient.gradients: the value has no history") (fn () => gradients Jit.seq computed (variable Jit.seq s));
        warpfold (Warpfold.Argument, "expected a result of Gradient.variable") (fn () => gradients Jit.seq (sum s) s);
        warpfold (Warpfold.Argument, "Gradient.grad: the value has no history") (fn () => grad Jit.seq (fn _ => computed) s);
        warpfold (Warpfold.Unsupported, "hypot") (fn () => grad Jit.seq opaque s);
        warpfold (Warpfold.Unsupported, "hypot") (fn () => jvp (Jit.seq, Jit.scalar) opaque (s, s));
        warpfold (Warpfold.Type, "Gradient.valueAndGrad: the variable has columns")
          (fn () => valueAndGrad Jit.seq (fn i => sum (Seq.map (Exp.cast Type.real) i)) (IntSeq.fromList [1]));
        size (fn () => pull (RealSeq.fromList [1.0]));
        contains ("Gradient.vjp: the seed", Warpfold.lastMessage ());
        size (fn () => hessianVector Jit.seq (sum o Seq.map square) (s, Seq.take s 1));
        same ([2.0, 4.0], Seq.toList (pull (RealSeq.fill 1.0 2)))
      end)

  fun run () =
    (List.app againstDifferences functions; List.app byHand derivatives; shapes (); defineByRun (); traced (); errors ())
end
