(* digits PICTURE.png: draws noisy digits, writes them as a picture, reads it, and recognizes them by a network of two layers: layer 1 finds the
   segments of a display that are lit, layer 2 compares them with those of each numeral. *)

open Warpfold

(* The outputs of a layer, for rows x of inputs and rows w of weights. *)
let layer x w = Ndarray.(sum (Axis 2) (expand 1 x * expand 0 w))

(* Row k is the pixels of segment k of a display of 7 x 5 pixels. *)
let segments () =
  let display = Seq.of_string ".000.1...21...2.333.4...54...5.666." in
  Ndarray.init [ 7; 35 ] Expr.(fun [ k; pixel ] -> cast Dtype.f32 (cast Dtype.int display.%(pixel) = k + int (Char.code '0')))

(* Row k is the segments of numeral k. *)
let numerals () =
  let lit = [ "1110111"; "0010010"; "1011101"; "1011011"; "0111010"; "1101011"; "1101111"; "1010010"; "1111111"; "1111011" ] in
  Ndarray.of_array Dtype.f32 [ 10; 7 ]
    (Array.init 70 (fun k -> if (List.nth lit (k / 7)).[k mod 7] = '1' then 1. else 0.))

(* The numerals 0, 1, ..., 9, 0, 1, ... side by side, with noise: 7 x 5 n bytes. *)
let drawn n =
  let shapes = Ndarray.reshape [ 10; 7; 5 ] (layer (numerals ()) (Ndarray.transpose (segments ()))) in
  let ink = Ndarray.init [ 7; 5 * n ] Expr.(fun [ y; x ] -> Ndarray.at shapes [ x / int 5 mod int 10; y; x mod int 5 ]) in
  let noise = Ndarray.reshape [ 7; 5 * n ] (Random.uniform Dtype.f32 (Random.key 7) (35 * n)) in
  Ndarray.map2 Expr.(fun ink noise -> cast Dtype.u8 ((f32 150. * ink) + (f32 100. * noise))) ink noise

(* The numeral that each 7 x 5 pixels of a picture show. *)
let recognized picture =
  let n = Ndarray.length picture / 35 in
  let gray = Ndarray.map Expr.(fun x -> cast Dtype.f32 x / f32 255.) picture in
  let pixels = Ndarray.reshape [ n; 35 ] (Ndarray.permute [ 1; 0; 2 ] (Ndarray.reshape [ 7; n; 5 ] gray)) in
  let masks = segments () in
  let lit = Ndarray.(map Expr.sign (layer pixels (masks / sum (Keep [ 1 ]) masks) -$ 0.5)) in
  Ndarray.argmax 1 (layer lit Ndarray.((numerals () *$ 2.) -$ 1.))

let () =
  Timing.main "digits PICTURE.png" (fun () ->
      let n = 2000 and path = Sys.argv.(1) in
      Files.write path (drawn n);
      let picture = Files.read [ 7; 5 * n ] Dtype.u8 path in
      Ndarray.force picture;
      let found =
        Timing.timed n "digits" (fun () ->
            let found = recognized picture in
            Seq.force found;
            found)
      in
      let right = Ndarray.(sum All (map2 Expr.(fun digit k -> cast Dtype.int (digit = k mod int 10)) found (Seq.iota n))) in
      Printf.printf "%d of %d are right\n" (Scalar.get right) n)
