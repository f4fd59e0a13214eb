(* sparse_product [N]: a sparse matrix of N rows times a vector. A row is a sequence of pairs (column, value); the lambda of a row reads it in place. *)
structure Sparse =
struct
  open Exp.Infix

  fun times rows x =
    let fun product entry = let val (column, value) = Exp.unpair entry in value * Exp.at (x, column) end
    in Seq.map (fn row => Inner.sum (Inner.map product (Inner.row row))) rows end

  (* Row i has i mod 8 entries: i + k + 1 in column (7 i + 13 k) mod n. *)
  fun example n =
    let
      val lengths = Seq.map (fn i => Exp.mod (i, I 8)) (Seq.iota n)
      val numbered = Seq.enum (Segments.expand (Seq.zip (Seq.iota n, lengths)))
      val (firsts, _) = Seq.scan Exp.+ 0 lengths
      fun entry p =
        let val (j, i) = Exp.unpair p
            val k = j - Exp.at (firsts, i)
        in Exp.pair (Exp.mod (i * I 7 + k * I 13, I n), Exp.cast Type.real (i + k + I 1)) end
    in
      Segments.split (Seq.map entry numbered, lengths)
    end
end

fun main () =
  let
    val n = Timing.argument 1000000
    val rows = Sparse.example n
    val x = Seq.map (Exp.cast Type.real) (Seq.iota n)
    val () = Seq.force [Seq.any rows, Seq.any x]
    val y = Timing.timed "product" (fn () => let val y = Sparse.times rows x in Seq.force [Seq.any y]; y end)
  in
    print ("sum of the product: " ^ Real.toString (Numbers.sum y) ^ "\n")
  end
