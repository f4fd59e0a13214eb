(* Tests of the example programs, which are loaded before this file. *)
structure ExampleTests =
struct
  open Check

  fun report text =
    let
      val bytes = Word8Seq.fromList (List.map Byte.charToByte (String.explode text))
      (* pieces of 4 bytes, so that positions continue from piece to piece *)
      val report = Brackets.match (bytes, 4, fn _ => ())
    in
      MatchParens.describe report
    end

  fun run () =
    (List.app
       (fn (expected, text) => test ("brackets of \"" ^ String.toString text ^ "\"") (fn () => string (expected, report text)))
       [("balanced; depth 0", ""),
        ("balanced; depth 0", "no brackets\nat all"),
        ("balanced; depth 3 at 2:1", "([\n{}])(){}"),
        ("NOT balanced: a closing bracket too many at 2:3; depth 3 at 3:4", "()\n())\n(((("),
        ("NOT balanced: 1 bracket left open; depth 2 at 1:6", "{} ( (]"),
        ("NOT balanced: 3 brackets left open; depth 3 at 3:1", "(\n[\n{\n")];
     test "mcss" (fn () =>
       let val (best, prefix, suffix, total) = Mcss.sums (IntSeq.fromList [3, ~4, 5, ~1, 2, ~9, 4])
       in ints ([6, 5, 4, 0], [best, prefix, suffix, total]) end);
     test "map_reduce" (fn () =>
       let val (plan, values) = MapReduce.summarize (RealSeq.fromList [1.0, 2.0, 3.0, 4.0])
       in
         contains ("1 kernel\n", plan);
         reals ([2.5, Math.sqrt 1.25, 1.0, 4.0], values)
       end);
     test "mandelbrot" (fn () =>
       let
         val picture = Mandelbrot.picture (30, 20)
         fun pixel (x, y) = List.tabulate (3, fn k => Word8.toInt (Tensor.sub (picture, [y, x, k])))
       in
         ints ([20, 30, 3], Tensor.shape picture);
         ints ([0, 0, 0], pixel (20, 10)); (* inside *)
         ints ([9, 4, 1], pixel (0, 10))   (* -2.25 leaves at once *)
       end))
end
