(* bfs FILE [START]: the numbers of vertices at distance 0, 1, 2, ... from START in a directed graph, from lines "FROM TO" of vertex numbers. A round
   reads the edges of all vertices found in the last one, and a scatter marks the vertices that they lead to. *)
structure Bfs =
struct
  open Exp.Infix
  infix 4 ==  infix 3 &&

  (* The numbers in a text, two by two *)
  fun edges text =
    let
      fun byte c = Exp.const Type.word8 (Byte.charToByte c)
      fun isDigit c = c >= byte #"0" && c <= byte #"9"
      fun digit c = Exp.pair (Exp.cast Type.int c - I 48, I 10)
      fun join (a, b) = let val ((x, p), (y, q)) = (Exp.unpair a, Exp.unpair b) in Exp.pair (x * q + y, p * q) end
      fun number word = #1 (Exp.unpair (Inner.reduce join (0, 1) (Inner.map digit (Inner.row word))))
      val numbers = Seq.map number (Segments.tokens (Exp.not o isDigit) text)
    in
      Seq.tabulate (fn i => Exp.pair (Exp.at (numbers, i * I 2), Exp.at (numbers, i * I 2 + I 1))) (Int.div (Seq.length numbers, 2))
    end

  (* The targets of the edges of each vertex *)
  fun graph edges =
    let
      val (sources, targets) = Seq.unzip (Seq.ascending edges)
      val n = Int.+ (1, Seq.mapReduce (Exp.max o Exp.unpair) Exp.max ~1 edges)
    in Seq.now (Segments.split (targets, Seq.histogram n sources)) end

  fun counts graph start =
    let
      fun rounds (seen, frontier) =
        if Seq.length frontier = 0 then []
        else
          let
            val reached = Seq.flatten (Seq.map (fn v => Exp.at (graph, v)) frontier)
            val next = Order.unique Exp.< (Seq.filter (fn v => Exp.not (Exp.at (seen, v))) reached)
            val seen = Seq.inject (seen, Seq.map (fn v => Exp.pair (v, B true)) next)
          in
            Seq.force [Seq.any seen, Seq.any next];
            Seq.length frontier :: rounds (seen, next)
          end
    in
      rounds (Seq.tabulate (fn v => v == I start) (Seq.length graph), IntSeq.singleton start)
    end
end

val () = Program.define ("bfs", "FILE [START]", fn arguments =>
  let
    val edges = Seq.now (Bfs.edges (Word8Seq.fromFile (List.hd arguments)))
    val graph = Bfs.graph edges
    val counts = Program.timed (Seq.length edges, "edges") (fn () => Bfs.counts graph (Program.number (arguments, 1, 0)))
  in
    Program.print (String.concatWith " " (List.map Int.toString counts) ^ "\n")
  end)
