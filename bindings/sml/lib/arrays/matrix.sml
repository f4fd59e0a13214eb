structure Matrix =
struct
  open Tensor
  datatype traversal = datatype Array2.traversal

  fun dimensionsOf (name, m) =
    case shapeOf (name, m) of
      [r, c] => (r, c)
    | shape => raise Shape.wrong (name, "the shape is " ^ Shape.toString shape ^ "; expected a matrix")

  fun fromList ty rows =
    let
      val name = "Matrix.fromList"
      val c = case rows of [] => 0 | row :: _ => List.length row
      fun check row =
        if List.length row = c then ()
        else
          raise Shape.wrong
            (name, "a row has " ^ Int.toString (List.length row) ^ " elements, but the first one has " ^ Int.toString c)
    in
      List.app check rows;
      listed (name, ty, [List.length rows, c], List.concat rows)
    end
  fun fromArray2 ty a =
    let
      val (r, c) = Array2.dimensions a
      val elements = Array.tabulate (r * c, fn k => Array2.sub (a, k div c, k mod c))
    in
      Tensor.fromArray ty [r, c] elements
    end

  (* f of the row and the column *)
  fun from (name, f, r, c) =
    let
      fun pair [i, j] = f (i, j)
        | pair _ = raise Match
    in
      made (name, fn i => pair (indices ([r, c], i)), [r, c])
    end
  fun tabulate f (r, c) = from ("Matrix.tabulate", f, r, c)

  fun zero ty = Trace.E (ty, ListPair.map Term.literal (Type.scalars ty, Identity.literals Identity.zero ty))
  fun one ty = Trace.E (ty, ListPair.map Term.literal (Type.scalars ty, Identity.literals Identity.one ty))
  fun eye ty n = from ("Matrix.eye", fn (i, j) => Exp.cond (Exp.== (i, j), one ty, zero ty), n, n)
  fun ofDiagonal v =
    let
      val name = "Matrix.ofDiagonal"
      val n = case shapeOf (name, v) of [n] => n | shape => raise Shape.wrong (name, "the shape is " ^ Shape.toString shape ^ "; expected a vector")
      val s = seqOf v
    in
      Context.within (contextOf s) (fn () => from (name, fn (i, j) => Exp.cond (Exp.== (i, j), Exp.at (s, i), zero (Core.typeOf s)), n, n))
    end

  fun dimensions m = dimensionsOf ("Matrix.dimensions", m)
  fun nRows m = #1 (dimensionsOf ("Matrix.nRows", m))
  fun nCols m = #2 (dimensionsOf ("Matrix.nCols", m))

  (* The vector at index i of axis k, and the number of its elements *)
  fun vector (name, m, k, i, n, length) =
    if i >= 0 andalso i < n then reshapedTo (name, along (name, k, i, 1, m), [length])
    else
      raise Shape.outside
        (name, "the index is " ^ Int.toString i ^ ", but the shape is " ^ Shape.toString (shapeOf (name, m)))
  fun row (m, i) = let val (r, c) = dimensionsOf ("Matrix.row", m) in vector ("Matrix.row", m, 0, i, r, c) end
  fun column (m, j) = let val (r, c) = dimensionsOf ("Matrix.column", m) in vector ("Matrix.column", m, 1, j, c, r) end

  (* ---- values *)

  fun sub (m, i, j) = element ("Matrix.sub", m, [i, j])

  (* The dimensions, and a function of the row and the column that reads the computed elements *)
  fun opened (name, m) =
    let val (r, c) = dimensionsOf (name, m)
        val element = Seq.reader (seqOf m)
    in (r, c, fn (i, j) => element (i * c + j)) end
  fun toList m =
    let val (r, c, element) = opened ("Matrix.toList", m)
    in List.tabulate (r, fn i => List.tabulate (c, fn j => element (i, j))) end
  fun toArray2 m =
    let val (r, c, element) = opened ("Matrix.toArray2", m)
    in Array2.tabulate Array2.RowMajor (r, c, element) end

  fun folded (name, traversal, f, b, m) =
    let
      val (r, c, element) = opened (name, m)
      fun from (k, b) =
        if k = r * c then b
        else
          let val (i, j) = case traversal of RowMajor => (k div c, k mod c) | ColMajor => (k mod r, k div r)
          in from (k + 1, f (i, j, element (i, j), b)) end
    in
      from (0, b)
    end
  fun foldi traversal f b m = folded ("Matrix.foldi", traversal, f, b, m)
  fun fold traversal f b m = folded ("Matrix.fold", traversal, fn (_, _, x, b) => f (x, b), b, m)
  fun appi traversal f m = folded ("Matrix.appi", traversal, fn (i, j, x, ()) => f (i, j, x), (), m)
  fun app traversal f m = folded ("Matrix.app", traversal, fn (_, _, x, ()) => f x, (), m)
end
