(* Loading this in a toplevel makes it show sequences, scalars and contexts as their pp functions do. *)

let printers = [ "Warpfold.Seq.pp"; "Warpfold.Scalar.pp"; "Warpfold.Context.pp"; "Warpfold.Dtype.pp" ]

let install printer =
  let phrase = Printf.sprintf "#install_printer %s;;" printer in
  let parsed = !Toploop.parse_toplevel_phrase (Lexing.from_string phrase) in
  ignore (Toploop.execute_phrase false Format.err_formatter parsed)

let () = List.iter install printers
