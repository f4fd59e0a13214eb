(* Writes the stubs. Blocking calls let other OCaml threads run meanwhile. *)

let write file f =
  let channel = open_out file in
  let out = Format.formatter_of_out_channel channel in
  f out;
  Format.pp_print_flush out ();
  close_out channel

let both ~concurrency name bindings =
  let prefix = "warpfold_" ^ name in
  write (prefix ^ ".c") (fun out ->
      Format.fprintf out "#include \"warpfold.h\"@\n";
      Cstubs.write_c out ~concurrency ~prefix bindings);
  write (prefix ^ ".ml") (fun out -> Cstubs.write_ml out ~concurrency ~prefix bindings)

let () =
  let module D = Warpfold_description in
  both ~concurrency:Cstubs.sequential "quick" (module D.Quick);
  both ~concurrency:Cstubs.unlocked "blocking" (module D.Blocking)
