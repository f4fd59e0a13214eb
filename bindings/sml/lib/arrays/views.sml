(* The rest of Tensor: views, and values. *)
structure Tensor =
struct
  open Tensor

  fun numbered (name, a) = shapeOf ("Tensor." ^ name, a)
  fun shape a = numbered ("shape", a)
  fun rank a = Shape.rank (numbered ("rank", a))
  fun length a = lengthOf ("Tensor.length", a)
  fun extent k a = Shape.extent ("Tensor.extent", numbered ("extent", a), k)

  fun strides a = Shape.strides (numbered ("strides", a))
  fun conforms (a, b) = numbered ("conforms", a) = numbered ("conforms", b)

  (* ---- axes *)

  fun reshape shape a = reshapedTo ("Tensor.reshape", a, shape)
  fun broadcast shape a = broadcastTo ("Tensor.broadcast", a, shape)
  fun permuted (name, axes, a) =
    viewed (name, a, fn (p, out) => int32Array (axes, fn (axes, n) => CApi.wf_permute (p, axes, n, out)))
  fun permute axes a = permuted ("Tensor.permute", axes, a)
  (* The front of a shape and its last two extents *)
  fun matrices (name, shape) =
    case List.rev shape of
      columns :: rows :: front => (List.rev front, rows, columns)
    | _ => raise Shape.wrong (name, "the shape is " ^ Shape.toString shape ^ "; expected two axes or more")
  fun transposed (name, a) =
    let val (front, _, _) = matrices (name, shapeOf (name, a))
        val n = List.length front
    in permuted (name, Shape.numbers n @ [n + 1, n], a) end
  fun transpose a = transposed ("Tensor.transpose", a)

  (* ---- parts *)

  structure Part =
  struct
    datatype part = All | At of int | From of int | To of int | Range of int * int | Step of int option * int option * int | New
  end
  open Part

  (* Starts, counts and steps of the axes *)
  fun sliced (name, starts, counts, steps, a) =
    viewed (name, a, fn (p, out) =>
      extents (starts, fn (starts, n) => int64Array (counts, fn counts => int64Array (steps, fn steps =>
        CApi.wf_slice (p, starts, counts, steps, n, out)))))

  (* The start, the count and the step of a part of axis k, which has n elements. *)
  fun range (name, k, n) part =
    let
      fun refuse text =
        raise Shape.outside
          (name, text ^ " of axis " ^ Int.toString k ^ " is outside; its extent is " ^ Int.toString n)
      fun fromEnd i = if i < 0 then i + n else i
      fun inside (text, i, last) = let val j = fromEnd i in if j >= 0 andalso j <= last then j else refuse (text ^ " " ^ Int.toString i) end
      fun between (i, j) =
        let val (first, last) = (inside ("index", i, n), inside ("index", j, n))
        in if first <= last then (first, last - first, 1) else refuse ("the range from " ^ Int.toString i ^ " to " ^ Int.toString j) end
      fun stepped (_, _, 0) = raise Shape.argument (name, "the step along axis " ^ Int.toString k ^ " is 0; expected another number")
        | stepped (from, to, step) =
            let
              val isForward = step > 0
              val first =
                case from of SOME i => inside ("index", i, if isForward then n else n - 1) | NONE => if isForward then 0 else n - 1
              val last = case to of SOME i => inside ("index", i, n) | NONE => if isForward then n else ~1
              val distance = if isForward then last - first else first - last
              (* The quotient rounds towards 0. *)
              val count = if distance <= 0 then 0 else Int.abs (Int.quot (distance - 1, step)) + 1
            in
              (if count = 0 then 0 else first, count, step)
            end
    in
      case part of
        At i => (inside ("index", i, n - 1), 1, 1)
      | From i => between (i, n)
      | To j => between (0, j)
      | Range (i, j) => between (i, j)
      | Step step => stepped step
      | _ => (0, n, 1)
    end

  fun slice parts a =
    let
      val name = "Tensor.slice"
      val shape = shapeOf (name, a)
      val own = List.filter (fn New => false | _ => true) parts
      val missing = Shape.rank shape - List.length own
      val () =
        if missing >= 0 then ()
        else
          raise Shape.wrong
            (name, Shape.there (List.length own, "part", "parts") ^ " for the shape " ^ Shape.toString shape ^ "; expected one per axis")
      val whole = List.tabulate (missing, fn _ => All)
      val ranges = ListPair.map (fn ((k, n), part) => range (name, k, n) part)
                     (ListPair.zip (Shape.numbers (Shape.rank shape), shape), own @ whole)
      val counts = List.map #2 ranges
      (* The extents of the result: New adds one, At removes one. *)
      fun result (New :: parts, counts) = 1 :: result (parts, counts)
        | result (At _ :: parts, _ :: counts) = result (parts, counts)
        | result (_ :: parts, n :: counts) = n :: result (parts, counts)
        | result _ = []
    in
      reshapedTo (name, sliced (name, List.map #1 ranges, counts, List.map #3 ranges, a), result (parts @ whole, counts))
    end

  fun flip axes a =
    let
      val name = "Tensor.flip"
      val shape = shapeOf (name, a)
      val axes = List.map (fn k => Shape.axis (name, shape, k)) axes
      fun step k = if List.exists (fn j => j = k) axes then ~1 else 1
      val steps = List.map step (Shape.numbers (Shape.rank shape))
    in
      sliced (name, ListPair.map (fn (step, n) => if step < 0 then Int.max (n - 1, 0) else 0) (steps, shape), shape, steps, a)
    end

  (* `count` elements from `start` along axis k *)
  fun along (name, k, start, count, a) =
    let
      val shape = shapeOf (name, a)
      val k = Shape.axis (name, shape, k)
      fun only (x, other) = List.map (fn j => if j = k then x else other) (Shape.numbers (Shape.rank shape))
    in
      sliced (name, only (start, 0), Shape.withExtent (name, shape, k, count), only (1, 1), a)
    end

  fun joined (name, _, []) = raise Shape.argument (name, "there are no arrays; expected one or more")
    | joined (name, axis, all as a :: _) =
        let
          val parts = List.map seqOf all
          val () = List.app (fn s => Type.checkValues (name, typeOf (hd parts), typeOf s)) (tl parts)
          val _ = Shape.axis (name, shapeOf (name, a), axis)
        in
          ofSeq (fromAll (name, List.map cellOf parts, contextOf (hd parts), typeOf (hd parts),
                          fn (array, n, out) => CApi.wf_join (array, n, int32 axis, out)))
        end
  fun join axis all = joined ("Tensor.join", axis, all)
  fun stack axis all =
    let
      val name = "Tensor.stack"
      val shape = case all of a :: _ => shapeOf (name, a) | [] => []
      fun added () = let val k = Shape.newAxis (name, shape, axis) in List.take (shape, k) @ [1] @ List.drop (shape, k) end
      fun raised a =
        let val other = shapeOf (name, a)
        in
          if other = shape then reshapedTo (name, a, added ())
          else raise Shape.wrong (name, "the shapes are " ^ Shape.toString shape ^ " and " ^ Shape.toString other ^ "; expected equal shapes")
        end
    in
      joined (name, axis, List.map raised all)
    end
  fun rotate axis k a =
    let val name = "Tensor.rotate"
        val n = Shape.extent (name, shapeOf (name, a), axis)
        val first = if n = 0 then 0 else ~k mod n
    in joined (name, axis, [along (name, axis, first, n - first, a), along (name, axis, 0, first, a)]) end
  fun translate outside distances a =
    let
      val name = "Tensor.translate"
      val value = tuple (Type.literals (typeOf (seqOf a)) outside)
    in
      viewed (name, a, fn (p, out) => extents (distances, fn (d, n) => CApi.wf_translate (p, d, n, text value, out)))
    end
  fun split axis counts a =
    let
      val name = "Tensor.split"
      val n = Shape.extent (name, shapeOf (name, a), axis)
      val total = List.foldl op + 0 counts
      fun parts (_, []) = []
        | parts (start, count :: counts) = along (name, axis, if count = 0 then 0 else start, count, a) :: parts (start + count, counts)
    in
      case List.find (fn count => count < 0) counts of
        SOME count => raise Shape.wrong (name, "the extent of a part is " ^ Int.toString count ^ "; expected numbers from 0")
      | NONE => ();
      if total = n then parts (0, counts)
      else
        raise Shape.wrong
          (name, "the sum of the parts is " ^ Int.toString total ^ ", but axis " ^ Int.toString axis ^ " has the extent " ^ Int.toString n
                 ^ " in the shape " ^ Shape.toString (shapeOf (name, a)))
    end

  (* ---- affine views *)

  fun viewedAs (name, offset, shape, strides, a) =
    if List.length strides = Shape.rank shape then
      viewed (name, a, fn (p, out) => extents (shape, fn (e, n) => int64Array (strides, fn steps =>
        CApi.wf_view (p, int64 offset, e, steps, n, out))))
    else raise Shape.wrong (name, Shape.there (List.length strides, "stride", "strides") ^ " for the shape " ^ Shape.toString shape)
  fun view {offset, shape, strides} a = viewedAs ("Tensor.view", offset, shape, strides, a)
  fun diagonalOf (name, k, a) =
    let
      val shape = shapeOf (name, a)
      val (front, rows, columns) = matrices (name, shape)
      (* A diagonal outside of the matrix has no elements. *)
      val (first, n) =
        if k >= columns orelse k <= ~rows then (0, 0)
        else if k >= 0 then (k, Int.min (rows, columns - k))
        else (~k * columns, Int.min (rows + k, columns))
    in
      viewedAs (name, first, front @ [n], List.take (Shape.strides shape, List.length front) @ [columns + 1], a)
    end
  fun diagonal k a = diagonalOf ("Tensor.diagonal", k, a)
  fun windows sizes a =
    let
      val name = "Tensor.windows"
      val shape = shapeOf (name, a)
      val front = Shape.rank shape - List.length sizes
      fun refuse () =
        raise Shape.wrong
          (name, "the windows are " ^ Shape.toString sizes ^ ", but the shape is " ^ Shape.toString shape ^ "; expected windows inside")
      val () = if front < 0 then refuse () else ()
      val (strides, last) = (Shape.strides shape, List.drop (shape, front))
      val places = ListPair.map (fn (n, w) => if w >= 1 andalso w <= n then n - w + 1 else refuse ()) (last, sizes)
    in
      viewedAs (name, 0, List.take (shape, front) @ places @ sizes, strides @ List.drop (strides, front), a)
    end

  (* ---- values *)

  (* Computed elements are read in place. *)
  fun read (name, s, i) =
    let val Type.T {get, ...} = typeOf s
    in
      if isManifest (name, s) then memory (name, s) (fn (columns, _) => get columns i)
      else nth now (name, reshaped (name, s, [~1]), i)
    end
  fun element (name, a, indices) = read (name, seqOf a, Shape.index (name, shapeOf (name, a), indices))
  fun sub (a, indices) = element ("Tensor.sub", a, indices)
  (* The sequence of the only element *)
  fun single (name, a) =
    if lengthOf (name, a) = 1 then seqOf a
    else raise Shape.wrong (name, "the shape is " ^ Shape.toString (shapeOf (name, a)) ^ "; expected one element")
  fun value a = Core.value ("Tensor.value", single ("Tensor.value", a))
  fun toScalar a = Scalar.nth (toSeq (ofSeq (single ("Tensor.toScalar", a)))) 0
  fun toArray a = Seq.arrayOf ("Tensor.toArray", seqOf a)
  fun toList a = Seq.listOf ("Tensor.toList", seqOf a)
  fun reader a =
    let val (element, shape) = (Seq.reader (seqOf a), shape a)
    in fn indices => element (Shape.index ("Tensor.reader", shape, indices)) end
  fun equal f (a, b) =
    let val name = "Tensor.equal"
    in
      shapeOf (name, a) = shapeOf (name, b)
      andalso reduce now (name, Exp.&&, true, map2 (name, f, flat (name, a), flat (name, b)))
    end
  fun any a = Seq.any (seqOf a)
  fun typeOf (Array (s, _)) = Core.typeOf s
    | typeOf (Constant (ty, _)) = ty
  fun release (Array (s, _)) = Core.release s
    | release _ = ()
end
