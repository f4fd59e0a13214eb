(* mandelbrot [WIDTH HEIGHT] > image.ppm: the set, coloured by how soon z = z^2 + c leaves the circle of radius 2. *)

open Warpfold

let most_steps = 255

(* The number of steps until z leaves the circle, or most_steps. The number of iterations differs per element. *)
let escape c_re c_im =
  let inside (re, im, steps) = Expr.((re * re) + (im * im) < f32 4. && steps < i32 most_steps) in
  let step (re, im, steps) = Expr.((re * re) - (im * im) + c_re, (f32 2. * re * im) + c_im, steps + i32 1) in
  let start = Expr.(f32 0., f32 0., i32 0) in
  let _, _, steps = Expr.loop Dtype.(triple f32 f32 i32) ~init:start ~while_:inside step in
  steps

let colour steps =
  let level = Expr.(where (steps = i32 most_steps) (i32 0) steps) in
  Expr.(
    ( cast Dtype.u8 (min (i32 255) (level * i32 9)),
      cast Dtype.u8 (min (i32 255) (level * i32 4)),
      cast Dtype.u8 level ))

let mandelbrot width height =
  let scale = 3. /. float width in
  let steps i =
    let x = Expr.(cast Dtype.f32 (i mod int width)) and y = Expr.(cast Dtype.f32 (i / int width)) in
    let middle = 0.5 *. float height in
    Expr.(escape ((x * f32 scale) - f32 2.25) ((y - f32 middle) * f32 scale))
  in
  Seq.map_to Dtype.(triple u8 u8 u8) colour (Seq.init (width * height) steps)

let write_ppm out width height pixels =
  let red, green, blue = Seq.unzip3 pixels in
  force [ Seq pixels ];
  let red = Seq.to_bigarray red and green = Seq.to_bigarray green and blue = Seq.to_bigarray blue in
  Printf.fprintf out "P6\n%d %d\n255\n" width height;
  for i = 0 to (width * height) - 1 do
    output_byte out red.{i};
    output_byte out green.{i};
    output_byte out blue.{i}
  done

let () =
  let side k otherwise = if Array.length Sys.argv > k then int_of_string_opt Sys.argv.(k) else Some otherwise in
  match (side 1 1200, side 2 800) with
  | Some width, Some height when width > 0 && height > 0 ->
      set_binary_mode_out stdout true;
      write_ppm stdout width height (mandelbrot width height)
  | _ ->
      prerr_endline "usage: mandelbrot [WIDTH HEIGHT] > image.ppm";
      exit 2
