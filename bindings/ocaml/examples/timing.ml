(* Shared by the example programs: numeric arguments, and the line of timing on stderr. *)

let argument k default = if Array.length Sys.argv > k then int_of_string Sys.argv.(k) else default

(* The result of f, and a line such as "0.012 s, 8.3e+07 numbers/s" for this amount of work. *)
let timed amount unit f =
  let start = Unix.gettimeofday () in
  let result = f () in
  let seconds = Unix.gettimeofday () -. start in
  Printf.eprintf "%.3g s, %.3g %s/s\n%!" seconds (float amount /. seconds) unit;
  result

(* Runs a program; wrong arguments print its usage. *)
let main usage program =
  try program () with
  | Failure _ | Invalid_argument _ | Sys_error _ as e ->
      Printf.eprintf "%s\nusage: %s\n" (Printexc.to_string e) usage;
      exit 2
