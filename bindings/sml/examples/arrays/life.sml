(* life [SIZE [STEPS]]: Conway's Game of Life on a torus, from the R-pentomino in its middle. Prints the number of living cells, and the board if it
   fits a screen. *)
structure Life =
struct
  infix 4 ==  infix 3 &&  infix 2 ||
  open Tensor.Infix

  (* The sum of each cell and its two neighbours along an axis *)
  fun three axis a = Tensor.rotate axis 1 a + a + Tensor.rotate axis ~1 a
  (* A cell lives if it and its neighbours are 3, or 4 with the cell itself. *)
  fun step board =
    let
      val around = three 0 (three 1 board)
      val next = Tensor.map (Exp.cast Type.int) (around == I 3 || around == I 4 && board == I 1)
    in
      Seq.force [Tensor.any next];
      next
    end

  fun pentomino n =
    let
      val middle = Int.div (n, 2)
      fun isAt (i, j) (a, b) = Exp.&& (Exp.== (i, Exp.I (Int.+ (middle, a))), Exp.== (j, Exp.I (Int.+ (middle, b))))
      fun cell ij = List.foldl (fn (place, alive) => Exp.|| (isAt ij place, alive)) (Exp.B false) [(0, 1), (0, 2), (1, 0), (1, 1), (2, 1)]
    in
      Matrix.tabulate (Exp.cast Type.int o cell) (n, n)
    end
end

val () = Program.define ("life", "[SIZE [STEPS]]", fn arguments =>
  let
    val (n, steps) = (Program.number (arguments, 0, 1000), Program.number (arguments, 1, 100))
    fun after (0, board) = board
      | after (k, board) = after (k - 1, Life.step board)
    val board = Program.timed (n * n * steps, "cells") (fn () => after (steps, Life.pentomino n))
    fun line row = Program.print (String.implode (List.map (fn 1 => #"#" | _ => #".") row) ^ "\n")
  in
    if n <= 64 then List.app line (Matrix.toList board) else ();
    Program.print (Int.toString (Tensor.value (Along.sum [0, 1] board)) ^ " cells live\n")
  end)
