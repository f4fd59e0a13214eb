(* Arrays on handles: making, elementwise functions, values. *)
structure Tensor =
struct
  open Core
  type shape = int list

  (* An array is a sequence, and its shape once it is known. A constant, of rank 0, becomes a literal of the functions that it is an operand of. *)
  datatype 'a t = Array of 'a seq * shape option ref | Constant of 'a Type.t * 'a

  fun extents (shape, f) = int64Array (shape, fn p => f (p, int32 (Shape.rank shape)))
  fun reshaped (name, s, shape) = from (name, s, typeOf s, fn (p, out) => extents (shape, fn (e, n) => CApi.wf_reshape (p, e, n, out)))
  fun seqOf (Array (s, _)) = s
    | seqOf (Constant (ty, x)) = reshaped ("Tensor.scalar", Seq.fill ty x 1, [])

  fun shapeOf (_, Constant _) = []
    | shapeOf (name, Array (s, known)) =
        case !known of
          SOME shape => shape
        | NONE =>
            let
              fun read p =
                scratch (fn out =>
                  (check (name, CApi.wf_shape (p, out, int32 8, offset (out, 64)));
                   List.tabulate (getInt32 (out, 16), fn k => getInt64 (out, k))))
              val shape = using (name, [cellOf s], read o List.hd)
            in
              known := SOME shape;
              shape
            end

  fun ofShape (s, shape) = Array (s, ref (SOME shape))
  fun ofSeq s = Array (s, ref NONE)
  fun lengthOf (name, a) = Shape.length (name, shapeOf (name, a))
  (* A view of a; `call` takes its handle and the output pointer. *)
  fun viewed (name, a, call) =
    let val s = seqOf a
    in ofSeq (from (name, s, typeOf s, call)) end
  fun reshapedTo (name, a, shape) =
    case a of
      Array (s, ref (SOME known)) => if known = shape then a else ofSeq (reshaped (name, s, shape))
    | _ => ofSeq (reshaped (name, seqOf a, shape))
  (* The elements as a vector *)
  fun flat (name, a) =
    case shapeOf (name, a) of
      [_] => seqOf a
    | shape => reshaped (name, seqOf a, [Shape.length (name, shape)])

  (* ---- making *)

  fun fromSeq shape s = ofSeq (reshaped ("Tensor.fromSeq", s, shape))
  fun toSeq a = flat ("Tensor.toSeq", a)
  fun fromScalar (Rep.Scalar s) = ofShape (s, [])
  fun scalar ty x = Constant (ty, x)

  (* A shape must have as many elements as are given. *)
  fun given (name, shape, n, make) =
    if Shape.length (name, shape) = n then ofShape (reshaped (name, make (), shape), shape)
    else
      raise Shape.wrong
        (name, Shape.there (n, "element", "elements") ^ " for the shape " ^ Shape.toString shape ^ "; expected "
               ^ Int.toString (Shape.length (name, shape)))
  fun listed (name, ty, shape, l) = given (name, shape, List.length l, fn () => Core.fromList (name, ty, l))
  fun fromList ty shape l = listed ("Tensor.fromList", ty, shape, l)
  fun fromArray ty shape a =
    let val name = "Tensor.fromArray"
    in given (name, shape, Array.length a, fn () => Core.fromArray (name, ty, a)) end

  fun fromPointers ty {shape, strides} memory =
    let
      val name = "Tensor.fromPointers"
      val () = checkColumns (name, ty, memory)
      val () =
        if List.length strides = Shape.rank shape then ()
        else
          raise Shape.wrong (name, Shape.there (List.length strides, "stride", "strides") ^ " for the shape " ^ Shape.toString shape)
      fun column context (scalar, p) =
        let val code = int32 (Type.code scalar)
        in
          handleOf (name, fn out => extents (shape, fn (e, n) => int64Array (strides, fn steps =>
            CApi.wf_from_host_array (context, code, p, code, e, steps, n, out))))
        end
      fun make context =
        all (CApi.wf_release, column context, ListPair.zip (Type.scalars ty, memory)) (fn columns => zipped (name, columns))
    in
      ofShape (fromCopied (name, ty, make, false), shape)
    end

  fun columnType (name, p) = scratch (fn out => (check (name, CApi.wf_column_type (p, int32 0, out)); getInt32 (out, 0)))
  fun fromDlpack ty tensor =
    let
      val name = "Tensor.fromDlpack"
      val code = Type.code (theScalar (name, ty))
      fun new context =
        let val p = handleOf (name, fn out => CApi.wf_from_dlpack (context, tensor, out))
        in
          if columnType (name, p) = code then p
          else
            (CApi.wf_release p;
             raise failed (Warpfold.Type, name ^ ": the tensor has elements of another type; expected " ^ Type.name ty))
        end
    in
      ofSeq (fromCopied (name, ty, new, false))
    end
  fun toDlpack a =
    let
      val name = "Tensor.toDlpack"
      fun new p = scratch (fn out => (checkMemory (name, fn () => CApi.wf_to_dlpack (p, int32 0, out)); getPointer (out, 0)))
    in
      using (name, [cellOf (seqOf a)], new o List.hd)
    end

  (* The indices of the element at a row-major index, without the division that the first axis does not need. *)
  fun indices (shape, i) =
    let
      fun each ([], _) = []
        | each ([_], i) = [Inner.asInt i]
        | each (n :: shape, i) =
            Inner.asInt (Inner.operation "rem" (i, Inner.literal n)) :: each (shape, Inner.operation "div" (i, Inner.literal n))
    in
      List.rev (each (List.rev shape, i))
    end
  (* The array of f of the row-major index, which is a node. *)
  fun made (name, f, shape) =
    let
      val i = Term.variable (Type.I64, Term.newId ())
      val result = Term.inFunction (fn () => f i)
      val s = Core.tabulate (name, Trace.function (name, [i], Trace.nodes result), Trace.typeOf result, Shape.length (name, shape))
    in
      ofShape (reshaped (name, s, shape), shape)
    end
  fun tabulate f shape = made ("Tensor.tabulate", fn i => f (indices (shape, i)), shape)
  fun fill ty x shape = made ("Tensor.fill", fn _ => Trace.const ty x, shape)
  fun iota shape = made ("Tensor.iota", Inner.asInt, shape)

  (* ---- elementwise *)

  fun mapped (name, f, a) =
    Shape.named name (fn () =>
      case a of
        Array (s, known) => Array (Core.map (name, f, s), known)
      | _ => ofShape (Core.map (name, f, seqOf a), []))
  fun map f a = mapped ("Tensor.map", f, a)

  fun broadcastTo (name, a, shape) =
    if shapeOf (name, a) = shape then a
    else viewed (name, a, fn (p, out) => extents (shape, fn (e, n) => CApi.wf_broadcast (p, e, n, out)))
  fun together (name, a, b) =
    let val shape = Shape.broadcast (name, shapeOf (name, a), shapeOf (name, b))
    in (seqOf (broadcastTo (name, a, shape)), seqOf (broadcastTo (name, b, shape)), shape) end
  fun zipped2 (name, f, a as Array _, Constant (ty, y)) = mapped (name, fn x => f (x, Trace.const ty y), a)
    | zipped2 (name, f, Constant (ty, x), b as Array _) = mapped (name, fn y => f (Trace.const ty x, y), b)
    | zipped2 (name, f, a, b) =
        let val (s, t, shape) = together (name, a, b)
        in ofShape (Shape.named name (fn () => map2 (name, f, s, t)), shape) end
  fun paired (name, a, b) =
    let val (s, t, shape) = together (name, a, b)
    in ofShape (Core.zip (name, [cellOf s, cellOf t], contextOf s, Type.pair (typeOf s, typeOf t)), shape) end
  fun zip (a, b) = paired ("Tensor.zip", a, b)
  fun unzip a =
    let
      val shape = shapeOf ("Tensor.unzip", a)
      val (s, t) = Seq.unzipped ("Tensor.unzip", seqOf a)
    in
      (ofShape (s, shape), ofShape (t, shape))
    end
  fun zipWith f (a, b) = zipped2 ("Tensor.zipWith", f, a, b)
  fun zipped3 (name, f, a, b, c) =
    zipped2 (name, fn (xy, z) => let val (x, y) = Exp.unpair xy in f (x, y, z) end, paired (name, a, b), c)
  fun zipWith3 f (a, b, c) = zipped3 ("Tensor.zipWith3", f, a, b, c)
  fun cond (c, a, b) = zipped3 ("Tensor.cond", Exp.cond, c, a, b)

  fun clamp (low, high) a =
    let fun number x = Trace.const (case a of Array (s, _) => Core.typeOf s | Constant (ty, _) => ty) x
    in mapped ("Tensor.clamp", fn x => Exp.max (Exp.min (x, number high), number low), a) end
  fun rectify a = mapped ("Tensor.rectify", Exp.rectify, a)
  fun pos a = mapped ("Tensor.pos", Exp.pos, a)

  fun mapi f a =
    let
      val name = "Tensor.mapi"
      val shape = shapeOf (name, a)
      val s = seqOf a
      val positions = Context.within (contextOf s) (fn () => made (name, fn i => Trace.E (Type.int64, [i]), shape))
      fun each (i, x) = f (indices (shape, List.hd (Trace.nodes i)), x)
    in
      ofShape (map2 (name, each, seqOf positions, s), shape)
    end

  structure Infix =
  struct
    fun I i = Constant (Type.int, i)
    fun R x = Constant (Type.real, x)
    fun B b = Constant (Type.bool, b)
    fun both name f (a, b) = zipped2 ("Tensor." ^ name, f, a, b)
    fun op+ ab = both "+" Exp.+ ab
    fun op- ab = both "-" Exp.- ab
    fun op* ab = both "*" Exp.* ab
    fun op/ ab = both "/" Exp./ ab
    fun op~ a = mapped ("Tensor.~", Exp.~, a)
    fun op div ab = both "div" Exp.div ab
    fun op mod ab = both "mod" Exp.mod ab
    fun op< ab = both "<" Exp.< ab
    fun op<= ab = both "<=" Exp.<= ab
    fun op> ab = both ">" Exp.> ab
    fun op>= ab = both ">=" Exp.>= ab
    fun == ab = both "==" Exp.== ab
    fun op<> ab = both "<>" Exp.<> ab
    fun && ab = both "&&" Exp.&& ab
    fun || ab = both "||" Exp.|| ab
  end

  (* ---- in lambdas *)

  (* The row-major index; each index is checked. *)
  fun position (name, shape, indices) =
    let
      val () =
        if List.length indices = Shape.rank shape then ()
        else
          raise Shape.wrong
            (name, Shape.there (List.length indices, "index", "indices") ^ " for the shape " ^ Shape.toString shape)
      fun each (n, j, i) =
        let val checked = Term.check (Inner.position j, Inner.literal n)
        in
          case i of
            NONE => SOME checked
          | SOME i => SOME (Inner.operation "add" (Inner.operation "mul" (i, Inner.literal n), checked))
        end
    in
      Option.getOpt (ListPair.foldl each NONE (shape, indices), Inner.literal 0)
    end
  fun at (a, indices) = Exp.element (seqOf a, position ("Tensor.at", shapeOf ("Tensor.at", a), indices))
  fun inner (a, indices) =
    let
      val name = "Tensor.inner"
      val shape = shapeOf (name, a)
      val () = if List.null shape then raise Shape.wrong (name, "the array has rank 0; expected an axis") else ()
      val (n, s) = (List.last shape, seqOf a)
      val first = Inner.operation "mul" (position (name, List.take (shape, Shape.rank shape - 1), indices), Inner.literal n)
    in
      Inner.part (Inner.seq s, first, Inner.literal n)
    end
end
