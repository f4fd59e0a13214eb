(* mandelbrot FILE.png [WIDTH HEIGHT]: the Mandelbrot set. The colour is the number of steps until z = z^2 + c leaves the circle of radius 2. *)
structure Mandelbrot =
struct
  val mostSteps = 255

  val single = Exp.const Type.single o Single.fromReal

  (* The number of steps until z leaves the circle, or mostSteps. Each element has its own number of iterations. *)
  fun escape (re0, im0) =
    let
      open Exp
      val (zero, two, four) = (single 0.0, single 2.0, single 4.0)
      fun continue z =
        let val (re, im, steps) = untriple z
        in && (re * re + im * im < four, steps < int mostSteps) end
      fun next z =
        let val (re, im, steps) = untriple z
        in triple (re * re - im * im + re0, two * re * im + im0, steps + int 1) end
    in
      #3 (untriple (loop {start = triple (zero, zero, int 0), continue = continue, next = next}))
    end

  (* height x width x 3 *)
  fun picture (width, height) =
    let
      val scale = single (3.0 / Real.fromInt width)
      val middle = single (Real.fromInt height / 2.0)
      fun level (y, x) =
        let
          open Exp
          val steps = escape (cast Type.single x * scale - single 2.25, (cast Type.single y - middle) * scale)
        in cond (== (steps, int mostSteps), int 0, steps) end
      val levels = Matrix.tabulate level (height, width)
      val () = Seq.force [Tensor.any levels]
      fun byte x = Exp.cast Type.word8 (Exp.min (Exp.int 255, x))
      open Tensor.Infix Tensor.Part
    in
      Tensor.map byte (Tensor.slice [All, All, New] levels * IntTensor.fromList [3] [9, 4, 1])
    end
end

val () = Program.define ("mandelbrot", "FILE.png [WIDTH HEIGHT]", fn arguments =>
  let
    val size as (width, height) = (Program.number (arguments, 1, 1200), Program.number (arguments, 2, 800))
    val picture = Program.timed (width * height, "pixels") (fn () =>
      let val picture = Mandelbrot.picture size in Seq.force [Tensor.any picture]; picture end)
    val black = Tensor.map (fn x => Exp.== (x, Exp.const Type.word8 0w0)) (Tensor.slice [Tensor.Part.All, Tensor.Part.All, Tensor.Part.At 2] picture)
  in
    Files.write (List.hd arguments) picture;
    Program.print (Int.toString (Tensor.value (Along.count [0, 1] black)) ^ " of " ^ Int.toString (width * height) ^ " pixels are black\n")
  end)
