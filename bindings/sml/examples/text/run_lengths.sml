(* run_lengths FILE: the sizes of a file before and after run-length coding: each run of equal bytes becomes runs of up to 255 bytes, of which each
   is stored as its length and the byte. *)
structure RunLengths =
struct
  open Exp.Infix

  (* (length, byte) for each run *)
  fun encode s =
    let
      val (bytes, counts) = Seq.unzip (Segments.runLengths s)
      val pieces = Seq.map (fn n => (n + I 254) div I 255) counts
      (* Piece k of a run of n bytes has min (255, n - 255 k) bytes. *)
      val runs = Segments.split (Segments.expand (Seq.zip (Seq.zip (bytes, counts), pieces)), pieces)
      val numbers = Seq.flatten (#1 (Segments.scan Exp.+ 0 (Segments.map (fn _ => I 1) runs)))
      fun piece (k, run) = let val (byte, n) = Exp.unpair run in Exp.pair (Exp.cast Type.word8 (Exp.min (I 255, n - I 255 * k)), byte) end
    in
      Seq.zipWith piece (numbers, Seq.flatten runs)
    end

  fun decode pairs =
    Segments.expand (Seq.map (fn p => let val (n, byte) = Exp.unpair p in Exp.pair (byte, Exp.cast Type.int n) end) pairs)
end

fun main () =
  case CommandLine.arguments () of
    [path] =>
      let
        val s = Word8Seq.fromFile path
        val coded = Timing.timed "encode" (fn () => let val c = RunLengths.encode s in Seq.force [Seq.any c]; c end)
        val again = Timing.timed "decode" (fn () => let val d = RunLengths.decode coded in Seq.force [Seq.any d]; d end)
      in
        print (Int.toString (Seq.length s) ^ " bytes, coded " ^ Int.toString (Int.* (2, Seq.length coded)) ^ "\n");
        print (if Seq.equal Exp.== (s, again) then "decoded\n" else "NOT decoded\n")
      end
  | _ => print "usage: run_lengths FILE\n"
