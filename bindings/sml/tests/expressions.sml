(* Every scalar operation of the library, and the constructs of lambdas. *)
structure ExpressionTests =
struct
  open Check

  (* ---- operations: each is applied to lists of operands and compared with the host's result. `tried` collects their names, which
     must be all that the library has. *)

  val tried : string list ref = ref []
  fun operation name body = (tried := name :: !tried; test ("operation " ^ name) body)

  val someReals = [0.5, ~0.75, 2.0, ~3.5, 100.0, 0.0, ~2.5]
  val someInts = [7, ~7, 0, 1, ~1, 12, 1000]
  val otherInts = [3, 3, 5, ~2, ~1, ~5, 0]

  fun real1 (name, f, expected) =
    operation name (fn () => reals (List.map expected someReals, Seq.toList (Seq.map f (RealSeq.fromList someReals))))
  (* A function without a counterpart in the Basis, at one point. *)
  fun special (name, f, x, expected) =
    operation name (fn () => reals ([expected], Seq.toList (Seq.map f (RealSeq.fromList [x]))))
  fun reals2 (name, f, expected, xs, ys) =
    operation name (fn () =>
      reals (ListPair.map expected (xs, ys), Seq.toList (Seq.zipWith f (RealSeq.fromList xs, RealSeq.fromList ys))))
  fun real2 (name, f, expected) = reals2 (name, f, expected, someReals, List.rev someReals)
  fun test1 (name, f, expected, xs) =
    operation name (fn () =>
      list Bool.toString (List.map expected xs, Seq.toList (Seq.map f (RealSeq.fromList xs))))
  fun int1 (name, f, expected) =
    operation name (fn () => ints (List.map expected someInts, Seq.toList (Seq.map f (IntSeq.fromList someInts))))
  fun int2 (name, f, expected) =
    operation name (fn () =>
      ints (ListPair.map expected (someInts, otherInts),
            Seq.toList (Seq.zipWith f (IntSeq.fromList someInts, IntSeq.fromList otherInts))))
  fun compare (name, f, expected) =
    operation name (fn () =>
      list Bool.toString (ListPair.map expected (someInts, otherInts),
        Seq.toList (Seq.zipWith f (IntSeq.fromList someInts, IntSeq.fromList otherInts))))
  fun byte1 (name, f, xs, expected) =
    operation name (fn () => list Word8.toString (expected, Seq.toList (Seq.map f (Word8Seq.fromList xs))))
  fun bytes2 (name, f, expected) =
    operation name (fn () =>
      let val (xs, ys) = ([0wxf0, 0wx0f, 0wxff, 0w0], [0w9, 0w3, 0wx55, 0w1])
      in
        list Word8.toString (ListPair.map expected (xs, ys),
          Seq.toList (Seq.zipWith f (Word8Seq.fromList xs, Word8Seq.fromList ys)))
      end)

  fun halfAway x = if x >= 0.0 then Real.realFloor (x + 0.5) else Real.realCeil (x - 0.5)
  fun orZero f (x, 0) = 0
    | orZero f (x, y) = f (x, y)
  fun signOf x = if x > 0.0 then 1.0 else if x < 0.0 then ~1.0 else x

  (* Philox 4x32 with 10 rounds: the four words of a block. Numbers of 32 bits are Word64s. *)
  fun low x = Word64.andb (x, 0wxffffffff)
  fun high x = Word64.>> (x, 0w32)
  fun philox (key, number, stream) =
    let
      fun round (0, x, _, _) = x
        | round (k, (x0, x1, x2, x3), key0, key1) =
            let val (even, odd) = (0wxd2511f53 * x0, 0wxcd9e8d57 * x2)
            in
              round (k - 1, (Word64.xorb (high odd, Word64.xorb (x1, key0)), low odd, Word64.xorb (high even, Word64.xorb (x3, key1)), low even),
                     low (key0 + 0wx9e3779b9), low (key1 + 0wxbb67ae85))
            end
    in
      round (10, (low number, high number, low stream, high stream), low key, high key)
    end
  fun philox32 (key, number, stream) =
    let val (a, b, c, d) = philox (key, Word64.>> (number, 0w2), stream)
    in List.nth ([a, b, c, d], Word64.toInt (Word64.andb (number, 0w3))) end
  fun philox64 (key, number, stream) =
    let
      val (a, b, c, d) = philox (key, Word64.>> (number, 0w1), Word64.orb (stream, Word64.<< (0w1, 0w63)))
      fun joined (low, high) = Word64.orb (low, Word64.<< (high, 0w32))
    in
      if Word64.andb (number, 0w1) = 0w0 then joined (a, b) else joined (c, d)
    end

  fun arithmetic () =
    (int2 ("add", Exp.+, op +);
     int2 ("sub", Exp.-, op -);
     int2 ("mul", Exp.*, op * );
     int2 ("div", Exp.quot, orZero Int.quot);
     reals2 ("div", Exp./, op /, someReals, [2.0, 0.5, ~1.0, 3.0, 7.0, 0.0, 0.25]);
     int2 ("rem", Exp.rem, orZero Int.rem);
     int2 ("min", Exp.min, Int.min);
     int2 ("max", Exp.max, Int.max);
     int1 ("neg", Exp.~, Int.~);
     int1 ("abs", Exp.abs, Int.abs);
     int1 ("sign", Exp.sign, Int.sign);
     real1 ("sign", Exp.sign, signOf);
     test "div and mod as in the Basis" (fn () =>
       let val (s, t) = (IntSeq.fromList someInts, IntSeq.fromList otherInts)
       in
         ints (ListPair.map (orZero (op div)) (someInts, otherInts), Seq.toList (Seq.zipWith Exp.div (s, t)));
         ints (ListPair.map (orZero (op mod)) (someInts, otherInts), Seq.toList (Seq.zipWith Exp.mod (s, t)))
       end);
     compare ("eq", Exp.==, op =);
     compare ("ne", Exp.<>, op <>);
     compare ("lt", Exp.<, op <);
     compare ("le", Exp.<=, op <=);
     compare ("gt", Exp.>, op >);
     compare ("ge", Exp.>=, op >=))

  fun logic () =
    (bytes2 ("and", Exp.andb, Word8.andb);
     bytes2 ("or", Exp.orb, Word8.orb);
     bytes2 ("xor", Exp.xorb, Word8.xorb);
     byte1 ("not", Exp.notb, [0wxf0, 0w0], [0wx0f, 0wxff]);
     bytes2 ("shl", Exp.<<, fn (x, n) => Word8.<< (x, Word.fromInt (Word8.toInt n mod 8)));
     bytes2 ("shr", Exp.>>, fn (x, n) => Word8.>> (x, Word.fromInt (Word8.toInt n mod 8)));
     byte1 ("popcount", Exp.popcount, [0wxf0, 0wxff, 0w0], [0w4, 0w8, 0w0]);
     byte1 ("clz", Exp.clz, [0wxf0, 0w1, 0w0], [0w0, 0w7, 0w8]);
     test ">> of a signed number copies the sign" (fn () =>
       list Int32.toString ([~4], Seq.toList (Seq.map (fn x => Exp.>> (x, Exp.const Type.int32 1)) (Int32Seq.fromList [~8]))));
     test "&&, ||, not" (fn () =>
       let
         val (s, t) = (BoolSeq.fromList [true, true, false, false], BoolSeq.fromList [true, false, true, false])
         fun bools (expected, f) = list Bool.toString (expected, Seq.toList (Seq.zipWith f (s, t)))
       in
         bools ([true, false, false, false], Exp.&&);
         bools ([true, true, true, false], Exp.||);
         bools ([false, false, true, true], fn (x, _) => Exp.not x)
       end);
     operation "where" (fn () =>
       let fun f x = Exp.cond (Exp.< (x, Exp.int 0), Exp.~ x, Exp.* (Exp.int 2, x))
       in
         ints (List.map (fn x => if x < 0 then ~x else 2 * x) someInts, Seq.toList (Seq.map f (IntSeq.fromList someInts)))
       end);
     test "cond of tuples" (fn () =>
       let
         fun order p =
           let val (x, y) = Exp.unpair p
           in Exp.cond (Exp.<= (x, y), p, Exp.pair (y, x)) end
       in
         list (Type.show (Type.pair (Type.int, Type.int))) ([(1, 2), (3, 4)],
           Seq.toList (Seq.map order (IntPairSeq.fromList [(2, 1), (3, 4)])))
       end))

  fun functions () =
    (operation "fma" (fn () =>
       reals ([7.0], Seq.toList (Seq.map (fn x => Exp.fma (x, x, Exp.real 3.0)) (RealSeq.fromList [2.0]))));
     real1 ("sqrt", Exp.sqrt, Math.sqrt);
     real1 ("rsqrt", Exp.rsqrt, fn x => 1.0 / Math.sqrt x);
     real1 ("cbrt", Exp.cbrt, fn x => Real.copySign (Math.pow (Real.abs x, 1.0 / 3.0), x));
     real1 ("exp", Exp.exp, Math.exp);
     real1 ("exp2", Exp.exp2, fn x => Math.pow (2.0, x));
     real1 ("expm1", Exp.expm1, fn x => 2.0 * Math.exp (x / 2.0) * Math.sinh (x / 2.0));
     real1 ("log", Exp.log, Math.ln);
     real1 ("log2", Exp.log2, fn x => Math.ln x / Math.ln 2.0);
     real1 ("log10", Exp.log10, Math.log10);
     real1 ("log1p", Exp.log1p, fn x => Math.ln (1.0 + x));
     reals2 ("pow", Exp.pow, Math.pow, [2.0, 0.5, 9.0, ~2.0], [10.0, 2.0, 0.5, 3.0]);
     reals2 ("hypot", Exp.hypot, fn (x, y) => Math.sqrt (x * x + y * y), [3.0, 5.0], [4.0, ~12.0]);
     real1 ("sin", Exp.sin, Math.sin);
     real1 ("cos", Exp.cos, Math.cos);
     real1 ("tan", Exp.tan, Math.tan);
     real1 ("asin", Exp.asin, Math.asin);
     real1 ("acos", Exp.acos, Math.acos);
     real1 ("atan", Exp.atan, Math.atan);
     real2 ("atan2", Exp.atan2, Math.atan2);
     real1 ("sinh", Exp.sinh, Math.sinh);
     real1 ("cosh", Exp.cosh, Math.cosh);
     real1 ("tanh", Exp.tanh, Math.tanh);
     real1 ("asinh", Exp.asinh, fn x => Real.copySign (Math.ln (Real.abs x + Math.sqrt (x * x + 1.0)), x));
     real1 ("acosh", Exp.acosh, fn x => if x < 1.0 then 0.0 / 0.0 else Math.ln (x + Math.sqrt (x * x - 1.0)));
     real1 ("atanh", Exp.atanh, fn x => if Real.abs x >= 1.0 then 0.0 / 0.0 else Math.ln ((1.0 + x) / (1.0 - x)) / 2.0);
     operation "erf" (fn () =>
       reals ([0.5204998778130465, ~0.8427007929497149], Seq.toList (Seq.map Exp.erf (RealSeq.fromList [0.5, ~1.0]))));
     operation "erfc" (fn () =>
       reals ([0.4795001221869535, 1.8427007929497148], Seq.toList (Seq.map Exp.erfc (RealSeq.fromList [0.5, ~1.0]))));
     real1 ("floor", Exp.floor, Real.realFloor);
     real1 ("ceil", Exp.ceil, Real.realCeil);
     real1 ("round", Exp.round, halfAway);
     real1 ("trunc", Exp.trunc, Real.realTrunc);
     real2 ("copysign", Exp.copysign, Real.copySign);
     test1 ("isnan", Exp.isnan, Real.isNan, [1.0, Real.posInf, 0.0 / 0.0]);
     test1 ("isinf", Exp.isinf, fn x => not (Real.isNan x orelse Real.isFinite x), [1.0, Real.negInf, 0.0 / 0.0]);
     test1 ("isfinite", Exp.isfinite, Real.isFinite, [1.0, Real.posInf, 0.0 / 0.0]);
     List.app
       (fn (name, f, word) =>
          operation name (fn () =>
            let
              val number = Word64.fromInt
              val arguments = List.tabulate (1000, fn i => (0wx0123456789abcdef * number (i mod 3), number i, number (i mod 7)))
              val (keys, numbers, streams) = Seq.unzip3 (Seq.fromList (Type.triple (Type.word64, Type.word64, Type.word64)) arguments)
            in
              list Word64.toString
                (List.map word arguments, Seq.toList (Seq.map (f o Exp.untriple) (Seq.zip3 (keys, numbers, streams))))
            end))
       [("philox32", Exp.philox32, philox32), ("philox64", Exp.philox64, philox64)];
     real1 ("pos", Exp.pos, fn x => x);
     real1 ("rectify", Exp.rectify, fn x => if x < 0.0 then 0.0 else x);
     special ("exp10", Exp.exp10, 0.375, 2.3713737056616553);
     special ("sinpi", Exp.sinpi, 0.375, 0.92387953251128676);
     special ("cospi", Exp.cospi, 0.375, 0.38268343236508977);
     special ("sigmoid", Exp.sigmoid, 0.375, 0.59266659995406976);
     special ("softplus", Exp.softplus, 0.375, 0.89812326413984004);
     special ("log1mexp", Exp.log1mexp, 0.375, ~1.1624767291801940);
     special ("logit", Exp.logit, 0.375, ~0.51082562376599068);
     special ("erfinv", Exp.erfinv, 0.375, 0.34561711478320660);
     special ("erfcinv", Exp.erfcinv, 0.375, 0.62730734778855896);
     special ("ndtr", Exp.ndtr, 0.375, 0.64616976667272379);
     special ("ndtri", Exp.ndtri, 0.375, ~0.31863936396437516);
     special ("lgamma", Exp.lgamma, 0.375, 0.86307398227064746);
     special ("tgamma", Exp.tgamma, 0.375, 2.3704361844166009);
     special ("digamma", Exp.digamma, 0.375, ~2.7539990491451396);
     special ("trigamma", Exp.trigamma, 0.375, 8.1617776327615079);
     special ("lfact", Exp.lfact, 0.375, ~0.11775527074107877);
     special ("bessel_j0", Exp.bessel_j0, 0.375, 0.96515153613281962);
     special ("bessel_j1", Exp.bessel_j1, 0.375, 0.18422335698889762);
     special ("bessel_y0", Exp.bessel_y0, 0.375, ~0.65180020579325718);
     special ("bessel_y1", Exp.bessel_y1, 0.375, ~1.8833618144505455);
     special ("bessel_i0", Exp.bessel_i0, 0.375, 1.0354664501283920);
     special ("bessel_i1", Exp.bessel_i1, 0.375, 0.19081526701982352);
     special ("logaddexp", fn x => Exp.logaddexp (x, Exp.real 2.0), 3.5, 3.7014132779827524);
     special ("lchoose", fn x => Exp.lchoose (x, Exp.real 3.0), 10.0, 4.7874917427820460);
     special ("lbeta", fn x => Exp.lbeta (x, Exp.real 2.0), 3.5, ~2.7568403652716421);
     special ("mvlgamma", fn x => Exp.mvlgamma (x, Exp.real 2.0), 3.5, 2.4664857258317196);
     special ("mvdigamma", fn x => Exp.mvdigamma (x, Exp.real 2.0), 3.5, 2.0259409757437103);
     special ("gamma_p", fn x => Exp.gamma_p (x, Exp.real 2.0), 3.5, 0.22022259152428408);
     special ("gamma_q", fn x => Exp.gamma_q (x, Exp.real 2.0), 3.5, 0.77977740847571592);
     special ("ibeta", fn x => Exp.ibeta (Exp.real 2.0, Exp.real 3.0, x), 0.25, 0.26171875000000000);
     special ("polygamma", fn x => Exp.polygamma (Exp.real 1.0, x), 3.5, 0.330357756100234865);
     special ("mvpolygamma", fn x => Exp.mvpolygamma (Exp.real 0.0, x, Exp.real 2.0), 3.5, 2.02594097574371033);
     special ("gamma_p_da", fn x => Exp.gamma_p_da (x, Exp.real 2.0), 3.5, ~0.180100945286444195);
     special ("ibeta_da", fn x => Exp.ibeta_da (Exp.real 2.0, Exp.real 3.0, x), 0.25, ~0.228053602324346373);
     special ("ibeta_db", fn x => Exp.ibeta_db (Exp.real 2.0, Exp.real 3.0, x), 0.25, 0.106921530052291388);
     test "every operation of the library was tried" (fn () =>
       let
         fun name line = List.hd (String.tokens Char.isSpace line)
         fun isTried name = List.exists (fn n => n = name) (!tried)
         val untried = List.filter (not o isTried) (List.map name (Warpfold.operations ()))
       in
         holds "the library lists its operations" (List.length (Warpfold.operations ()) > 50);
         list String.toString ([], untried)
       end))

  (* ---- casts, captures, loops, sharing *)

  fun casts () =
    (test "cast" (fn () =>
       let val s = RealSeq.fromList [1.9, ~1.9, 300.0, 0.0 / 0.0]
       in
         ints ([1, ~1, 300, 0], Seq.toList (Seq.map (Exp.cast Type.int) s));
         list Word8.toString ([0w1, 0w0, 0w255, 0w0], Seq.toList (Seq.map (Exp.cast Type.word8) s));
         list Bool.toString ([true, false], Seq.toList (Seq.map (Exp.cast Type.bool) (IntSeq.fromList [5, 0])));
         reals ([0.25], List.map Single.toReal (Seq.toList (Seq.map (Exp.cast Type.single) (RealSeq.fromList [0.25]))))
       end);
     test "constants of every type" (fn () =>
       let
         fun one show ty x = list show ([x], Seq.toList (Seq.tabulate (fn _ => Exp.const ty x) 1))
       in
         one Int.toString Type.int (Option.valOf Int.minInt);
         one Int32.toString Type.int32 ~2147483648;
         one Word32.toString Type.word32 0wxffffffff;
         one Word64.toString Type.word64 0wxffffffffffffffff;
         one Word8.toString Type.word8 0wxff;
         one Bool.toString Type.bool true;
         List.app (fn x => reals ([x], Seq.toList (Seq.tabulate (fn _ => Exp.real x) 1)))
           [0.1, ~1E~300, 4.9E~324, 1.7976931348623157E308, Real.posInf, Real.negInf, 0.0 / 0.0];
         holds "-0 keeps its sign" (Real.signBit (List.hd (Seq.toList (Seq.tabulate (fn _ => Exp.real ~0.0) 1))))
       end))

  fun captures () =
    (test "a captured sequence" (fn () =>
       let
         val s = IntSeq.fromList [1, 2, 3, 2, 1]
         val isPalindrome =
           Seq.reduce Lambdas.both true
             (Seq.tabulate (fn i => Exp.== (Exp.at (s, i), Exp.at (s, Exp.- (Exp.- (Exp.length s, Exp.int 1), i)))) 5)
       in
         bool (true, isPalindrome)
       end);
     test "captured tuples and numbers" (fn () =>
       let
         val s = Seq.zip (IntSeq.fromList [1, 2], RealSeq.fromList [0.5, 1.5])
         val k = 10
         fun f i = let val (n, x) = Exp.unpair (Exp.at (s, i)) in Exp.+ (Exp.cast Type.real (Exp.+ (n, Exp.int k)), x) end
       in
         reals ([11.5, 13.5], Seq.toList (Seq.tabulate f 2))
       end);
     test "an index that is not chosen does not count" (fn () =>
       let val s = IntSeq.fromList [5, 6]
       in
         ints ([5, 6, 0], Seq.toList (Seq.tabulate (fn i => Exp.cond (Exp.< (i, Exp.int 2), Exp.at (s, i), Exp.int 0)) 3));
         subscript (fn () => Seq.toList (Seq.tabulate (fn i => Exp.at (s, i)) 3))
       end))

  fun collatz n =
    let
      fun next p =
        let val (n, k) = Exp.unpair p
        in
          Exp.pair
            (Exp.cond (Lambdas.is_even n, Exp.quot (n, Exp.int 2), Exp.+ (Exp.* (Exp.int 3, n), Exp.int 1)), Exp.+ (k, Exp.int 1))
        end
      fun continue p = Exp.<> (#1 (Exp.unpair p), Exp.int 1)
    in
      #2 (Exp.unpair (Exp.loop {start = Exp.pair (n, Exp.int 0), continue = continue, next = next}))
    end
  (* sums over j < i of sums over k < j of 1 *)
  fun nested i =
    let
      fun below n term =
        #2 (Exp.unpair (Exp.loop
          {start = Exp.pair (Exp.int 0, Exp.int 0), continue = fn p => Exp.< (#1 (Exp.unpair p), n),
           next = fn p => let val (j, sum) = Exp.unpair p in Exp.pair (Exp.+ (j, Exp.int 1), Exp.+ (sum, term j)) end}))
    in
      below i (fn j => below j (fn _ => Exp.int 1))
    end

  fun loops () =
    (test "a loop" (fn () =>
       ints ([0, 1, 7, 2, 5, 8, 16], Seq.toList (Seq.tabulate (fn i => collatz (Exp.+ (i, Exp.int 1))) 7)));
     test "a loop in a loop" (fn () => ints ([0, 0, 1, 3, 6, 10], Seq.toList (Seq.tabulate nested 6)));
     test "an index in a loop that ends at once does not count" (fn () =>
       let
         val s = IntSeq.fromList [1, 2, 3]
         (* the element is used twice, and its index does not depend on the loop *)
         fun f x =
           Exp.loop {start = Exp.int 0, continue = fn k => Exp.< (k, Exp.- (Exp.int 3, x)),
                     next = fn k => let val e = Exp.at (s, x) in Exp.+ (k, Exp.* (e, e)) end}
       in
         ints ([3, 4, 0, 0], Seq.toList (Seq.map f (IntSeq.fromList [0, 1, 3, 7])))
       end);
     test "terms shared inside and outside of a loop" (fn () =>
       let
         (* (x + 1)^2 is used before, in and after the loop; in the loop y + 1 is used twice *)
         fun f x =
           let
             val square = Exp.* (Exp.+ (x, Exp.int 1), Exp.+ (x, Exp.int 1))
             val y =
               Exp.loop {start = square, continue = fn y => Exp.< (y, Exp.* (square, Exp.int 10)),
                         next = fn y => let val z = Exp.+ (y, Exp.int 1) in Exp.+ (Exp.+ (z, z), square) end}
           in
             Exp.+ (y, square)
           end
         fun expected x =
           let
             val square = (x + 1) * (x + 1)
             fun go y = if y < square * 10 then go (2 * (y + 1) + square) else y
           in
             go square + square
           end
       in
         ints (List.tabulate (9, expected), Seq.toList (Seq.tabulate f 9))
       end);
     test "shared terms are written once" (fn () =>
       let fun doubled (x, 0) = x
             | doubled (x, k) = doubled (Exp.+ (x, x), k - 1)
       in
         (* 2^60 uses of x *)
         list Word64.toString
           ([0wx1000000000000000], Seq.toList (Seq.map (fn x => doubled (x, 60)) (Word64Seq.fromList [0w1])))
       end);
     test "a chain of 20000 operations" (fn () =>
       let fun more (x, 0) = x
             | more (x, k) = more (Exp.xorb (Exp.+ (x, Exp.int k), Exp.int 1), k - 1)
           fun expected (x, 0) = x
             | expected (x, k) = let val y = x + k in expected (if y mod 2 = 0 then y + 1 else y - 1, k - 1) end
       in
         (* on the CPU: a GPU's compiler would take minutes *)
         Context.within (Context.create "cpu") (fn () =>
           ints ([expected (3, 10000)], Seq.toList (Seq.map (fn x => more (x, 10000)) (IntSeq.fromList [3]))))
       end);
     test "pairs taken apart and put together again 30 times" (fn () =>
       let
         fun step p = let val (a, b) = Exp.unpair p in Exp.pair (b, Exp.+ (a, b)) end
         fun steps (p, 0) = p
           | steps (p, k) = steps (step p, k - 1)
       in
         list (Type.show (Type.pair (Type.int, Type.int))) ([(832040, 1346269)],
           Seq.toList (Seq.map (fn p => steps (p, 30)) (IntPairSeq.fromList [(0, 1)])))
       end))

  (* Infix operators; the operators of the Basis are still accessible. *)
  infix 5 << >>
  infix 4 ==
  infix 3 &&
  infix 2 ||
  fun operators () =
    (test "operators of one open" (fn () =>
       let
         fun f x =
           let open Exp in cond (x > I 2 && x < I 9 || x == I 0, x * x - I 1, (x << I 1) div I 3) end
         fun onHost x = if x > 2 andalso x < 9 orelse x = 0 then x * x - 1 else 2 * x div 3
         val xs = List.tabulate (1007, fn i => i - 20)
       in
         ints (List.map onHost xs, Seq.toList (Seq.map f (IntSeq.fromList xs)))
       end);
     test "Exp.Infix beside the host's arithmetic" (fn () =>
       let
         fun power (_, 0) = Exp.R 1.0
           | power (x, k) = let open Exp.Infix in x * power (x, Int.- (k, 1)) end
         fun f x = let open Exp.Infix in power (x, 3) / R 2.0 + ~ (abs ~1.0 * x) end
         and abs x = Exp.real (Real.abs x)
       in
         reals ([~0.5, 2.0], Seq.toList (Seq.map f (RealSeq.fromList [1.0, 2.0])))
       end);
     test "the left operand of && and || guards the right one" (fn () =>
       let
         val s = IntSeq.fromList [0, 1, 2, 7]
         fun bools f = Seq.toList (Seq.map f s)
       in
         list Bool.toString ([false, true, true, false], bools (fn i => let open Exp in i < length s && at (s, i) > I 0 end));
         list Bool.toString ([false, true, true, true], bools (fn i => let open Exp in i >= length s || at (s, i) > I 0 end));
         subscript (fn () => bools (fn i => let open Exp in at (s, i) > I 0 && i < length s end))
       end);
     test "logic has the order of the source in the written form" (fn () =>
       let
         val s = IntSeq.fromList [0, 1, 2]
         fun written f = Seq.explain [Seq.any (Seq.map f s)]
       in
         contains ("(or (lt ", written (fn i => let open Exp in i < I 1 || i > I 2 end))
       end))

  fun run () = (arithmetic (); logic (); functions (); casts (); captures (); loops (); operators ())
end
