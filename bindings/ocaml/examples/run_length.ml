(* run_length TEXT: the run-length code of a text, such as 3a1b for aaab, and the text decoded from it. *)

open Warpfold

let decode code =
  let symbols, lengths = Seq.unzip code in
  let runs = Nested.of_lengths lengths (Seq.iota (Scalar.get (Seq.sum lengths))) in
  Seq.map (fun run -> Expr.(symbols.%(run))) (Nested.ids runs)

let string_of s = String.concat "" (List.map (fun c -> String.make 1 (Char.chr c)) (Seq.to_list s))

let () =
  Timing.main "run_length TEXT" (fun () ->
      let text = Sys.argv.(1) in
      let encode () = let code = Seq.run_lengths (Seq.of_string text) in Seq.force code; code in
      let code = Timing.timed (String.length text) "bytes" encode in
      let shown (c, n) = Printf.sprintf "%d%c" n (Char.chr c) in
      print_endline (String.concat "" (List.map shown (Seq.to_list code)));
      print_endline (string_of (decode code)))
