(* word_counts FILE [K]: the K most frequent words of a text, in lower case. Words are parts of the text's bytes; a reduction of each computes a hash,
   and words with the same hash of 64 bits are counted as one. *)
structure WordCounts =
struct
  open Exp.Infix
  infix 4 ==  infix 3 &&  infix 2 ||

  fun byte c = Exp.const Type.word8 (Byte.charToByte c)
  fun lower c = Exp.orb (c, byte #" ")
  fun isLetter c = lower c >= byte #"a" && lower c <= byte #"z"

  (* (hash of a text, 31^length): the hash of two texts in sequence follows from theirs. *)
  fun letter c = Exp.pair (Exp.cast Type.word64 (lower c), Exp.const Type.word64 0w31)
  fun join (a, b) =
    let val ((x, p), (y, q)) = (Exp.unpair a, Exp.unpair b)
    in Exp.pair (x * q + y, p * q) end
  fun hash word = #1 (Exp.unpair (Inner.reduce join (0w0, 0w1) (Inner.map letter (Inner.row word))))

  (* (count, position of the first one), the most frequent and then the first one first *)
  fun counted words =
    let
      val (_, groups) = Seq.unzip (Segments.groupBy (#2 o Exp.unpair) (Seq.enum (Seq.map hash words)))
      fun first group = Inner.min (Inner.map (#1 o Exp.unpair) (Inner.row group))
      fun isBefore (a, b) =
        let val ((n, i), (m, j)) = (Exp.unpair a, Exp.unpair b) in n > m || n == m && i < j end
    in
      Seq.sort isBefore (Seq.zip (Segments.lengths groups, Seq.map first groups))
    end

  fun top k text =
    let
      val words = Segments.tokens (Exp.not o isLetter) text
      val best = counted words
      fun spelled i = String.implode (List.map (Char.toLower o Byte.byteToChar) (Seq.toList (Seq.nth words i)))
    in
      List.map (fn (n, i) => (n, spelled i)) (Seq.toList (Seq.take best (Int.min (k, Seq.length best))))
    end
end

val () = Program.define ("word_counts", "FILE [K]", fn arguments =>
  let
    val text = Word8Seq.fromFile (List.hd arguments)
    val best = Program.timed (Seq.length text, "bytes") (fn () => WordCounts.top (Program.number (arguments, 1, 10)) text)
  in
    List.app (fn (n, word) => Program.print (Int.toString n ^ " " ^ word ^ "\n")) best
  end)
