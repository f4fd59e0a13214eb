(* digits PICTURE.png: draws noisy digits, writes them as a picture, reads it, and recognizes them by a network of two layers: layer 1 finds the
   segments of a display that are lit, layer 2 compares them with those of each numeral. *)
structure Digits =
struct
  open Tensor.Infix Tensor.Part

  fun single x = Tensor.scalar Type.single (Single.fromReal x)

  (* The outputs of a layer, for rows x of inputs and rows w of weights *)
  fun layer (x, w) = Along.sum [2] (Tensor.slice [All, New] x * w)

  (* Row k is the pixels of segment k of a display of 7 x 5 pixels. *)
  fun segments () =
    let
      val display = IntSeq.fromList (List.map Char.ord (String.explode ".000.1...21...2.333.4...54...5.666."))
      fun isOn (k, pixel) = Exp.== (Exp.at (display, pixel), Exp.+ (k, Exp.int (Char.ord #"0")))
    in Matrix.tabulate (fn place => Exp.cast Type.single (isOn place)) (7, 35) end

  (* Row k is the segments of numeral k. *)
  fun numerals () =
    let
      val lit = ["1110111", "0010010", "1011101", "1011011", "0111010", "1101011", "1101111", "1010010", "1111111", "1111011"]
      fun row text = List.map (fn c => c = #"1") (String.explode text)
    in Tensor.map (Exp.cast Type.single) (BoolMatrix.fromList (List.map row lit)) end

  (* The numerals 0, 1, ..., 9, 0, 1, ... side by side, with noise: 7 x 5 n bytes *)
  fun drawn n =
    let
      val width = Int.* (5, n)
      val shapes = Tensor.reshape [10, 7, 5] (layer (numerals (), Tensor.transpose (segments ())))
      fun ink (y, x) = Tensor.at (shapes, [Exp.mod (Exp.div (x, Exp.int 5), Exp.int 10), y, Exp.mod (x, Exp.int 5)])
      val noise = Tensor.fromSeq [7, width] (Random.uniform Type.single [] (Random.key 7) (Int.* (7, width)))
    in Tensor.map (Exp.cast Type.word8) (single 150.0 * Matrix.tabulate ink (7, width) + single 100.0 * noise) end

  (* The numeral that each 7 x 5 pixels of a picture show *)
  fun recognized picture =
    let
      val n = Int.div (Matrix.nCols picture, 5)
      val gray = Tensor.map (Exp.cast Type.single) picture / single 255.0
      val pixels = Tensor.reshape [n, 35] (Tensor.permute [1, 0, 2] (Tensor.reshape [7, n, 5] gray))
      val masks = segments ()
      val lit = Tensor.map Exp.sign (layer (pixels, masks / Keep.sum [1] masks) - single 0.5)
    in Along.argmax 1 (layer (lit, single 2.0 * numerals () - single 1.0)) end
end

val () = Program.define ("digits", "PICTURE.png", fn arguments =>
  let
    val (n, path) = (2000, List.hd arguments)
    val () = Files.write path (Digits.drawn n)
    val picture = Files.read Type.word8 path
    val () = Seq.force [Tensor.any picture]
    val found = Program.timed (n, "digits") (fn () =>
      let val found = Digits.recognized picture in Seq.force [Tensor.any found]; found end)
    val right = Tensor.zipWith (fn (digit, k) => Exp.== (digit, Exp.mod (k, Exp.int 10))) (found, Tensor.iota [n])
  in
    Program.print (Int.toString (Tensor.value (Along.count [0] right)) ^ " of " ^ Int.toString n ^ " are right\n")
  end)
