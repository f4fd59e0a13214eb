(* Functions that are traced once: their results next to those of the untraced function, and the number of traces. *)
structure JitTests =
struct
  open Arrays

  val sizes = [0, 1, 1000, 70001]

  (* Values that differ by position, others for each k. *)
  fun value k i = (i * 7919 + k * 31) mod 100003
  fun values (k, n) = List.tabulate (n, value k)
  fun sequence (k, n) = IntSeq.fromFunction (value k) n

  (* f, and the number of its calls so far. *)
  fun counted f =
    let val calls = ref 0
    in (fn x => (calls := !calls + 1; f x), calls) end
  fun calls (expected, count) = int (expected, !count)

  fun plus k = Seq.map (fn x => Exp.+ (x, Exp.int k))
  fun same (s, t) = ints (Seq.toList s, Seq.toList t)

  (* Checks f of one sequence against the untraced f, for all sizes, each with several values, computed or not. *)
  fun agrees what f =
    test ("jit: " ^ what) (fn () =>
      let
        val (g, count) = counted f
        val traced = Jit.jit (Jit.seq, Jit.seq) g
        fun delayed (k, n) = plus 3 (Seq.rev (sequence (k, n)))
        fun check n k =
          (same (f (sequence (k, n)), traced (sequence (k, n))); same (f (delayed (k, n)), traced (delayed (k, n))))
      in
        List.app (fn n => List.app (check n) [0, 1, 2]) sizes;
        List.app (fn n => check n 5) sizes;
        calls (List.length sizes, count)
      end)

  fun isThird x = Exp.== (Exp.mod (x, Exp.int 3), Exp.int 0)
  fun shapes () =
    (agrees "map" (Seq.map (fn x => Exp.+ (Exp.* (x, Exp.int 3), Exp.int 1)));
     agrees "filter, then more" (fn s =>
       let val kept = Seq.filter isThird s
       in Seq.zipWith Exp.- (Seq.scanIncl Exp.max 0 kept, kept) end);
     agrees "neighbours" (fn s =>
       let val n = Seq.length s
       in Seq.tabulate (fn i => Exp.at (s, Exp.mod (Exp.+ (i, Exp.int 1), Exp.int (Int.max (n, 1))))) n end);
     test "jit: a filter's result as the argument" (fn () =>
       let
         val (f, count) = counted Seq.rev
         val traced = Jit.jit (Jit.seq, Jit.seq) f
         fun below k = Seq.filter (fn x => Exp.< (x, Exp.int k)) (Seq.iota 5000)
       in
         List.app (fn k => ints (List.tabulate (k, fn i => k - 1 - i), Seq.toList (traced (below k)))) [0, 10, 4999, 10, 0];
         calls (3, count)
       end))

  fun numbers () =
    test "jit: numbers" (fn () =>
      let
        fun f (s, (a, b)) =
          let val shifted = Seq.map (fn x => Exp.+ (Exp.mod (Exp.* (x, Exp.scalar a), Exp.int 1000), Exp.cast Type.int (Exp.scalar b))) s
          in (shifted, Scalar.reduce Exp.+ 0 shifted) end
        val (g, count) = counted f
        val traced = let open Jit in jit (pair (seq, pair (number Type.int, number Type.real)), pair (seq, scalar)) g end
        fun check k =
          let
            val (a, b) = (k, 2.0 * Real.fromInt k)
            val s = sequence (k, 1000)
            val (found, sum) = traced (s, (a, b))
            val expected = List.map (fn x => x * a mod 1000 + 2 * k) (values (k, 1000))
          in
            ints (List.map (fn x => (x * a) mod 1000 + 2 * k) (values (k, 1000)), Seq.toList found);
            int (List.foldl op + 0 expected, Scalar.value sum)
          end
        val twice = let open Jit in jit (number (Type.pair (Type.real, Type.int)), scalar) end
          (Scalar.map (fn p => let val (x, i) = Exp.unpair p in Exp.pair (Exp.+ (x, x), Exp.* (i, i)) end))
        val (x, i) = Scalar.value (twice (1.5, 7))
      in
        List.app check [1, 2, 3, 40, 0];
        calls (1, count);
        reals ([3.0], [x]);
        int (49, i)
      end)

  fun several () =
    test "jit: several results" (fn () =>
      let
        fun f s =
          let val kept = Seq.filter (fn x => Exp.> (x, Exp.int 50000)) s
          in (kept, (s, Scalar.reduce Exp.max ~1 s, kept), [plus 1 s, Seq.take s (Seq.length s div 2)], Tensor.Infix.I 7) end
        val (g, count) = counted f
        val traced = let open Jit in jit (seq, quadruple (seq, triple (seq, scalar, seq), list seq, tensor)) g end
        fun check n k =
          let
            val (a, (b, top, c), ds, seven) = traced (sequence (k, n))
            val l = values (k, n)
            val kept = List.filter (fn x => x > 50000) l
          in
            ints (kept, Seq.toList a);
            ints (l, Seq.toList b);
            int (List.foldl Int.max ~1 l, Scalar.value top);
            ints (kept, Seq.toList c);
            list (listOf Int.toString) ([List.map (fn x => x + 1) l, List.take (l, n div 2)], List.map Seq.toList ds);
            int (7, Tensor.value seven)
          end
      in
        List.app (fn n => List.app (check n) [0, 1, 2]) sizes;
        calls (List.length sizes, count)
      end)

  (* Two lists have the same sequences in another partition. *)
  fun lists () =
    test "jit: lists" (fn () =>
      let
        fun sum [] = Tensor.toSeq (Tensor.fill Type.int 0 [1000])
          | sum (s :: rest) = List.foldl (fn (t, s) => Seq.zipWith Exp.+ (s, t)) s rest
        fun f (l, m) = (Seq.zipWith (fn (x, y) => Exp.- (x, Exp.* (Exp.int 2, y))) (sum l, sum m), List.map Seq.rev m)
        val (g, count) = counted f
        val traced = let open Jit in jit (pair (list seq, list seq), pair (seq, list seq)) g end
        val (a, b, c) = (sequence (1, 1000), sequence (2, 1000), sequence (3, 1000))
        fun check both =
          let val ((s, l), (t, m)) = (f both, traced both)
          in same (s, t); list (listOf Int.toString) (List.map Seq.toList l, List.map Seq.toList m) end
        val all = [([a], [b, c]), ([a, b], [c]), ([a, b, c], []), ([], [a, b, c])]
      in
        List.app check all;
        List.app check all;
        calls (4, count)
      end)

  fun arrays () =
    (test "jit: arrays and records" (fn () =>
       let
         val model =
           let open Jit
           in convert (fn {weights, bias} => (weights, bias), fn (weights, bias) => {weights = weights, bias = bias}) (pair (tensor, tensor)) end
         fun f ({weights, bias}, x, rate) =
           let
             open Tensor.Infix
             val y = Linear.matmul (x, weights) + bias
             fun step a = Tensor.map (fn v => Exp.* (v, Exp.scalar rate)) a
           in
             (y, {weights = step weights, bias = step bias})
           end
         val (g, count) = counted f
         val traced = let open Jit in jit (triple (model, tensor, number Type.int), pair (tensor, model)) g end
         fun matrix (k, shape) = Tensor.map (fn x => Exp.mod (Exp.+ (Exp.* (x, Exp.int 7), Exp.int k), Exp.int 13)) (Tensor.iota shape)
         fun equal (a, b) = (list Int.toString (Tensor.shape a, Tensor.shape b); ints (Tensor.toList a, Tensor.toList b))
         fun check (k, rows, rate) =
           let
             val m = {weights = matrix (k, [3, 2]), bias = matrix (k + 1, [2])}
             val x = matrix (k + 2, [rows, 3])
             val (y, next) = f (m, x, Scalar.reduce Exp.+ 0 (IntSeq.fromList [rate]))
             val (y', next') = traced (m, x, rate)
           in
             equal (y, y');
             equal (#weights next, #weights next');
             equal (#bias next, #bias next')
           end
       in
         List.app check [(1, 4, 5), (2, 4, 3), (3, 5, 5), (4, 4, 2)];
         calls (2, count)
       end);
     test "jit: 12 elements of several shapes" (fn () =>
       let
         val (f, count) = counted (fn a => Along.sum [0] a)
         val traced = Jit.jit (Jit.tensor, Jit.tensor) f
         fun check shape =
           let val a = example (shape, false)
           in
             ints (Tensor.toList (Along.sum [0] a), Tensor.toList (traced a));
             list Int.toString (List.tl shape, Tensor.shape (traced a))
           end
       in
         List.app check [[3, 4], [4, 3], [12, 1], [1, 12], [3, 4]];
         calls (4, count)
       end);
     test "jit: tuples, constants and keys" (fn () =>
       let
         val swapped = Jit.jit (Jit.seq, Jit.seq) (Seq.map (fn p => let val (x, y) = Exp.unpair p in Exp.pair (Exp.+ (y, Exp.int 1), x) end))
         val pairs = Type.show (Type.pair (Type.int, Type.int))
         val doubled = Jit.jit (Jit.tensor, Jit.tensor) (fn a => Tensor.Infix.+ (a, a))
         val (f, count) = counted (fn key => Random.uniform Type.real [] (Random.split key 3) 1000)
         val draw = Jit.jit (Jit.scalar, Jit.seq) f
       in
         list pairs
           (List.tabulate (100, fn i => (value 2 i + 1, value 1 i)), Seq.toList (swapped (Seq.zip (sequence (1, 100), sequence (2, 100)))));
         int (14, Tensor.value (doubled (Tensor.Infix.I 7)));
         List.app (fn k => reals (Seq.toList (f (Random.key k)), Seq.toList (draw (Random.key k)))) [1, 2, 99];
         calls (4, count)
       end))

  fun captured () =
    test "jit: captured sequences" (fn () =>
      let
        val table = sequence (4, 1000)
        val delayed = plus 5 (sequence (6, 1000))
        val () = Seq.force [Seq.any table]
        val scale = ref 2
        fun f s =
          Seq.tabulate
            (fn i => Exp.+ (Exp.* (Exp.at (s, i), Exp.int (!scale)), Exp.- (Exp.at (table, Exp.mod (Exp.* (i, Exp.int 7), Exp.int 1000)), Exp.at (delayed, i))))
            1000
        val (g, count) = counted f
        val traced = Jit.jit (Jit.seq, Jit.seq) g
        val expected = List.tabulate (3, fn k => (k, Seq.toList (f (sequence (k, 1000)))))
        fun check () = List.app (fn (k, l) => ints (l, Seq.toList (traced (sequence (k, 1000))))) expected
        val constant = Jit.jit (Jit.seq, Jit.seq) (fn _ => plus 1 table)
      in
        check ();
        scale := 3;
        check ();
        calls (1, count);
        ints (List.map (fn x => x + 1) (values (4, 1000)), Seq.toList (constant (sequence (0, 3))))
      end)

  exception Refused

  fun errors () =
    (test "jit: a function that reads its argument" (fn () =>
       let
         val reads = ref true
         fun forcing read =
           Jit.jit (Jit.seq, Jit.seq) (fn s => (if !reads then read s else (); plus 1 s))
         fun check (name, read) =
           let val f = forcing read
           in
             reads := true;
             warpfold
               (Warpfold.Argument,
                name ^ ": the elements depend on a parameter of a program that is being traced, which has none before the program runs; \
                \expected a traced function without forces")
               (fn () => f (sequence (1, 100)));
             reads := false;
             ints (List.map (fn x => x + 1) (values (1, 100)), Seq.toList (f (sequence (1, 100))))
           end
       in
         check ("Seq.reduce", fn s => ignore (Seq.reduce Exp.+ 0 s));
         check ("Scalar.value", fn s => ignore (Scalar.value (Scalar.reduce Exp.+ 0 s)));
         check ("Seq.toList", fn s => ignore (Seq.toList s));
         check ("Seq.force", fn s => Seq.force [Seq.any s])
       end);
     test "jit: exceptions" (fn () =>
       let
         val count = ref 0
         val f = Jit.jit (Jit.seq, Jit.seq) (fn s => (count := !count + 1; if !count = 1 then raise Refused else Seq.rev s))
         val released = sequence (1, 10)
         val nested = Jit.jit (Jit.seq, Jit.seq) (fn s => s)
         val ofNested = Jit.jit (Jit.seq, Jit.seq) (fn s => Segments.split (s, IntSeq.fromList [1, 9]))
       in
         raises "Refused" (fn Refused => true | _ => false) (fn () => f (sequence (1, 10)));
         (* Not taken for a call within another trace. *)
         bool (true, Seq.isComputed (f (sequence (1, 10))));
         ignore (f (sequence (2, 10)));
         calls (2, count);
         Seq.release released;
         warpfold (Warpfold.Argument, "Jit.jit: a sequence or scalar was released") (fn () => f released);
         warpfold (Warpfold.Type, "Jit.jit: a sequence of sequences") (fn () => nested (Segments.fromLists Type.int [[1], [2, 3]]));
         warpfold (Warpfold.Type, "Jit.jit: a sequence of sequences") (fn () => ofNested (sequence (1, 10)))
       end);
     test "jit: an index out of range in one run" (fn () =>
       let
         val table = sequence (1, 1000)
         val (f, count) = counted (Seq.map (fn i => Exp.at (table, i)))
         val traced = Jit.jit (Jit.seq, Jit.seq) f
         fun good i = i mod 1000
         fun check () =
           ints (List.tabulate (70001, value 1 o good), Seq.toList (traced (IntSeq.fromFunction good 70001)))
       in
         check ();
         subscript (fn () => traced (IntSeq.fromFunction (fn i => if i = 69999 then 1000 else good i) 70001));
         contains ("Jit.jit: ", Warpfold.lastMessage ());
         contains ("1000", Warpfold.lastMessage ());
         check ();
         calls (1, count)
       end))

  fun nested () =
    test "jit: nested" (fn () =>
      let
        val (f, inner_calls) = counted (Seq.map (fn x => Exp.+ (Exp.* (x, Exp.int 2), Exp.int 1)))
        val inner = Jit.jit (Jit.seq, Jit.seq) f
        val scaled = let open Jit in jit (pair (seq, number Type.int), seq) end (fn (s, k) => Seq.map (fn x => Exp.* (x, Exp.scalar k)) s)
        val (g, outer_calls) = counted (fn s => scaled (inner (Seq.rev (inner s)), 3))
        val outer = Jit.jit (Jit.seq, Jit.seq) g
        fun check k = ints (List.map (fn x => 3 * (4 * x + 3)) (List.rev (values (k, 1000))), Seq.toList (outer (sequence (k, 1000))))
        val top = Jit.jit (Jit.seq, Jit.scalar) (Scalar.reduce Exp.max 0)
        val s = sequence (2, 1000)
      in
        List.app check [0, 1, 2, 3];
        calls (1, outer_calls);
        calls (2, inner_calls);
        ints (List.map (fn x => 2 * x + 1) (values (1, 1000)), Seq.toList (inner (sequence (1, 1000))));
        calls (3, inner_calls);
        ints (List.map (fn x => x + List.foldl Int.max 0 (values (2, 1000))) (values (1, 1000)),
              Seq.toList (Seq.map (fn x => Exp.+ (x, Exp.scalar (top s))) (sequence (1, 1000))))
      end)

  fun most () =
    test "jit: the latest 64 traces" (fn () =>
      let
        val (f, count) = counted Seq.rev
        val traced = Jit.jit (Jit.seq, Jit.seq) f
        fun run n = ints (List.tabulate (n, fn i => n - 1 - i), Seq.toList (traced (Seq.iota n)))
        fun from n = if n > 70 then () else (run n; from (n + 1))
      in
        from 1;
        from 7;
        calls (70, count);
        run 6;
        calls (71, count)
      end)

  fun memory () =
    test "jit: memory" (fn () =>
      let
        val context = Context.create "cpu"
        (* A computation that finds no room collects garbage. The first one needs the memory of earlier results, and the last one that of
           everything else. *)
        val () = Context.setLimit context (SOME 4194304)
        fun run () =
          let
            val table = Seq.iota 100000
            val s = Seq.iota 70001
            val () = Seq.force [Seq.any table, Seq.any s]
            val f = let open Jit in jit (seq, pair (seq, seq)) end (fn s =>
              (Seq.map (fn i => Exp.at (table, i)) s, Seq.filter (fn x => Exp.> (x, Exp.int 10)) s))
            fun times 0 = ()
              | times k =
                  let val (a, b) = f s
                  in int (69990, Seq.length b); int (7, Seq.nth a 7); times (k - 1) end
          in
            times 100
          end
        fun fill () =
          let val s = Seq.iota 500000
          in Seq.force [Seq.any s]; int (499999, Seq.nth s 499999) end
      in
        Context.within context run;
        Context.within context fill
      end)

  fun run () =
    (shapes (); numbers (); several (); lists (); arrays (); captured (); errors (); nested (); most (); memory ())
end
