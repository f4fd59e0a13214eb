(* Elements of types that are made of others: records, constants, options, characters. *)
structure TypeTests =
struct
  open Check

  type point = {x : real, id : int}
  val pair = Type.pair (Type.real, Type.int)
  val point : point Type.t = Type.convert (fn {x, id} => (x, id), fn (x, id) => {x = x, id = id}) pair
  fun x p = #1 (Exp.unpair (Exp.view pair p))
  fun id p = #2 (Exp.unpair (Exp.view pair p))
  datatype suit = Club | Diamond | Heart | Spade
  val suits = [Club, Diamond, Heart, Spade]
  val suit = Type.enumeration suits

  fun run () =
    (test "types: records" (fn () =>
       let
         val n = 1025
         fun host i = {x = Real.fromInt (i * 7 mod 100) / 4.0, id = i}
         val s = Seq.fromList point (List.tabulate (n, host))
         fun ids s = List.map (fn ({id, ...} : point) => id) (Seq.toList s)
         fun scaled p = Exp.view point (Exp.pair (Exp.* (x p, Exp.real 2.0), Exp.- (Exp.int n, id p)))
         val sorted = Seq.ascendingBy x s
         val best = Seq.reduce (fn (p, q) => Exp.cond (Exp.< (x q, x p), q, p)) {x = 99.0, id = ~1} s
       in
         ints (List.tabulate (n, fn i => n - i), ids (Seq.map scaled s));
         reals ([2.0 * #x (host 77)], [#x (Seq.nth (Seq.map scaled s) 77)]);
         int (n, List.length (ids sorted));
         int (0, #id (Seq.nth sorted 0));
         int (0, #id best);
         ints ([3, 4], ids (Seq.subseq s (3, 2)));
         int (9, #id (Array.sub (Seq.toArray s, 9)));
         ints (ids s, ids (Jit.jit (Jit.seq, Jit.seq) (fn s => s) s));
         int (12, #id (Seq.nth (Seq.update (s, (3, {x = 0.0, id = 12}))) 3));
         warpfold (Warpfold.Type, "Exp.view: the value has type") (fn () => Seq.map (Exp.view Type.real) s)
       end);
     test "types: constants of a datatype" (fn () =>
       let
         val all = List.tabulate (1025, fn i => List.nth (suits, i * 7 mod 4))
         val s = Seq.fromList suit all
         val hearts = Seq.filter (fn c => Exp.== (c, Exp.const suit Heart)) s
       in
         int (List.length (List.filter (fn c => c = Heart) all), Seq.length hearts);
         holds "the same" (Seq.toList s = all);
         holds "in the order of the list" (Seq.nth (Seq.ascending s) 0 = Club andalso Seq.nth (Seq.descending s) 0 = Spade);
         warpfold (Warpfold.Argument, "expected one of its constants") (fn () => Seq.fromList (Type.enumeration [1, 2]) [3]);
         size (fn () => Type.enumeration (List.tabulate (257, fn i => i)))
       end);
     test "types: options and characters" (fn () =>
       let
         val s = Seq.fromList (Type.option Type.int) [SOME 3, NONE, SOME ~4]
         fun orZero e = let val (isSome, x) = Exp.unpair (Exp.view (Type.pair (Type.bool, Type.int)) e) in Exp.cond (isSome, x, Exp.int 0) end
         val text = "It's 15-210!"
         val word = CharSeq.fromString text
         val isLetter = fn c => let val c = Exp.view Type.word8 c in Exp.>= (c, Exp.const Type.word8 0w65) end
       in
         holds "the same" (Seq.toList s = [SOME 3, NONE, SOME ~4]);
         ints ([3, 0, ~4], Seq.toList (Seq.map orZero s));
         string (text, CharSeq.implode word);
         string ("Its", CharSeq.implode (Seq.filter isLetter word));
         string (String.implode (List.rev (String.explode text)), String.implode (Seq.toList (Seq.rev word)));
         string ("<#\"a\",#\"\\n\">", Seq.describe (CharSeq.fromString "a\n"));
         string ("", CharSeq.implode (CharSeq.fromString ""))
       end);
     test "now, and what is kept" (fn () =>
       let
         val s = Seq.tabulate (fn i => Exp.* (i, i)) 5000
         val computed = Seq.now s
         val twice = Seq.map (Exp.exp o Exp.sin o Exp.cast Type.real) (Seq.now (Seq.iota 5000))
         fun highest () = Seq.reduce Exp.max 0.0 twice
       in
         holds "computed" (Seq.isComputed s andalso Seq.isComputed computed);
         reals ([highest ()], [highest ()]);
         holds "a second computation is kept" (Seq.isComputed twice)
       end))
end
