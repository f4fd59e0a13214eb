(* life [N]: 100 generations of Conway's Game of Life on a torus of N x N cells. *)
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

  fun run (board, 0) = board
    | run (board, generations) = run (step board, Int.- (generations, 1))

  val glider = IntMatrix.fromList [[0, 1, 0], [0, 0, 1], [1, 1, 1]]
  (* A board of this size with a pattern in its first corner *)
  fun board (rows, columns) pattern =
    let val (r, c) = Matrix.dimensions pattern
        fun none (i, j) = IntTensor.fill 0 [i, j]
    in Tensor.join 0 [Tensor.join 1 [pattern, none (r, Int.- (columns, c))], none (Int.- (rows, r), columns)] end
end

fun main () =
  let
    val n = Timing.argument 500
    val board = Timing.timed "life" (fn () => Life.run (Life.board (n, n) Life.glider, 100))
  in
    print (Int.toString (Tensor.value (Along.sum [0, 1] board)) ^ " cells live; the first ones are at\n");
    print (Tensor.toString Int.toString (Tensor.slice [Tensor.Part.Range (24, 30), Tensor.Part.Range (24, 30)] board) ^ "\n")
  end
