(* run_length TEXT: the run-length code of a text, such as 3a1b for aaab, and the text decoded from it. *)
val () = Program.define ("run_length", "TEXT", fn arguments =>
  let
    val text = CharSeq.fromString (List.hd arguments)
    val code = Program.timed (Seq.length text, "characters") (fn () => Seq.now (Segments.runLengths text))
    fun shown (c, n) = Int.toString n ^ String.str c
  in
    Program.print (String.concat (List.map shown (Seq.toList code)) ^ "\n" ^ CharSeq.implode (Segments.expand code) ^ "\n")
  end)
