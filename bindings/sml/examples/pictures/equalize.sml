(* equalize IN OUT: histogram equalization of a picture. Both files are binary portable graymaps (P5) with 8 bits per pixel. *)
structure Equalize =
struct
  open Exp.Infix

  (* Each value becomes its rank among all pixels, from 0 to 255. *)
  fun equalize pixels =
    let
      val ranks = Seq.scanIncl Exp.+ 0 (Seq.histogram 256 pixels)
      val n = Exp.int64 (Int64.fromInt (Int.max (Seq.length pixels, 1)))
      val table = Seq.map (fn rank => Exp.cast Type.word8 (Exp.cast Type.int64 rank * Exp.int64 255 div n)) ranks
    in
      Seq.map (fn p => Exp.at (table, Exp.cast Type.int p)) pixels
    end

  (* The header, which is three lines, and the pixels *)
  fun parts path =
    let
      val file = TextIO.openIn path
      val lines = List.tabulate (3, fn _ => Option.getOpt (TextIO.inputLine file, ""))
      val () = TextIO.closeIn file
      val header = String.concat lines
    in
      if List.hd lines = "P5\n" andalso List.last lines = "255\n" then (header, Seq.drop (Word8Seq.fromFile path) (String.size header))
      else raise Fail (path ^ ": the file is not a binary graymap with a header of three lines and 255 as its largest value")
    end

  fun run (from, to) =
    let
      val (header, pixels) = parts from
      val result = Seq.now (equalize pixels)
      val file = BinIO.openOut to
    in
      BinIO.output (file, Byte.stringToBytes header);
      BinIO.output (file, Word8Array.vector (Seq.toBytes result));
      BinIO.closeOut file;
      Program.print ("the mean is " ^ Program.fixed 4 (Numbers.mean result) ^ "\n")
    end
end

val () = Program.define ("equalize", "IN OUT", fn arguments =>
  case arguments of
    [from, to] => Equalize.run (from, to)
  | _ => raise Fail "expected two files")
