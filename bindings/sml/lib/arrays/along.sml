(* Functions along axes. *)
functor Axes (val structureName : string val keeps : bool) =
struct
  open Tensor
  type axes = int list
  fun named name = structureName ^ "." ^ name

  (* The result for these literals of the identity, whose number is that of the columns. *)
  fun reducedFrom literals (name, f, axes, a) =
    let
      val s = seqOf a
      val (from, call) = Shape.named name (fn () =>
        combinedFrom literals (name, f, s) (fn (f, b, p, out) =>
          int32Array (axes, fn (which, n) => CApi.wf_reduce_axis (f, b, p, which, n, int32 (if keeps then 1 else 0), out))))
    in
      ofSeq (make (name, contextOf s, Core.typeOf s, from, call))
    end
  fun reduced (name, f, b, axes, a) = reducedFrom (fn ty => Type.literals ty b) (named name, f, axes, a)
  fun by identity (name, f, axes, a) = reducedFrom (Identity.literals identity) (named name, f, axes, a)

  fun reduce f b axes a = reduced ("reduce", f, b, axes, a)
  fun sumOf (name, axes, a) = by Identity.zero (name, Exp.+, axes, a)
  fun sum axes a = sumOf ("sum", axes, a)
  fun product axes a = by Identity.one ("product", Exp.*, axes, a)
  fun min axes a = by Identity.largest ("min", Exp.min, axes, a)
  fun max axes a = by Identity.smallest ("max", Exp.max, axes, a)
  fun all axes a = reduced ("all", Exp.&&, true, axes, a)
  fun any axes a = reduced ("any", Exp.||, false, axes, a)
  fun count axes a = sumOf ("count", axes, mapped (named "count", Exp.cast Type.int, a))

  (* The number of elements that are combined *)
  fun number (name, axes, a) =
    let val shape = shapeOf (named name, a)
    in List.foldl (fn (k, n) => n * Shape.extent (named name, shape, k)) 1 axes end
  fun meanOf (name, axes, a) =
    let val n = number (name, axes, a)
    in mapped (named name, fn sum => Exp./ (sum, Exp.like sum n), sumOf (name, axes, a)) end
  fun mean axes a = meanOf ("mean", axes, a)
  fun square x = Exp.* (x, x)
  (* The squares of other types fit f64. If the sum for f64 overflows, or is so small that squares may have vanished, the elements are scaled
     first. *)
  fun norm axes a =
    let
      val name = named "norm"
      val ty = Core.typeOf (seqOf a)
      val x = mapped (name, fn x => (ignore (Exp.sqrt x); Exp.cast Type.real x), a)
      fun power n = Exp.real (Math.pow (2.0, Real.fromInt n))
      fun scaledBy n =
        mapped (name, fn sum => Exp.* (Exp.sqrt sum, power (~ n)),
                sumOf ("norm", axes, mapped (name, fn x => square (Exp.* (x, power n)), x)))
      fun larger (norm, large) = Exp.cond (Exp.isfinite norm, norm, large)
      fun smaller (norm, (plain, small)) = Exp.cond (Exp.< (plain, power ~450), small, norm)
      val plain = scaledBy 0
      fun chosen () =
        let val large = zipped2 (name, larger, plain, scaledBy ~600)
        in zipped2 (name, smaller o (fn (norm, p) => (norm, Exp.unpair p)), large, paired (name, plain, scaledBy 600)) end
    in
      mapped (name, Exp.cast ty, if Type.scalars ty = [Type.F64] then chosen () else plain)
    end

  (* The results with the axes that they lack as axes of extent 1 *)
  fun kept (name, axes, a, r) =
    let
      val shape = shapeOf (name, a)
      val axes = List.map (fn k => Shape.axis (name, shape, k)) axes
      fun one (k, n) = if List.exists (fn j => j = k) axes then 1 else n
    in
      reshapedTo (name, r, ListPair.map one (Shape.numbers (Shape.rank shape), shape))
    end

  (* The computed mean is rounded: the square of the mean distance from it is subtracted. *)
  fun variance axes a =
    let
      val name = "variance"
      val distances = zipped2 (named name, Exp.-, a, kept (named name, axes, a, meanOf (name, axes, a)))
      fun difference (squares, distance) =
        let val rest = Exp.- (squares, square distance)
        in Exp.cond (Exp.< (rest, Exp.like rest 0), Exp.like rest 0, rest) end
    in
      zipped2 (named name, difference, meanOf (name, axes, mapped (named name, square, distances)), meanOf (name, axes, distances))
    end
  (* Infinite maxima are not subtracted. *)
  fun highest (name, axes, a) =
    mapped (named name, fn m => Exp.cond (Exp.isfinite m, m, Exp.like m 0), by Identity.smallest (name, Exp.max, axes, a))
  fun logsumexp axes a =
    let
      val name = "logsumexp"
      val high = highest (name, axes, a)
      val powers = zipped2 (named name, Exp.exp o Exp.-, a, kept (named name, axes, a, high))
    in
      zipped2 (named name, fn (sum, high) => Exp.+ (Exp.log sum, high), sumOf (name, axes, powers), high)
    end

  (* The indices along an axis, in the shape of a *)
  fun positions (name, axis, a) =
    let
      val shape = shapeOf (name, a)
      val k = Shape.axis (name, shape, axis)
      val n = List.nth (shape, k)
      val indices = Context.within (contextOf (seqOf a)) (fn () => iota [n])
    in
      broadcastTo (name, reshapedTo (name, indices, n :: List.map (fn _ => 1) (List.drop (shape, k + 1))), shape)
    end
  fun argOf (name, isBetter, identity) axis a =
    let
      val shape = shapeOf (named name, a)
      val n = Shape.extent (named name, shape, axis)
      val () =
        if n > 0 then ()
        else
          raise Shape.outside
            (named name, "axis " ^ Int.toString axis ^ " of the shape " ^ Shape.toString shape ^ " has no elements; expected one or more")
      fun better (p, q) =
        let
          val ((x, i), (y, j)) = (Exp.unpair p, Exp.unpair q)
          (* Any number is better than NaN, so that the order of combining does not matter. *)
          val isNumber = Exp.&& (Exp.<> (x, x), Exp.== (y, y))
          val isSecond = Exp.|| (Exp.|| (isNumber, isBetter (y, x)), Exp.&& (Exp.== (x, y), Exp.< (j, i)))
        in
          Exp.pair (Exp.cond (isSecond, y, x), Exp.cond (isSecond, j, i))
        end
      fun literals ty =
        case Type.scalars ty of
          [x, i] => [identity x, Identity.suffixed (Int.toString n, i)]
        | _ => raise failed (Warpfold.Type, named name ^ ": the elements are tuples; expected scalars")
      val pairs = paired (named name, a, positions (named name, axis, a))
    in
      mapped (named name, fn best => let val (_, i) = Exp.unpair best in Exp.cond (Exp.== (i, Exp.int n), Exp.int 0, i) end,
              reducedFrom literals (named name, better, [axis], pairs))
    end
  fun argmin axis a = argOf ("argmin", Exp.<, Identity.largest) axis a
  fun argmax axis a = argOf ("argmax", Exp.>, Identity.smallest) axis a
