(* Prints the C header of the library: that of the checkout in which this lies, else the installed one that pkg-config
   knows. *)

let read file =
  let channel = open_in_bin file in
  Fun.protect ~finally:(fun () -> close_in channel) (fun () ->
      really_input_string channel (in_channel_length channel))

let rec in_checkout folder =
  let header = Filename.concat folder "capi/warpfold.h" in
  if Sys.file_exists header then Some header
  else
    let parent = Filename.dirname folder in
    if parent = folder then None else in_checkout parent

let installed () =
  let channel = Unix.open_process_in "pkg-config --variable=includedir warpfold" in
  let folder = try input_line channel with End_of_file -> "" in
  match Unix.close_process_in channel with
  | Unix.WEXITED 0 when folder <> "" -> Filename.concat folder "warpfold.h"
  | _ -> failwith "warpfold.h was not found: install warpfold, so that pkg-config knows it"

let () = print_string (read (match in_checkout (Sys.getcwd ()) with Some header -> header | None -> installed ()))
