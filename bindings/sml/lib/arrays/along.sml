(* Functions along axes. *)
functor Axes (val structureName : string val keeps : bool) =
struct
  open Tensor
  type axes = int list
  fun named name = structureName ^ "." ^ name

  (* A function of wf_call of an array of floats *)
  fun composedOf (name, function, a, numbers) =
    let
      val s = seqOf a
      val ty = Core.typeOf s
    in
      case Type.scalars ty of
        [Type.F32] => composed (name, function, [cellOf s], contextOf s, ty, numbers)
      | [Type.F64] => composed (name, function, [cellOf s], contextOf s, ty, numbers)
      | _ => Shape.named name (fn () => Exp.wrong (function, "an operand", "floating-point numbers", ty))
    end

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

  val flag = if keeps then 1.0 else 0.0
  fun statistic (name, more, axes, a) = ofSeq (composedOf (named name, name, a, flag :: more @ List.map Real.fromInt axes))
  fun mean axes a = statistic ("mean", [], axes, a)
  fun variance axes a = statistic ("variance", [0.0], axes, a)
  fun norm axes a = statistic ("norm", [], axes, a)
  fun logsumexp axes a = statistic ("logsumexp", [], axes, a)

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
  fun indexOf (name, axis, a) =
    let
      val s = seqOf a
      val index = ofSeq (composed (named name, name, [cellOf s], contextOf s, Type.int64, [Real.fromInt axis]))
      val ints = mapped (named name, Exp.cast Type.int, index)
    in
      if keeps then reshapedTo (named name, ints, Shape.withExtent (named name, shapeOf (named name, a), axis, 1)) else ints
    end
  fun argmin axis a = indexOf ("argmin", axis, a)
  fun argmax axis a = indexOf ("argmax", axis, a)
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

  fun softmax axes a = ofSeq (composedOf ("Along.softmax", "softmax", a, List.map Real.fromInt axes))
end
