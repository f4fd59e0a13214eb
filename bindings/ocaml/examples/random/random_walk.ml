(* random_walk [STEPS]: writes a random walk in the plane to standard output, as a picture in SVG. *)

open Warpfold

let walk key steps = Seq.scan_incl Expr.( + ) 0. (Random.gaussian Dtype.f64 key steps)

let () =
  Timing.main "random_walk [STEPS], at least 1" (fun () ->
      let steps = Timing.argument 1 10_000 and key = Random.key 2026 in
      let x = walk (Random.split key 0) steps and y = walk (Random.split key 1) steps in
      let of_x = Seq.minmax x and of_y = Seq.minmax y in
      Timing.timed steps "steps" (fun () -> force [ Seq x; Seq y; Scalar of_x; Scalar of_y ]);
      let left, right = Scalar.get of_x and top, bottom = Scalar.get of_y in
      let width = right -. left and height = bottom -. top in
      let margin = max 1. (max width height) /. 50. in
      Printf.printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"%.3f %.3f %.3f %.3f\">\n" (left -. margin) (top -. margin)
        (width +. (2. *. margin))
        (height +. (2. *. margin));
      Printf.printf "<polyline fill=\"none\" stroke=\"black\" stroke-width=\"%.3f\" points=\"" (margin /. 10.);
      Seq.iter (fun (px, py) -> Printf.printf "%.3f,%.3f\n" px py) (Seq.zip x y);
      print_string "\"/>\n</svg>\n")
