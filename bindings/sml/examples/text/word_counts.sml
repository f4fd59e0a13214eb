(* word_counts FILE [K]: the K most frequent words of a text, and how often each occurs. Words are parts of the text's bytes; equal words are
   those of equal hash values, which a reduction of each word computes. *)
structure WordCounts =
struct
  open Exp.Infix infix 4 == infix 3 && infix 2 ||

  val hash = Type.word64
  fun byte i = Exp.const Type.word8 (Word8.fromInt i)
  fun isLetter c = let val lower = Exp.orb (c, byte 32) in lower >= byte 97 && lower <= byte 122 end
  fun lowerCase c = Exp.cond (isLetter c, Exp.orb (c, byte 32), c)

  (* A polynomial in 1099511628211 modulo 2^64, and the power of its length. *)
  fun letter c = Exp.pair (Exp.cast hash c, Exp.const hash 0w1099511628211)
  fun join (a, b) =
    let val ((x, p), (y, q)) = (Exp.unpair a, Exp.unpair b)
    in Exp.pair (x * q + y, p * q) end
  fun hashOf word = #1 (Exp.unpair (Inner.reduce join (0w0, 0w1) (Inner.map letter (Inner.row word))))

  (* The k most frequent words, and of equally frequent ones those with the smallest hash values. *)
  fun top k text =
    let
      val words = Segments.tokens (Exp.not o isLetter) (Seq.map lowerCase text)
      val (_, groups) = Seq.unzip (Segments.groupBy hashOf words)
      val counts = Segments.lengths groups
      val most = Seq.descendingBy (fn p => #1 (Exp.unpair p)) (Seq.zip (counts, groups))
      fun spelled word = String.implode (List.map Byte.byteToChar (Seq.toList word))
    in
      List.map (fn (count, group) => (spelled (Seq.nth group 0), count)) (Seq.toList (Seq.take most (Int.min (k, Seq.length most))))
    end
end

fun main () =
  case CommandLine.arguments () of
    path :: rest =>
      let
        val k = case rest of text :: _ => Option.getOpt (Int.fromString text, 10) | [] => 10
        val words = Timing.timed "words" (fn () => WordCounts.top k (Word8Seq.fromFile path))
      in
        List.app (fn (word, count) => print (StringCvt.padLeft #" " 8 (Int.toString count) ^ " " ^ word ^ "\n")) words
      end
  | [] => print "usage: word_counts FILE [K]\n"
