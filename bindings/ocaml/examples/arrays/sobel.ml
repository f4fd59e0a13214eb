(* sobel [IN.png [OUT.png]]: blurs a gray picture by a Gaussian of 5 x 5 and marks its edges by Sobel's filter, in a pass for each.
   Without IN, the picture is a white disk. Prints the greatest and the mean strength of an edge. *)

open Warpfold
open Ndarray.Parts

(* r[i, j] = the sum of weights.(k).(l) picture[i + k, j + l]. The picture shrinks by the size of the weights. *)
let filtered weights picture =
  let rows = Array.length weights and columns = Array.length weights.(0) in
  let last k n = if k = n - 1 then From k else Range (k, k - n + 1) in
  let term k l = Ndarray.(slice [ last k rows; last l columns ] picture *$ weights.(k).(l)) in
  let terms = List.concat (List.init rows (fun k -> List.init columns (fun l -> term k l))) in
  List.fold_left Ndarray.( + ) (List.hd terms) (List.tl terms)

let binomial = [| 1.; 4.; 6.; 4.; 1. |]
let blur = Array.map (fun x -> Array.map (fun y -> x *. y /. 256.) binomial) binomial
let sobel = [| [| -1.; 0.; 1. |]; [| -2.; 0.; 2. |]; [| -1.; 0.; 1. |] |]
let turned m = Array.init 3 (fun i -> Array.init 3 (fun j -> m.(j).(i)))

let disk size =
  let square i = Expr.((i - int Stdlib.(size / 2)) * (i - int Stdlib.(size / 2))) in
  Ndarray.init [ size; size ] (fun [ i; j ] -> Expr.(where (square i + square j < int Stdlib.(size * size / 16)) (u8 255) (u8 0)))

let () =
  Timing.main "sobel [IN.png [OUT.png]]" (fun () ->
      let given k = if Array.length Sys.argv > k then Some Sys.argv.(k) else None in
      let picture = match given 1 with Some path -> Files.read [ -1; -1 ] Dtype.u8 path | None -> disk 1000 in
      let edges =
        Timing.timed (Ndarray.length picture) "pixels" (fun () ->
            let blurred = filtered blur (Ndarray.map (fun x -> Expr.cast Dtype.f64 x) picture) in
            Ndarray.force blurred;
            let edges = Ndarray.map2 Expr.hypot (filtered sobel blurred) (filtered (turned sobel) blurred) in
            Ndarray.force edges;
            edges)
      in
      Option.iter (fun path -> Files.write path (Ndarray.map (fun x -> Expr.(cast Dtype.u8 (min x (f64 255.)))) edges)) (given 2);
      Printf.printf "the strongest edge has %.1f, the mean is %.4f\n" (Scalar.get (Ndarray.max All edges)) (Scalar.get (Ndarray.mean All edges)))
