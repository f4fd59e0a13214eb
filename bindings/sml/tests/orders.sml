(* Sorts and merges: special values, errors. ValueTests has their values. *)
structure OrderTests =
struct
  open Check

  fun run () =
    (test "nan, zeros and infinities" (fn () =>
       let
         val values = [0.0 / 0.0, 1.5, ~0.0, Real.posInf, 0.0, ~2.0, ~0.0, Real.negInf, 0.0]
         fun text s = Seq.toString (fn x => if Real.isNan x then "nan" else if Real.== (x, 0.0) then if Real.signBit x then "-0" else "0"
                                            else Real.fmt (StringCvt.FIX (SOME 1)) x) s
       in
         string ("<~inf,~2.0,-0,-0,0,0,1.5,inf,nan>", text (Seq.ascending (RealSeq.fromList values)));
         string ("<nan,inf,1.5,0,0,-0,-0,~2.0,~inf>", text (Seq.descending (RealSeq.fromList values)));
         list Bool.toString ([false, false, true], Seq.toList (Seq.ascending (BoolSeq.fromList [true, false, false])));
         list Word8.toString ([0wxff, 0w7, 0w0], Seq.toList (Seq.descending (Word8Seq.fromList [0w7, 0w0, 0wxff])))
       end);
     test "results are sequences, and errors" (fn () =>
       let
         val s = Seq.descending (Seq.filter Lambdas.is_even (Seq.tabulate Lambdas.identity 100000))
         val other = Context.within (Context.create "cpu") (fn () => IntSeq.fromList [1])
         val released = IntSeq.fromList [1]
       in
         int (50000, Seq.length s);
         int (99998 + 99996 + 99994, Seq.reduce Lambdas.add 0 (Seq.take s 3));
         Seq.release released;
         warpfold (Warpfold.Argument, "Seq.sort: ") (fn () => Seq.sort (fn (x, y) => Exp.< (Exp.+ (x, Exp.at (s, x)), y)) s);
         warpfold (Warpfold.Argument, "Seq.mergeAscending: ") (fn () => Seq.mergeAscending (s, other));
         warpfold (Warpfold.Argument, "Seq.descendingBy: a sequence or scalar was released") (fn () => Seq.descendingBy Lambdas.double released);
         warpfold (Warpfold.Argument, "Seq.merge: a sequence or scalar was released") (fn () => Seq.merge Exp.< (s, released))
       end))
end
