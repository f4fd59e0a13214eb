(* ising [SIZE [SWEEPS]]: the magnetization of the Ising model on a square of even size with wrapped edges, at the inverse temperature 0.6. Half
   of the spins, those of one colour of a chess board, do not depend on each other, and are drawn at once from their neighbours (heat
   bath). *)

open Warpfold

let beta = 0.6

(* New spins where row + column has this parity. A spin is 1 or -1. *)
let drawn spins size parity key =
  let area = size * size and slope = -2. *. beta in
  let spin i =
    let open Expr in
    let n = int size in
    let row = i / n * n and column = i mod n in
    let up = (row + int area - n) mod int area and down = (row + n) mod int area in
    let left = (column + n - int 1) mod n and right = (column + int 1) mod n in
    let field = spins.%(up + column) + spins.%(down + column) + spins.%(row + left) + spins.%(row + right) in
    let odds = exp (f32 slope * cast Dtype.f32 field) in
    let chosen = where (uniform Dtype.f32 (value key) i * (f32 1. + odds) < f32 1.) (i32 1) (i32 (-1)) in
    where ((i / n + column) mod int 2 = int parity) chosen spins.%(i)
  in
  let spins = Seq.init area spin in
  Seq.force spins;
  spins

let () =
  Timing.main "ising [SIZE [SWEEPS]], with an even SIZE" (fun () ->
      let size = Timing.argument 1 1000 and sweeps = Timing.argument 2 100 in
      if size < 2 || size mod 2 = 1 then invalid_arg "SIZE is odd";
      let key = Random.key 2026 in
      let rec sweep t spins = if t = 2 * sweeps then spins else sweep (t + 1) (drawn spins size (t mod 2) (Random.split key t)) in
      let up = Seq.init (size * size) (fun _ -> Expr.i32 1) in
      let spins = Timing.timed (size * size * sweeps) "spins" (fun () -> sweep 0 up) in
      let sum = Scalar.get (Seq.sum (Seq.map (Expr.cast Dtype.f64) spins)) in
      (* L. Onsager, C. N. Yang: (1 - sinh(2 beta)^-4)^(1/8), for an infinite square. *)
      Printf.printf "magnetization %.4f, of an infinite square %.4f\n"
        (sum /. float (size * size))
        ((1. -. (sinh (2. *. beta) ** -4.)) ** 0.125))
