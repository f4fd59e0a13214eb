(* Writes the stubs: `generate quick.c FILE`, `generate quick.ml FILE`, and likewise for blocking. Blocking calls let other OCaml
   threads run meanwhile. *)

let write file f =
  let channel = open_out file in
  let out = Format.formatter_of_out_channel channel in
  f out;
  Format.pp_print_flush out ();
  close_out channel

let () =
  let file = Sys.argv.(2) in
  let module D = Warpfold_description in
  let header out = Format.fprintf out "#include \"warpfold.h\"@\n" in
  match Sys.argv.(1) with
  | "quick.c" -> write file (fun out -> header out; Cstubs.write_c out ~prefix:"warpfold_quick" (module D.Quick))
  | "quick.ml" -> write file (fun out -> Cstubs.write_ml out ~prefix:"warpfold_quick" (module D.Quick))
  | "blocking.c" ->
      write file (fun out ->
          header out;
          Cstubs.write_c out ~concurrency:Cstubs.unlocked ~prefix:"warpfold_blocking" (module D.Blocking))
  | "blocking.ml" ->
      write file (fun out ->
          Cstubs.write_ml out ~concurrency:Cstubs.unlocked ~prefix:"warpfold_blocking" (module D.Blocking))
  | other -> failwith ("generate: unknown output " ^ other)
