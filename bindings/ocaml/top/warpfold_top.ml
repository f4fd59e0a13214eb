(* Installs the pp functions of sequences, scalars, contexts, types and expressions as printers of the toplevel that loads it. *)

(* The reference links the module. *)
let _ = Expressions.int

let expressions = [ "bool"; "u8"; "i32"; "u32"; "int"; "i64"; "u64"; "f32"; "f64" ]
let others = [ "Ndarray"; "Axes"; "Seq"; "Nested"; "Cell"; "Scalar"; "Context"; "Dtype" ]

let install printer =
  let phrase = Printf.sprintf "#install_printer %s;;" printer in
  let parsed = !Toploop.parse_toplevel_phrase (Lexing.from_string phrase) in
  ignore (Toploop.execute_phrase false Format.err_formatter parsed)

let () =
  List.iter (fun name -> install ("Warpfold_top__Expressions." ^ name)) expressions;
  List.iter (fun name -> install ("Warpfold." ^ name ^ ".pp")) others
