(* mandelbrot [WIDTH HEIGHT] > image.ppm: the Mandelbrot set. The colour is the number of steps until z = z^2 + c leaves the circle of radius 2. *)
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

  fun image (width, height) =
    let
      val scale = single (3.0 / Real.fromInt width)
      val middle = single (Real.fromInt height / 2.0)
      fun point i =
        let
          open Exp
          val (x, y) = (cast Type.single (rem (i, int width)), cast Type.single (quot (i, int width)))
        in escape (x * scale - single 2.25, (y - middle) * scale) end
      fun colour steps =
        let
          open Exp
          val level = cond (== (steps, int mostSteps), int 0, steps)
          fun byte x = cast Type.word8 (min (int 255, x))
        in triple (byte (level * int 9), byte (level * int 4), byte level) end
    in
      Seq.map colour (Seq.tabulate point (width * height))
    end

  fun ppm (width, height) =
    let
      val (red, green, blue) = Seq.unzip3 (image (width, height))
      val () = Seq.force (List.map Seq.any [red, green, blue])
      val channels = Vector.fromList (List.map Seq.reader [red, green, blue])
      fun byte k = Byte.byteToChar (Vector.sub (channels, k mod 3) (k div 3))
    in
      "P6\n" ^ Int.toString width ^ " " ^ Int.toString height ^ "\n255\n" ^ CharVector.tabulate (3 * width * height, byte)
    end
end

fun main () =
  let
    fun write size = print (Timing.timed "picture" (fn () => Mandelbrot.ppm size))
    val usage = "usage: mandelbrot [WIDTH HEIGHT] > image.ppm\n"
  in
    case List.map Int.fromString (CommandLine.arguments ()) of
      [] => write (1200, 800)
    | [SOME width, SOME height] => if width < 1 orelse height < 1 then print usage else write (width, height)
    | _ => print usage
  end
