(* sparse_product [ROWS]: a sparse matrix times a vector. A row is a sequence of pairs (column, value), which its lambda reads in place; one kernel
   computes the product. Row r has about ROWS / (r + 1) entries, so that the rows' lengths differ as much as those of real graphs. *)
structure SparseProduct =
struct
  open Exp.Infix

  fun times rows x =
    let fun product entry = let val (column, value) = Exp.unpair entry in value * Exp.at (x, column) end
    in Seq.map (fn row => Inner.sum (Inner.map product (Inner.row row))) rows end

  fun matrix n =
    let
      val lengths = Seq.map (fn r => I n div (r + I 1)) (Seq.iota n)
      fun entry i = Exp.pair (i * I 7919 mod I n, Exp.cast Type.real (i mod I 10 - I 4))
    in
      Segments.split (Seq.tabulate entry (Numbers.sum lengths), lengths)
    end
end

val () = Program.define ("sparse_product", "[ROWS]", fn arguments =>
  let
    val n = Program.number (arguments, 0, 100000)
    val rows = SparseProduct.matrix n
    val x = Seq.map (fn i => Exp.cast Type.real (Exp.mod (i, Exp.I 7))) (Seq.iota n)
    val () = Seq.force [Seq.any rows, Seq.any x]
    val entries = Seq.length (Seq.flatten rows)
    val y = Program.timed (entries, "entries") (fn () => Seq.now (SparseProduct.times rows x))
  in
    Program.print (Int.toString n ^ " rows, " ^ Int.toString entries ^ " entries, sum " ^ Program.fixed 0 (Numbers.sum y) ^ ", last "
                   ^ Program.fixed 0 (Seq.nth y (n - 1)) ^ "\n")
  end)
