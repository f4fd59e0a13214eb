(* bfs FILE [SOURCE]: breadth-first search in a graph. Each line of the file is an edge, two numbers of vertices. Prints how many vertices have
   each distance from the source. *)
structure Bfs =
struct
  open Exp.Infix infix 4 == infix 3 &&

  (* neighbours: those of each vertex. Returns the distances; ~1 where there is no path. *)
  fun distances neighbours source =
    let
      val n = Seq.length neighbours
      fun search (distances, frontier, d) =
        if Seq.length frontier = 0 then distances
        else
          let
            val reached = Seq.flatten (Seq.map (fn v => Exp.at (neighbours, v)) frontier)
            val unseen = Seq.filter (fn v => Exp.at (distances, v) == I ~1) reached
            val next = Seq.inject (distances, Seq.map (fn v => Exp.pair (v, I (Int.+ (d, 1)))) unseen)
            (* A vertex that several edges reach is in the next frontier once: the distances, not the edges, say who is in it. *)
            val frontier = Search.packIndex (fn k => k == I (Int.+ (d, 1))) next
            val () = Seq.force [Seq.any next]
          in search (next, frontier, Int.+ (d, 1)) end
    in search (Seq.update (IntSeq.fill ~1 n, (source, 0)), IntSeq.singleton source, 0) end

  (* The neighbours of each of n vertices; edges go both ways. *)
  fun graph n edges =
    let
      val both = Seq.append (edges, Seq.map (fn e => let val (a, b) = Exp.unpair e in Exp.pair (b, a) end) edges)
      val (sources, targets) = Seq.unzip (Seq.ascendingBy (fn e => #1 (Exp.unpair e)) both)
    in Segments.split (targets, Seq.histogram n sources) end

  (* The numbers in a text, two by two *)
  fun edges text =
    let
      fun isDigit c = c >= Exp.const Type.word8 0w48 && c <= Exp.const Type.word8 0w57
      fun digit c = Exp.pair (Exp.cast Type.int c - I 48, I 10)
      fun join (a, b) = let val ((x, p), (y, q)) = (Exp.unpair a, Exp.unpair b) in Exp.pair (x * q + y, p * q) end
      fun number word = #1 (Exp.unpair (Inner.reduce join (0, 1) (Inner.map digit (Inner.row word))))
      val numbers = Seq.map number (Segments.tokens (Exp.not o isDigit) text)
    in
      Seq.tabulate (fn i => Exp.pair (Exp.at (numbers, i * I 2), Exp.at (numbers, i * I 2 + I 1))) (Int.div (Seq.length numbers, 2))
    end
  fun size edges = Int.+ (1, Seq.mapReduce (Exp.max o Exp.unpair) Exp.max ~1 edges)
end

fun main () =
  case CommandLine.arguments () of
    path :: rest =>
      let
        val edges = Bfs.edges (Word8Seq.fromFile path)
        val graph = Bfs.graph (Bfs.size edges) edges
        val source = case rest of text :: _ => Option.getOpt (Int.fromString text, 0) | [] => 0
        val distances = Timing.timed "search" (fn () => Bfs.distances graph source)
        fun line (d, k) = print (Int.toString k ^ (if d < 0 then " without a path\n" else " at distance " ^ Int.toString d ^ "\n"))
      in
        List.app line (Seq.toList (Segments.runLengths (Seq.ascending distances)))
      end
  | [] => print "usage: bfs FILE [SOURCE]\n"