end

structure Keep = Axes (val structureName = "Keep" val keeps = true)

structure Along =
struct
  structure Dropped = Axes (val structureName = "Along" val keeps = false)
  open Dropped

  fun scanned inclusive (name, f, literals, axis, a) =
    let
      val s = seqOf a
      val ty = Core.typeOf s
      val (from, call) = Shape.named name (fn () =>
        combinedFrom literals (name, f, s) (fn (f, b, p, (prefixes, totals)) =>
          CApi.wf_scan_axis (f, b, p, int32 axis, int32 inclusive, prefixes, totals)))
    in
      (s, ty, from, call)
    end
  fun scan f b axis a =
    let
      val name = "Along.scan"
      val (s, ty, from, call) = scanned 0 (name, f, fn ty => Type.literals ty b, axis, a)
      val (prefixes, totals) =
        two (name, contextOf s, ty, ty, from, fn (handles, prefixes, totals) => call (handles, (prefixes, totals)))
    in
      (ofSeq prefixes, ofSeq totals)
    end
  fun prefixesOf (name, f, literals, axis, a) =
    let val (s, ty, from, call) = scanned 1 (name, f, literals, axis, a)
    in ofSeq (make (name, contextOf s, ty, from, fn (handles, out) => call (handles, (out, Platform.null)))) end
  fun scanIncl f b axis a = prefixesOf ("Along.scanIncl", f, fn ty => Type.literals ty b, axis, a)
  fun cumulativeSum axis a = prefixesOf ("Along.cumulativeSum", Exp.+, Identity.literals Identity.zero, axis, a)
  fun cumulativeProduct axis a = prefixesOf ("Along.cumulativeProduct", Exp.*, Identity.literals Identity.one, axis, a)

  fun sorted (name, order, axis, a) = viewed (name, a, fn (p, out) => CApi.wf_sort_axis (p, int32 axis, code order, out))
  fun ascending axis a = sorted ("Along.ascending", Ascending, axis, a)
  fun descending axis a = sorted ("Along.descending", Descending, axis, a)
  fun indicesIn (name, order, axis, a) = #2 (unzip (sorted (name, order, axis, paired (name, a, positions (name, axis, a)))))
  fun ascendingIndices axis a = indicesIn ("Along.ascendingIndices", Ascending, axis, a)
  fun descendingIndices axis a = indicesIn ("Along.descendingIndices", Descending, axis, a)

  fun softmax axes a =
    let
      val name = "Along.softmax"
      val high = by Identity.smallest ("softmax", Exp.max, axes, a)
      val powers = zipped2 (name, Exp.exp o Exp.-, a, kept (name, axes, a, high))
    in
      zipped2 (name, Exp./, powers, kept (name, axes, a, sumOf ("softmax", axes, powers)))
    end
end
