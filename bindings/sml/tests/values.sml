(* Functions compared with what ../../values.py prints: the arguments, and per function its results for these lengths or shapes. *)
structure ValueTests =
struct
  open Check

  val lengths = [0, 1, 7, 100007]
  val shapes = [(0, 3), (3, 0), (1, 1), (2, 3), (17, 31), (64, 129)]
  fun noise n = List.tabulate (n, fn i => (i * 7919 + i mod 1013 * (i mod 1013) mod 1013) mod 2003 - 1001)
  fun number i = String.map (fn #"~" => #"-" | c => c) (Int.toString i)
  fun textOf l =
    if List.length l <= 12 then String.concatWith " " (List.map number l)
    else "#" ^ number (List.length l) ^ " " ^ number (List.foldl (fn (x, h) => (h * 31 + x) mod 65521) 0 l)
  fun all texts = String.concatWith " & " texts
  fun ints s = textOf (Seq.toList s)
  fun pairs p = let val (a, b) = Seq.unzip p in all [ints a, ints b] end
  fun truths l = textOf (List.map (fn b => if b then 1 else 0) l)
  fun nested z = all [ints (Segments.lengths z), ints (Seq.flatten z)]
  fun withTotal (prefixes, total) = all [ints prefixes, number total]
  fun keyed s = let val (keys, groups) = Seq.unzip s in all [ints keys, nested groups] end
  fun first p = #1 (Exp.unpair p)
  fun second p = #2 (Exp.unpair p)

  local
    open Exp.Infix
    infix 4 ==
  in
    fun low k x = Exp.andb (x, I k)
    fun odd x = low 1 x == I 1
    fun square x = low 63 x * low 63 x
    fun lessLow (x, y) = low 7 x < low 7 y
    fun isSeparator x = low 7 x == I 0
    fun quarter (i, x) = low 3 (i + x) == I 0
    fun step (x, y) = Exp.rem (x * I 5 + y, I 1009)
    fun affine (f, g) =
      let val ((a, b), (c, d)) = (Exp.unpair f, Exp.unpair g)
      in Exp.pair (a * c mod I 1009, (b * c + d) mod I 1009) end
    fun both (p, q) = Exp.pair (first p + first q, Exp.max (second p, second q))
    fun ofT x = I 3 - x
    fun next x = x + I 1
    fun triple i = I 3 * i
    fun squareAndOne x = x * x + I 1
    fun sign x = I 1 - I 2 * low 1 x
    fun aboveLow p = second p > low 511 (first p)
    fun third x = x mod I 3 == I 0
    fun above k x = x > I k
    fun place x = (x + I 1001) mod I 17
    fun base i = i * i - I 40
    fun laterQuarter (x, y) = Exp.quot (x, I 4) > Exp.quot (y, I 4)
    fun alike (x, y) = low 1 x == low 1 y
  end

  fun cases n =
    let
      open Seq
      val s = IntSeq.fromList (noise n)
      val t = map ofT (IntSeq.fromList (noise (n div 2 + 3)))
      val z = Segments.fields isSeparator s
      val (u, v) = (Order.unique Exp.< s, Order.unique Exp.< t)
      val keyedS = zip (map (low 15) s, iota n)
      val (places, base) = (map place s, tabulate base 17)
      val longer = append (s, IntSeq.% [0])
      fun last x = update (s, (n - 1, x))
      fun some f = if n = 0 then "-" else f ()
      fun tagged tag s = ascendingBy first (map (fn x => Exp.pair (low 7 x, Exp.I tag)) s)
      fun code EQUAL = 0 | code LESS = ~1 | code GREATER = 1
    in
      [("map", fn () => ints (map squareAndOne s)),
       ("map of two", fn () => ints (zipWith Exp.- (s, rev s))),
       ("map to the shorter", fn () => ints (zipWith Exp.- (s, t))),
       ("zip to the shorter", fn () => pairs (zip (s, t))),
       ("indexed map", fn () => ints (mapIdx Exp.- s)),
       ("tabulate", fn () => all [ints (tabulate triple n), ints (tabulate (fn i => i) n)]),
       ("enumerate", fn () => pairs (enum s)),
       ("filter", fn () => ints (filter odd s)),
       ("filter of pairs", fn () => pairs (filter aboveLow (enumerate s))),
       ("indexed filter", fn () => ints (filterIdx quarter s)),
       ("reduce", fn () => number (reduce Exp.max ~1002 s)),
       ("reduce, in order", fn () =>
          let val (a, b) = reduce affine (1, 0) (zip (map (next o low 3) s, map (low 1023) s)) in textOf [a, b] end),
       ("scan", fn () => withTotal (scan Exp.+ 0 s)),
       ("inclusive scan", fn () => ints (scanIncl Exp.max ~1002 s)),
       ("inclusive scan, total", fn () =>
          let val (prefixes, total) = Scalar.scanIncl Exp.max ~1002 s in withTotal (prefixes, Scalar.value total) end),
       ("count", fn () => number (Scalar.value (Scalar.length (filter odd s)))),
       ("take", fn () => ints (take s (n div 3))),
       ("drop", fn () => ints (drop s (n div 3))),
       ("part", fn () => ints (subseq s (n div 3, n div 2))),
       ("reverse", fn () => ints (rev s)),
       ("append", fn () => all [ints (append (s, t)), ints (IntSeq.concat [s, IntSeq.empty (), t, s])]),
       ("sum", fn () => number (Numbers.sum s)),
       ("product", fn () => number (Numbers.product (map sign s))),
       ("dot", fn () => number (Numbers.dot (s, map (low 7) s))),
       ("count if", fn () => number (Search.count (above 3) s)),
       ("extremes", fn () => some (fn () => let val (a, b) = Numbers.minmax s in all [textOf [a, b], number a, number b] end)),
       ("mean", fn () => some (fn () => String.map (fn #"~" => #"-" | c => c) (Real.fmt (StringCvt.FIX (SOME 6)) (Numbers.mean s)))),
       ("any and all", fn () =>
          truths (List.concat (List.map (fn k => [Search.any (above k) s, Search.all (above k) s]) [~1002, 0, 995, 1001]))),
       ("find", fn () => textOf (List.map (fn k => getOpt (Search.find (above k) s, ~5000)) [0, 995, 1001])),
       ("position", fn () => textOf (List.map (fn k => getOpt (Search.findIndex (above k) s, ~1)) [0, 995, 1001])),
       ("positions", fn () => ints (Search.packIndex third s)),
       ("partition", fn () => let val (yes, no) = partition (above 0) s in all [ints yes, ints no] end),
       ("argmax", fn () => some (fn () => all [number (argmax Exp.< s), number (argmin Exp.< s)])),
       ("argmax in an order", fn () => some (fn () => all [number (argmax lessLow s), number (argmax Exp.> s)])),
       ("map, reduce", fn () => number (mapReduce square Exp.+ 0 s)),
       ("map, scan", fn () => withTotal (mapScan square Exp.+ 0 s)),
       ("map, inclusive scan", fn () => ints (mapScanIncl square Exp.+ 0 s)),
       ("map, filter", fn () => ints (mapFilter square odd s)),
       ("map, filter, indexed", fn () => ints (mapFilterIdx Exp.- quarter s)),
       ("map, merge", fn () => let val a = ascending s in ints (mapMerge next Exp.< (a, a)) end),
       ("iterate", fn () => number (iterate Type.int step 7 s)),
       ("iterated prefixes", fn () => withTotal (iteratePrefixes Type.int step 7 s)),
       ("iterated inclusive prefixes", fn () => ints (iteratePrefixesIncl Type.int step 7 s)),
       ("equal", fn () => truths ([equal Exp.== (s, s), equal Exp.== (s, longer)] @ (if n = 0 then [] else [equal Exp.== (s, last 5000)]))),
       ("compare", fn () =>
          textOf (List.map (fn (f, a, b) => code (collate f (a, b)))
            ([(Exp.<, s, s), (Exp.<, s, longer), (Exp.<, longer, s)] @
             (if n = 0 then [] else [(Exp.<, s, last 5000), (Exp.>, s, last 5000), (Exp.<, update (s, (0, 6000)), last 5000)])))),
       ("sort", fn () => all [ints (ascending s), ints (descending s)]),
       ("sort in an order", fn () => ints (sort lessLow s)),
       ("sort by a key", fn () => all [ints (ascendingBy (low 7) s), ints (descendingBy (low 7) s)]),
       ("sort of pairs", fn () => all (List.map pairs
          [ascendingBy first keyedS, descendingBy first keyedS, sort (fn (p, q) => Exp.> (first p, first q)) keyedS])),
       ("merge", fn () => all [ints (mergeAscending (ascending s, ascending t)), ints (mergeDescending (descending s, descending t))]),
       ("merge in an order", fn () => pairs (merge (fn (p, q) => Exp.< (first p, first q)) (tagged 1 s, tagged 2 t))),
       ("sorted", fn () => truths [Order.isSorted Exp.< u, Order.isSorted Exp.> u, Order.isSorted Exp.< s]),
       ("unique", fn () => ints u),
       ("union", fn () => ints (Order.union Exp.< (u, v))),
       ("intersection", fn () => ints (Order.intersection Exp.< (u, v))),
       ("difference", fn () => ints (Order.difference Exp.< (u, v))),
       ("binary search", fn () => let val places = ints (Search.binarySearch Exp.< (u, t)) in all [places, places] end),
       ("top", fn () => all (List.map (fn k => ints (Order.topK k s)) [0, 10, n + 1])),
       ("scatter", fn () => ints (inject (base, zip (places, s)))),
       ("scatter by add", fn () => ints (scatter Exp.+ (base, zip (places, s)))),
       ("scatter by min", fn () => ints (scatter Exp.min (base, zip (places, s)))),
       ("scatter of pairs", fn () => pairs (scatter both (zip (base, base), zip (places, zip (s, s))))),
       ("histogram", fn () => ints (histogram 17 places)),
       ("update", fn () => some (fn () => all [ints (last 5), pairs (update (enum s, (0, (3, 4))))])),
       ("rotate", fn () => all [ints (rotate s 3), ints (rotate s (~1 - n))]),
       ("interleave", fn () => ints (interleave (s, map Exp.~ s))),
       ("run lengths", fn () => pairs (Segments.runLengths (map (low 1) s))),
       ("values by key", fn () => pairs (Segments.reduceByKey Exp.max ~1 keyedS)),
       ("lengths", fn () => ints (Segments.lengths z)),
       ("fields", fn () => nested z),
       ("tokens", fn () => nested (Segments.tokens isSeparator s)),
       ("split before", fn () => nested (Segments.splitBefore isSeparator s)),
       ("chunks", fn () => all [nested (Segments.chunks 3 s), nested (Segments.chunks 1000 s)]),
       ("windows", fn () => all [nested (Segments.windows 3 s), ints (Segments.reduce Exp.+ 0 (Segments.windows 1000 s))]),
       ("runs", fn () => nested (Segments.runs alike s)),
       ("map of segments", fn () => nested (Segments.map (fn x => Exp.+ (x, x)) z)),
       ("filter of segments", fn () => nested (Segments.filter odd z)),
       ("reduce of segments", fn () => all [ints (Segments.reduce Exp.max ~5000 z), ints (Segments.reduce Exp.+ 0 z)]),
       ("scan of segments", fn () => let val (prefixes, totals) = Segments.scan Exp.+ 0 z in all [nested prefixes, ints totals] end),
       ("inclusive scan of segments", fn () => nested (Segments.scanIncl Exp.+ 0 z)),
       ("sort of segments", fn () => nested (Segments.ascending z)),
       ("collect", fn () => keyed (collect Exp.< keyedS)),
       ("collect in an order", fn () => keyed (collect laterQuarter keyedS)),
       ("group by", fn () => keyed (Segments.groupBy (low 15) s)),
       ("segments of lengths", fn () => let val text = nested (Segments.split (flatten z, Segments.lengths z)) in all [text, text] end),
       ("a segment", fn () => ints (nth z (length z div 2)))]
    end

  (* Every operation of the library: of integers, of reals in millionths, and special functions at one point. *)
  fun operations () =
    let
      fun int64s l = Int64Seq.fromList (List.map Int64.fromInt l)
      val (a, b, counts) = (int64s [7, ~7, 0, 1, ~1, 12, 1000], int64s [3, 3, 5, ~2, ~1, ~5, 0], int64s [3, 3, 5, 2, 1, 5, 0])
      val x = RealSeq.fromList [0.5, ~0.75, 2.0, ~3.5, 0.375, ~2.5, 40.0]
      val y = RealSeq.fromList [2.0, 0.5, ~1.0, 3.0, ~2.5, 0.25, ~0.75]
      val special = RealSeq.fromList [1.0, Real.posInf, 0.0 / 0.0]
      fun integers s = ints (Seq.map (Exp.cast Type.int) s)
      fun millionths s =
        ints (Seq.map (fn x => Exp.cast Type.int (Exp.round (Exp.min (Exp.max (Exp.* (x, Exp.R 1E6), Exp.R ~2E9), Exp.R 2E9)))) s)
      fun each results table = List.map (fn (name, f) => ("operation " ^ name, fn () => results f)) table
      fun at x f = millionths (Seq.map f (RealSeq.fromList [x]))
      fun high bits f =
        let
          val key = Seq.tabulate (fn _ => Exp.const Type.word64 0wx123456789abcdef0) 8
          fun word (k, i) = Exp.>> (f (k, Exp.cast Type.word64 i, Exp.const Type.word64 0w3), Exp.const Type.word64 bits)
        in ints (Seq.map (Exp.cast Type.int) (Seq.zipWith word (key, Seq.iota 8))) end
    in
      each (fn f => integers (Seq.map f a))
        [("neg", Exp.~), ("abs", Exp.abs), ("sign", Exp.sign), ("not", Exp.notb), ("pos", Exp.pos), ("popcount", Exp.popcount), ("clz", Exp.clz),
         ("rectify", Exp.rectify)]
      @ each (fn f => integers (Seq.zipWith f (a, b)))
          [("add", Exp.+), ("sub", Exp.-), ("mul", Exp.* ), ("div", Exp.quot), ("rem", Exp.rem), ("min", Exp.min), ("max", Exp.max), ("and", Exp.andb),
           ("or", Exp.orb), ("xor", Exp.xorb), ("where", fn (x, y) => Exp.cond (Exp.< (x, y), Exp.+ (x, Exp.int64 1), y))]
      @ each (fn f => integers (Seq.zipWith f (a, counts))) [("shl", Exp.<<), ("shr", Exp.>>)]
      @ each (fn f => integers (Seq.zipWith f (a, b)))
          [("eq", Exp.==), ("ne", Exp.<>), ("lt", Exp.<), ("le", Exp.<=), ("gt", Exp.>), ("ge", Exp.>=)]
      @ each (fn f => integers (Seq.map f special)) [("isnan", Exp.isnan), ("isinf", Exp.isinf), ("isfinite", Exp.isfinite)]
      @ each (fn f => millionths (Seq.map f x))
          [("sqrt", Exp.sqrt), ("rsqrt", Exp.rsqrt), ("cbrt", Exp.cbrt), ("exp2", Exp.exp2), ("log2", Exp.log2), ("ceil", Exp.ceil), ("round", Exp.round),
           ("exp", Exp.exp), ("expm1", Exp.expm1), ("log", Exp.log), ("log10", Exp.log10), ("log1p", Exp.log1p), ("sin", Exp.sin), ("cos", Exp.cos),
           ("tan", Exp.tan), ("asin", Exp.asin), ("acos", Exp.acos), ("atan", Exp.atan), ("sinh", Exp.sinh), ("cosh", Exp.cosh), ("tanh", Exp.tanh),
           ("asinh", Exp.asinh), ("acosh", Exp.acosh), ("atanh", Exp.atanh), ("erf", Exp.erf), ("erfc", Exp.erfc), ("floor", Exp.floor),
           ("trunc", Exp.trunc)]
      @ each (fn f => millionths (Seq.zipWith f (x, y)))
          [("pow", Exp.pow), ("hypot", Exp.hypot), ("atan2", Exp.atan2), ("copysign", Exp.copysign), ("fma", fn (x, y) => Exp.fma (x, y, y))]
      @ each (high 0w1) [("philox32", Exp.philox32)] @ each (high 0w33) [("philox64", Exp.philox64)]
      @ each (at 0.375)
          [("exp10", Exp.exp10), ("sinpi", Exp.sinpi), ("cospi", Exp.cospi), ("sigmoid", Exp.sigmoid), ("softplus", Exp.softplus),
           ("log1mexp", Exp.log1mexp), ("logit", Exp.logit), ("erfinv", Exp.erfinv), ("erfcinv", Exp.erfcinv), ("ndtr", Exp.ndtr), ("ndtri", Exp.ndtri),
           ("lgamma", Exp.lgamma), ("tgamma", Exp.tgamma), ("digamma", Exp.digamma), ("trigamma", Exp.trigamma), ("lfact", Exp.lfact),
           ("bessel_j0", Exp.bessel_j0), ("bessel_j1", Exp.bessel_j1), ("bessel_y0", Exp.bessel_y0), ("bessel_y1", Exp.bessel_y1),
           ("bessel_i0", Exp.bessel_i0), ("bessel_i1", Exp.bessel_i1)]
      @ each (fn f => at 3.5 (fn x => f (x, Exp.R 2.0)))
          [("logaddexp", Exp.logaddexp), ("lchoose", Exp.lchoose), ("lbeta", Exp.lbeta), ("mvlgamma", Exp.mvlgamma), ("mvdigamma", Exp.mvdigamma),
           ("gamma_p", Exp.gamma_p), ("gamma_q", Exp.gamma_q), ("gamma_p_da", Exp.gamma_p_da), ("polygamma", fn (x, _) => Exp.polygamma (Exp.R 1.0, x)),
           ("mvpolygamma", fn (x, p) => Exp.mvpolygamma (Exp.R 0.0, x, p))]
      @ each (fn f => at 0.25 (fn x => f (Exp.R 2.0, Exp.R 3.0, x))) [("ibeta", Exp.ibeta), ("ibeta_da", Exp.ibeta_da), ("ibeta_db", Exp.ibeta_db)]
    end

  fun array a = all [textOf (Tensor.shape a), textOf (Tensor.toList a)]
  fun arrays l = all (List.map array l)
  fun bools a = array (Tensor.map (Exp.cast Type.int) a)
  fun element a = number (Tensor.value a)
  fun vector a = textOf (Tensor.toList a)
  fun thousandths a = array (Tensor.map (fn x => Exp.cast Type.int (Exp.round (Exp.* (x, Exp.R 1000.0)))) a)

  (* For each form of systems, the product of a matrix with f of the form and the matrix. *)
  fun onForms p f =
    let
      open Linear
      val l = cholesky p
      fun whole (form, t) = matmul (p, f (form, t))
      fun triangular (which, t) = triangularProduct which (t, f (Triangle which, t))
      fun unit (which, t) = matmul (triangle which t, f (Triangle which, t))
      val u = Tensor.transpose l
    in
      List.map whole [(General, p), (Positive, p), (Cholesky, l)] @ List.map triangular [(Lower, l), (Upper, u)]
      @ List.map unit [(UnitLower, l), (UnitUpper, u)]
    end

  fun factors x p =
    let
      open Linear
      infix 6 -
      infix 7 *
      val op* = Tensor.Infix.*
      val op- = Tensor.Infix.-
      val (q, r) = qr x
      val (u, s, v) = singularValues x
      val (values, vectors) = eigen p
    in
      holds "the singular values and eigenvalues are in order" (Order.isSorted Exp.> (Tensor.toSeq s) andalso Order.isSorted Exp.< (Tensor.toSeq values));
      [matmul (q, triangle Upper r), matmul (u * s, v), inner (q, q), inner (vectors, vectors), matmul (p, vectors) - vectors * values]
    end

  fun ofArrays (m, n) =
    let
      open Tensor Tensor.Part
      fun number (i, j) = let open Exp.Infix in (i * I n + j) * I 37 mod I 101 - I 50 end
      val a = tabulate (fn [i, j] => number (i, j) | _ => raise Match) [m, n]
      val b = iota [m, n]
      val () = if m mod 2 = 0 then Seq.force [any a] else ()
      fun some f = if m * n = 0 then "-" else f ()
      fun parts f = if m >= 2 andalso n >= 3 then f () else "-"
      val reals = map (Exp.cast Type.real) a
      fun solved f =
        let val p = let open Tensor.Infix in Linear.outer (reals, reals) * RealTensor.scalar 1E~5 + RealMatrix.eye m end
        in some (fn () => all (List.map thousandths (f p))) end
      val tenths = map (fn x => Exp./ (x, Exp.R 10.0)) reals
      val k = Int.min (m, n)
      val square = slice [To k, To k] a
      val above = let open Tensor.Infix in fn limit => a > I limit end
      val sign = cond (above 0, IntTensor.scalar ~1, IntTensor.scalar 1)
      val backwards = Step (NONE, NONE, ~2)
      val six = iota [2, 3]
    in
      [("array", fn () => array a),
       ("transpose", fn () => array (transpose a)),
       ("reshape", fn () => array (reshape [n, m] a)),
       ("flip", fn () => arrays [flip [0] a, flip [~1] a]),
       ("roll", fn () => arrays [rotate 0 2 a, rotate 1 ~1 a]),
       ("insert axis", fn () => array (slice [All, New] a)),
       ("broadcast", fn () => array (broadcast [2, m, n] a)),
       ("join", fn () => arrays [join 0 [a, b], join ~1 [a, b]]),
       ("stack", fn () => array (stack 0 [a, b])),
       ("steps", fn () => arrays [slice [Step (NONE, NONE, 3)] a, slice [All, backwards] a]),
       ("row and column", fn () => parts (fn () => all [vector (slice [At 1] a), vector (slice [All, At ~1] a)])),
       ("part of an array", fn () => parts (fn () => array (slice [From 1, To ~1] a))),
       ("array windows", fn () => parts (fn () => array (windows [2, 3] a))),
       ("diagonal", fn () => all (List.map (fn k => vector (diagonal k a)) [0, 1, ~2])),
       ("translate", fn () => array (translate ~7 [1, ~2] a)),
       ("permute", fn () => array (permute [2, 0, 1] (stack 0 [a, b]))),
       ("slices", fn () => parts (fn () => arrays
          [slice [From 1, Step (NONE, NONE, 2)] a, slice [Range (~2, ~1)] a, slice [Step (NONE, NONE, ~1), Range (1, ~1)] a,
           slice [All, Step (SOME (n - 1), SOME 0, ~2)] a])),
       ("view", fn () => some (fn () => arrays
          [view {offset = 0, shape = [n, m], strides = [1, n]} a, view {offset = m * n - 1, shape = [2, m * n], strides = [0, ~1]} a])),
       ("split", fn () => arrays (split 1 [n div 2, 0, n - n div 2] a)),
       ("operators", fn () => array (let open Tensor.Infix in a * (a + I 1) - I 3 * (I 5 - a) end)),
       ("row and column spread", fn () => array (let open Tensor.Infix in a * iota [m, 1] - iota [n] end)),
       ("choice", fn () => array (let open Tensor.Infix in cond (&& (a > I 4, a < I 40), a, I 0) end)),
       ("clamp", fn () => array (clamp (~10, 20) a)),
       ("rectify", fn () => array (rectify a)),
       ("captured elements", fn () => array (tabulate (fn [j, i] => Exp.* (at (a, [i, j]), Exp.I 2) | _ => raise Match) [n, m])),
       ("sums", fn () => all [arrays [Along.sum [0] a, Along.sum [~1] a, Keep.sum [1] a], element (Along.sum [0, 1] a)]),
       ("least", fn () => some (fn () => arrays [Along.min [0] a, Along.max [1] a])),
       ("products", fn () => array (Along.product [1] (zipWith #1 (sign, a)))),
       ("counts", fn () => array (Along.count [1] (above 20))),
       ("truths", fn () => all [bools (Along.any [0] (above 49)), bools (Along.all [1] (let open Tensor.Infix in a < I 49 end))]),
       ("reduce along", fn () => array (Along.reduce Exp.xorb 0 [1] a)),
       ("places", fn () => some (fn () => arrays [Along.argmax 0 a, Along.argmin 1 a])),
       ("scan along", fn () => let val (prefixes, totals) = Along.scan Exp.+ 0 0 a in arrays [prefixes, totals] end),
       ("inclusive scan along", fn () => array (Along.scanIncl Exp.max ~1000 1 a)),
       ("cumulative sum", fn () => array (Along.cumulativeSum 0 a)),
       ("cumulative product", fn () => array (Along.cumulativeProduct ~1 (zipWith #1 (sign, a)))),
       ("sort along", fn () => arrays [Along.ascending 1 a, Along.descending 0 a]),
       ("means", fn () => some (fn () => thousandths (Along.mean [1] reals))),
       ("variances", fn () => some (fn () => thousandths (Along.variance [1] reals))),
       ("norms", fn () => some (fn () => thousandths (Along.norm [1] reals))),
       ("logsumexp", fn () => some (fn () => thousandths (Along.logsumexp [1] tenths))),
       ("softmax", fn () => thousandths (Along.softmax [1] tenths)),
       ("matmul", fn () => array (Linear.matmul (a, transpose b))),
       ("matrix and vector", fn () => vector (Linear.matmul (a, iota [n]))),
       ("inner", fn () => array (Linear.inner (a, b))),
       ("outer", fn () => array (Linear.outer (iota [m], iota [n]))),
       ("kronecker", fn () => array (Linear.kronecker (a, six))),
       ("frobenius", fn () => element (Linear.frobenius (a, b))),
       ("trace and triangle", fn () => all [element (Linear.trace square), array (Linear.triangle Linear.Lower square)]),
       ("convolve", fn () => parts (fn () => array (Linear.convolve (a, six)))),
       ("pool", fn () => parts (fn () => array (Linear.maxPool (2, 3) a))),
       ("systems", fn () => solved (fn p =>
          let val v = slice [All, At 0] reals
          in onForms p (fn (form, t) => Linear.solve form (t, reals)) @ [Linear.matmul (p, Linear.solve Linear.General (p, v))] end)),
       ("inverses", fn () => solved (fn p => onForms p (fn (form, t) => Linear.inverse form t))),
       ("half of a diagonal", fn () => some (fn () => thousandths (Linear.phi (map (Exp.cast Type.real) square)))),
       ("fourier", fn () => some (fn () =>
          all (List.map (fn axes => thousandths (Linear.inverseRealFft (axes, n mod 2 = 1) (Linear.realFft axes reals))) [1, 2]))),
       ("factors", fn () => solved (factors (map (fn x => Exp./ (x, Exp.R 50.0)) reals))),
       ("asum", fn () => element (Blas.asum a)),
       ("dot of arrays", fn () => element (Blas.dot (a, b))),
       ("scal", fn () => array (Blas.scal (3, a))),
       ("axpy", fn () => array (Blas.axpy (3, a, b))),
       ("geem", fn () => array (Blas.geem (2, a, b, ~1, b))),
       ("geerv", fn () => array (Blas.geerv (2, a, iota [n], 5, b))),
       ("scaled rows", fn () => array (Blas.scaleRows (iota [m], a))),
       ("scaled columns", fn () => array (Blas.scaleColumns (iota [n], a))),
       ("gemm", fn () => array (Blas.gemm (2, a, transpose b, 3, IntMatrix.eye m)))]
    end

  (* One test per function: its texts for each of the arguments. *)
  fun compare (lines, cases, arguments) =
    let
      val found = List.map cases arguments
      fun named name = getOpt (List.find (String.isPrefix (name ^ ":")) lines, "")
      fun one (k, (name, _)) =
        (test name (fn () => string (named name, name ^ ": " ^ String.concatWith " | " (List.map (fn texts => #2 (List.nth (texts, k)) ()) found)));
         k + 1)
    in
      ignore (List.foldl (fn (texts, k) => one (k, texts)) 0 (List.hd found))
    end

  fun run () =
    let
      val lines = linesOf "values.py"
    in
      test "every operation of the library is tried" (fn () =>
        let val names = List.map (fn line => "operation " ^ List.hd (String.tokens Char.isSpace line)) (Warpfold.operations ())
        in
          list (fn name => name) ([], List.filter (fn name => not (List.exists (fn (tried, _) => tried = name) (operations ()))) names);
          holds "the library lists its operations" (List.length names > 50)
        end);
      compare (lines, operations, [()]);
      compare (lines, cases, lengths);
      compare (lines, ofArrays, shapes)
    end
end
