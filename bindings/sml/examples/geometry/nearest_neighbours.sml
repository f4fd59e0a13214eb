(* nearest_neighbours [N]: the k nearest neighbours of some of N points of the plane. *)
structure Nearest =
struct
  open Exp.Infix

  fun distance (p, q) =
    let val ((x, y), (u, v)) = (Exp.unpair p, Exp.unpair q)
    in (x - u) * (x - u) + (y - v) * (y - v) end

  (* The positions of the k points that are nearest to (x, y), nearest first *)
  fun neighbours k points (x, y) =
    let
      val query = Exp.pair (R x, R y)
      val all = Seq.enum (Seq.map (fn p => distance (p, query)) points)
      val (numbers, _) = Seq.unzip (Seq.ascendingBy (fn p => #2 (Exp.unpair p)) all)
    in
      Seq.toList (Seq.take numbers k)
    end

  fun example n =
    let fun coordinate k i = Exp.cast Type.real (Exp.mod (Exp.mod (i, I 40009) * I k, I 10007)) / R 10007.0
    in Seq.tabulate (fn i => Exp.pair (coordinate 7919 i, coordinate 104729 i)) n end
end

fun main () =
  let
    val points = Nearest.example (Timing.argument 1000000)
    val () = Seq.force [Seq.any points]
    val found = Timing.timed "neighbours" (fn () => Nearest.neighbours 5 points (0.5, 0.5))
  in
    print (String.concatWith " " (List.map Int.toString found) ^ "\n")
  end
