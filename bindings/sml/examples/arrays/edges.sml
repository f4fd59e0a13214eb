(* edges IN OUT: the edges of a picture, by a Gaussian blur and Sobel's filter. Both files are PNG; colors are averaged. *)
structure Edges =
struct
  open Tensor.Infix Tensor.Part

  (* The sum of each window of the picture times the weights; it is smaller by the window's extents less 1. *)
  fun filter weights picture = Along.sum [2, 3] (Tensor.windows (Tensor.shape weights) picture * weights)

  val gaussian = RealMatrix.fromList [[0.0625, 0.125, 0.0625], [0.125, 0.25, 0.125], [0.0625, 0.125, 0.0625]]
  val sobel = RealMatrix.fromList [[~1.0, 0.0, 1.0], [~2.0, 0.0, 2.0], [~1.0, 0.0, 1.0]]

  (* From a matrix of bytes to another *)
  fun edges picture =
    let
      val blurred = filter gaussian (Tensor.map (Exp.cast Type.real) picture)
      val strength = Tensor.zipWith Exp.hypot (filter sobel blurred, filter (Tensor.transpose sobel) blurred)
    in
      Tensor.map (fn x => Exp.cast Type.word8 (Exp.min (x, Exp.real 255.0))) strength
    end

  (* A matrix of bytes; the channels are the last axis of a picture in colors. *)
  fun gray picture =
    if Tensor.rank picture = 2 then picture
    else Tensor.map (Exp.cast Type.word8) (Along.mean [2] (Tensor.map (Exp.cast Type.real) (Tensor.slice [All, All, To 3] picture)))
end

fun main () =
  case CommandLine.arguments () of
    [from, to] => Timing.timed "edges" (fn () => Files.write to (Edges.edges (Edges.gray (Files.read Type.word8 from))))
  | _ => print "usage: edges IN OUT\n"
