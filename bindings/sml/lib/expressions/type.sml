structure Type =
struct
  (* The types of columns, in the order of warpfold.h. *)
  datatype scalar = Bool | U8 | I32 | U32 | I64 | U64 | F32 | F64
  (* An element that is a sequence is a range of the sequence with this cell: the columns are the first position and the length. *)
  datatype shape = Column of scalar | Tuple of shape list | Range of {values : Platform.cell, element : shape}

  fun code scalar =
    case scalar of Bool => 0 | U8 => 1 | I32 => 2 | U32 => 3 | I64 => 4 | U64 => 5 | F32 => 6 | F64 => 7
  fun size scalar =
    case scalar of Bool => 1 | U8 => 1 | I32 => 4 | U32 => 4 | I64 => 8 | U64 => 8 | F32 => 4 | F64 => 8
  fun scalarName scalar =
    case scalar of
      Bool => "bool" | U8 => "u8" | I32 => "i32" | U32 => "u32" | I64 => "i64" | U64 => "u64" | F32 => "f32" | F64 => "f64"

  (* A type reads and writes elements through one pointer per column. A null pointer is a missing column: its elements are read as zero, and
     writes to it are ignored. So a component of a pair is accessed through the type of the pair, with null pointers for the other
     component: in SML's type system an ('a * 'b) t cannot contain an 'a t that can be extracted. `texts` has one text per column or range,
     for the toplevel. The zero of a range is the whole sequence that it belongs to. *)
  type pointers = Platform.pointer list
  datatype 'a t =
    T of
      {shape : shape,
       zero : 'a,
       texts : 'a -> (unit -> string) list,
       get : pointers -> int -> 'a,
       set : pointers -> int * 'a -> unit,
       load : pointers * int -> 'a array,
       fill : pointers * 'a array -> unit,
       store : pointers * 'a array -> unit,
       fromHost : (Platform.pointer * CApi.int32 * 'a array * CApi.int64 * Platform.pointer -> CApi.int32) option}

  fun columns (Column scalar) = [scalar]
    | columns (Tuple shapes) = List.concat (List.map columns shapes)
    | columns (Range _) = [I64, I64]
  fun scalars (T {shape, ...}) = columns shape
  fun width ty = List.length (scalars ty)
  fun nulls n = List.tabulate (n, fn _ => Platform.null)
  fun areNull pointers = List.all (fn p => p = Platform.null) pointers

  fun shapeName (Column scalar) = scalarName scalar
    | shapeName (Tuple shapes) = "(" ^ String.concatWith ", " (List.map shapeName shapes) ^ ")"
    | shapeName (Range {element, ...}) = shapeName element ^ " seq"
  fun name (T {shape, ...}) = shapeName shape

  (* The cells of the sequences that ranges belong to. *)
  fun valuesOfShape (Column _) = []
    | valuesOfShape (Tuple shapes) = List.concat (List.map valuesOfShape shapes)
    | valuesOfShape (Range {values, element}) = values :: valuesOfShape element
  fun valuesOf (T {shape, ...}) = valuesOfShape shape

  (* Raises an error unless the ranges of both types belong to the same sequences. *)
  fun checkValues (name, T {shape = Column _, ...}, _) = ()
    | checkValues (name, a, b) =
        if ListPair.allEq Platform.same (valuesOf a, valuesOf b) then ()
        else
          raise Warpfold.failed
            (Warpfold.Argument, name ^ ": sequences of sequences that have different values; expected parts of one, Segments.append, or Seq.flatten of each")

  fun column (scalar, zero, texts, {get, set, load, fill, store, fromHost} : 'a Platform.codec) =
    T {shape = Column scalar, zero = zero, texts = texts,
       get = fn pointers =>
         let val p = List.hd pointers in if p = Platform.null then fn _ => zero else fn i => get (p, i) end,
       set = fn pointers =>
         let val p = List.hd pointers in if p = Platform.null then ignore else fn (i, x) => set (p, i, x) end,
       load = fn (pointers, n) => load (List.hd pointers, n),
       fill = fn (pointers, a) => fill (List.hd pointers, a),
       store = fn (pointers, a) => store (List.hd pointers, a),
       fromHost = fromHost}

  fun shown show x = [fn () => show x]
  val bool = column (Bool, false, shown Bool.toString, Platform.bool)
  val word8 = column (U8, 0w0, shown (Word8.fmt StringCvt.DEC), Platform.word8)
  val int32 = column (I32, 0, shown Int32.toString, Platform.int32s)
  val word32 = column (U32, 0w0, shown (Word32.fmt StringCvt.DEC), Platform.word32)
  val int = column (if Int.precision = SOME 32 then I32 else I64, 0, shown Int.toString, Platform.int)
  val int64 = column (I64, 0, shown Int64.toString, Platform.int64s)
  val word64 = column (U64, 0w0, shown (Word64.fmt StringCvt.DEC), Platform.word64)
  val single = column (F32, Single.fromReal 0.0, shown (Real.toString o Single.toReal), Platform.single)
  val real = column (F64, 0.0, shown Real.toString, Platform.real)

  (* Loads and stores element by element; slower than the loops of the columns' types. *)
  fun elementwise (shape, zero, texts, get, set) =
    T {shape = shape, zero = zero, texts = texts, get = get, set = set,
       load = fn (pointers, n) => Array.tabulate (n, get pointers),
       fill = fn (pointers, a) => let val element = get pointers in Array.modifyi (fn (i, _) => element i) a end,
       store = fn (pointers, a) => Array.appi (set pointers) a,
       fromHost = NONE}

  (* The type of tuples that are represented as pairs; `there` and `back` convert. *)
  fun seenAs (shape, there, back) (a as T {zero = zeroA, texts = textsA, get = getA, set = setA, ...},
                                   T {zero = zeroB, texts = textsB, get = getB, set = setB, ...}) =
    let
      val widthA = width a
      val zero = there (zeroA, zeroB)
      fun parts pointers = (List.take (pointers, widthA), List.drop (pointers, widthA))
      fun get pointers =
        if areNull pointers then fn _ => zero
        else
          let val (left, right) = parts pointers
              val (x, y) = (getA left, getB right)
          in fn i => there (x i, y i) end
      fun set pointers =
        if areNull pointers then ignore
        else
          let val (left, right) = parts pointers
              val (f, g) = (setA left, setB right)
          in fn (i, xy) => let val (x, y) = back xy in f (i, x); g (i, y) end end
    in
      elementwise (shape, zero, fn xy => let val (x, y) = back xy in textsA x @ textsB y end, get, set)
    end

  fun shape (T {shape, ...}) = shape
  fun same x = x
  fun pair (a, b) = seenAs (Tuple [shape a, shape b], same, same) (a, b)
  fun triple (a, b, c) =
    seenAs (Tuple [shape a, shape b, shape c], fn (x, (y, z)) => (x, y, z), fn (x, y, z) => (x, (y, z))) (a, pair (b, c))
  fun quadruple (a, b, c, d) =
    seenAs
      (Tuple [shape a, shape b, shape c, shape d], fn ((w, x), (y, z)) => (w, x, y, z), fn (w, x, y, z) => ((w, x), (y, z)))
      (pair (a, b), pair (c, d))

  (* The columns of another type, and these texts *)
  fun represented (back, there, texts) (T {shape, zero, get, set, ...}) =
    elementwise
      (shape, there zero, texts, fn pointers => there o get pointers,
       fn pointers => let val f = set pointers in fn (i, x) => f (i, back x) end)
  fun convert (back, there) (ty as T {texts, ...}) = represented (back, there, texts o back) ty
  val char = represented (Byte.charToByte, Byte.byteToChar, shown (fn c => "#\"" ^ Char.toString c ^ "\"")) word8
  fun enumeration constants =
    let
      val all = Vector.fromList constants
      val name = "Type.enumeration: "
      val () =
        if Vector.length all <= 256 then ()
        else raise Warpfold.failure (Size, name ^ Int.toString (Vector.length all) ^ " constants; expected at most 256")
      fun position x =
        case Vector.findi (fn (_, y) => x = y) all of
          SOME (i, _) => Word8.fromInt i
        | NONE => raise Warpfold.failed (Warpfold.Argument, name ^ "an element is not in the list; expected one of its constants")
    in
      convert (position, fn i => Vector.sub (all, Word8.toInt i)) word8
    end
  fun option (ty as T {zero, ...}) =
    convert (fn SOME x => (true, x) | NONE => (false, zero), fn (isSome, x) => if isSome then SOME x else NONE) (pair (bool, ty))

  (* The type of component k of a tuple type. `take` extracts it from a tuple; `put` replaces it in a tuple of zeros. *)
  fun component (k, take, put) (T {shape, zero, texts, get, set, ...}) =
    let
      val shapes = case shape of Tuple shapes => shapes | _ => []
      fun leaves (Tuple shapes) = List.foldl (fn (shape, n) => n + leaves shape) 0 shapes
        | leaves _ = 1
      val first = leaves (Tuple (List.take (shapes, k)))
      fun widthOf shapes = List.length (List.concat (List.map columns shapes))
      val (before_, after) = (nulls (widthOf (List.take (shapes, k))), nulls (widthOf (List.drop (shapes, k + 1))))
      fun whole pointers = before_ @ pointers @ after
    in
      elementwise
        (List.nth (shapes, k), take zero,
         fn x => List.take (List.drop (texts (put (zero, x)), first), leaves (List.nth (shapes, k))),
         fn pointers => let val f = get (whole pointers) in fn i => take (f i) end,
         fn pointers => let val f = set (whole pointers) in fn (i, x) => f (i, put (zero, x)) end)
    end
  fun unpair ty =
    (component (0, fn (x, _) => x, fn ((_, y), x) => (x, y)) ty,
     component (1, fn (_, y) => y, fn ((x, _), y) => (x, y)) ty)
  fun untriple ty =
    (component (0, fn (x, _, _) => x, fn ((_, y, z), x) => (x, y, z)) ty,
     component (1, fn (_, y, _) => y, fn ((x, _, z), y) => (x, y, z)) ty,
     component (2, fn (_, _, z) => z, fn ((x, y, _), z) => (x, y, z)) ty)
  fun unquadruple ty =
    (component (0, fn (w, _, _, _) => w, fn ((_, x, y, z), w) => (w, x, y, z)) ty,
     component (1, fn (_, x, _, _) => x, fn ((w, _, y, z), x) => (w, x, y, z)) ty,
     component (2, fn (_, _, y, _) => y, fn ((w, x, _, z), y) => (w, x, y, z)) ty,
     component (3, fn (_, _, _, z) => z, fn ((w, x, y, _), z) => (w, x, y, z)) ty)

  (* ---- literals *)

  (* SML writes ~1, the written form -1. *)
  val plain = String.map (fn #"~" => #"-" | c => c)

  (* 17 digits distinguish all reals. *)
  fun realLiteral x =
    if Real.isNan x then "nan"
    else if Real.== (x, 0.0) then if Real.signBit x then "-0" else "0"
    else if Real.isFinite x then plain (Real.fmt (StringCvt.GEN (SOME 17)) x)
    else if x > 0.0 then "inf"
    else "-inf"

  fun columnText (scalar, p) =
    case scalar of
      Bool => Bool.toString (#get Platform.bool (p, 0))
    | U8 => Word8.fmt StringCvt.DEC (#get Platform.word8 (p, 0))
    | I32 => Int.toString (Platform.getInt32 (p, 0))
    | U32 => Word32.fmt StringCvt.DEC (#get Platform.word32 (p, 0))
    | I64 => Int64.toString (#get Platform.int64s (p, 0))
    | U64 => Word64.fmt StringCvt.DEC (#get Platform.word64 (p, 0))
    | F32 => realLiteral (Single.toReal (#get Platform.single (p, 0)))
    | F64 => realLiteral (#get Platform.real (p, 0))

  (* Stores x to memory, and calls f with the pointers to its columns. *)
  fun written (ty as T {set, ...}) x f =
    Warpfold.room (8 * width ty, fn p =>
      let val pointers = List.tabulate (width ty, fn k => Platform.offset (p, 8 * k))
      in set pointers (0, x); f pointers end)

  (* True of one column of i64 whose largest value the ML type cannot represent. *)
  fun isNarrow (T {get, ...}) =
    Warpfold.room (8, fn p =>
      (#set Platform.int64s (p, 0, 9223372036854775807); (ignore (get [p] 0); false) handle Overflow => true))

  fun newLiteral (Bool, p) = columnText (Bool, p)
    | newLiteral (scalar, p) = plain (columnText (scalar, p)) ^ ":" ^ scalarName scalar

  (* Lambdas have the same few constants each time that they are traced, and 17 digits of a real take microseconds. So the last literals
     are kept, by their bits; each may be overwritten by another thread at any time. *)
  val kept = Array.array (64, (Bool, 0, 0, ""))
  fun literal (scalar, p) =
    if size scalar < 4 then newLiteral (scalar, p)
    else
      let
        val (low, high) = (Platform.getInt32 (p, 0), if size scalar = 8 then Platform.getInt32 (p, 1) else 0)
        val bits = Word.xorb (Word.* (0w31, Word.fromInt low), Word.fromInt high)
        val place = Word.toInt (Word.andb (Word.xorb (bits, Word.xorb (Word.>> (bits, 0w20), Word.>> (bits, 0w10))), 0w63))
        val (keptScalar, keptLow, keptHigh, text) = Array.sub (kept, place)
      in
        if low = keptLow andalso high = keptHigh andalso scalar = keptScalar then text
        else
          let val text = newLiteral (scalar, p)
          in Array.update (kept, place, (scalar, low, high, text)); text end
      end

  (* x in the written form, one literal a column. *)
  fun literals ty x = written ty x (fn pointers => ListPair.map literal (scalars ty, pointers))

  fun show (T {shape, texts, ...}) x =
    let
      fun one (Tuple shapes, texts) =
            let
              fun each (shape, (shown, rest)) = let val (text, rest) = one (shape, rest) in (text :: shown, rest) end
              val (shown, rest) = List.foldl each ([], texts) shapes
            in
              ("(" ^ String.concatWith "," (List.rev shown) ^ ")", rest)
            end
        | one (_, texts) = (List.hd texts (), List.tl texts)
    in
      #1 (one (shape, texts x))
    end
end
