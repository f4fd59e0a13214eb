(* A progress bar on the terminal for work that takes longer than a second. *)

type t = { total : int; is_shown : bool; start : float; mutable next : float; mutable is_drawn : bool }

let width = 40

(* The bar is hidden if stderr is not a terminal. *)
let create total =
  { total; is_shown = total > 0 && Unix.isatty Unix.stderr; start = Unix.gettimeofday (); next = 1.; is_drawn = false }

let seconds bar = Unix.gettimeofday () -. bar.start

let update bar bytes =
  let now = seconds bar in
  if bar.is_shown && now >= bar.next then (
    bar.next <- now +. 0.1;
    let part = float bytes /. float bar.total in
    let filled = int_of_float (part *. float width) in
    Printf.eprintf "\r[%s%s] %3.0f %%  %.2f GB/s %!" (String.make filled '#')
      (String.make (width - filled) '.')
      (part *. 100.)
      (float bytes *. 1e-9 /. now);
    bar.is_drawn <- true)

(* Erases the bar before other output. *)
let clear bar =
  if bar.is_drawn then Printf.eprintf "\r\027[K%!";
  bar.is_drawn <- false
