(* mandelbrot FILE.png [WIDTH HEIGHT]: the set, coloured by how soon z = z^2 + c leaves the circle of radius 2. *)

open Warpfold

let most_steps = 255

(* The number of steps until z leaves the circle, or most_steps. The number of iterations differs per element. *)
let escape c_re c_im =
  let inside (re, im, steps) = Expr.((re * re) + (im * im) < f32 4. && steps < i32 most_steps) in
  let step (re, im, steps) = Expr.((re * re) - (im * im) + c_re, (f32 2. * re * im) + c_im, steps + i32 1) in
  let start = Expr.(f32 0., f32 0., i32 0) in
  let _, _, steps = Expr.loop Dtype.(triple f32 f32 i32) ~init:start ~while_:inside step in
  steps

(* height x width x 3 *)
let mandelbrot width height =
  let scale = 3. /. float width and middle = 0.5 *. float height in
  let steps : (Expr.int, Axes.rank2) Axes.t -> Expr.i32 = fun [ y; x ] ->
    let x = Expr.cast Dtype.f32 x and y = Expr.cast Dtype.f32 y in
    Expr.(escape ((x * f32 scale) - f32 2.25) ((y - f32 middle) * f32 scale))
  in
  let level = Ndarray.map Expr.(fun steps -> where (steps = i32 most_steps) (i32 0) steps) (Ndarray.init [ height; width ] steps) in
  Ndarray.force level;
  let colours = Ndarray.expand 0 (Ndarray.expand 0 (Seq.of_list Dtype.i32 [ 9l; 4l; 1l ])) in
  Ndarray.map2 Expr.(fun level colour -> cast Dtype.u8 (min (level * colour) (i32 255))) (Ndarray.expand 2 level) colours

let () =
  Timing.main "mandelbrot FILE.png [WIDTH HEIGHT]" (fun () ->
      let width = Timing.argument 2 1200 and height = Timing.argument 3 800 in
      let pixels = Timing.timed (width * height) "pixels" (fun () -> let pixels = mandelbrot width height in Ndarray.force pixels; pixels) in
      let black = Ndarray.map Expr.(fun x -> x = u8 0) (Ndarray.slice [ All; All; At 2 ] pixels) in
      Files.write Sys.argv.(1) pixels;
      Printf.printf "%d of %d pixels are black\n" (Scalar.get (Ndarray.count All black)) (width * height))
