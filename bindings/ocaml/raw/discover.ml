(* `discover header` prints the library's C header, `discover flags` the linker's flags as an S-expression.

   In a checkout the header is the checkout's own. The flags name the library's folder for the linker and for programs at run time,
   unless the linker searches it by default. *)

let read file =
  let channel = open_in_bin file in
  Fun.protect ~finally:(fun () -> close_in channel) (fun () ->
      really_input_string channel (in_channel_length channel))

(* The first line that the command prints; "" if it fails. *)
let output command =
  let channel = Unix.open_process_in (command ^ " 2>/dev/null") in
  let line = try input_line channel with End_of_file -> "" in
  match Unix.close_process_in channel with Unix.WEXITED 0 -> String.trim line | _ -> ""

let variable name = Option.value (Sys.getenv_opt name) ~default:""

let fail missing tried =
  prerr_endline (missing ^ " was not found, tried:");
  List.iter (fun (place, result) -> prerr_endline ("  " ^ place ^ ": " ^ result)) tried;
  prerr_endline
    "expected an installed warpfold (meson install). If its prefix is not the system's, set PKG_CONFIG_PATH to \
     PREFIX/lib/pkgconfig; WARPFOLD_LIBRARY=FOLDER/libwarpfold.so names the library itself";
  exit 1

let shown_variable name = match variable name with "" -> name ^ " is not set" | text -> name ^ "=" ^ text

let rec in_checkout folder =
  let header = Filename.concat folder "capi/warpfold.h" and parent = Filename.dirname folder in
  if Sys.file_exists header then Some header else if parent = folder then None else in_checkout parent

let header () =
  let included = output "pkg-config --variable=includedir warpfold" in
  let installed = Filename.concat included "warpfold.h" in
  (* Dune sets the variable to the source folder; the current folder may be a copy of it elsewhere. *)
  let starts = List.filter (( <> ) "") [ Sys.getcwd (); variable "DUNE_SOURCEROOT" ] in
  match List.find_map in_checkout starts with
  | Some header -> print_string (read header)
  | None when included <> "" && Sys.file_exists installed -> print_string (read installed)
  | None ->
      fail "warpfold.h"
        [
          ("a checkout around " ^ String.concat " or " starts, "none has capi/warpfold.h");
          ( "pkg-config, where " ^ shown_variable "PKG_CONFIG_PATH",
            if included = "" then "it does not know warpfold" else installed ^ " does not exist" );
        ]

(* The flags that name this folder to the linker and to programs at run time. *)
let in_folder folder = [ "-L" ^ folder; "-Wl,-rpath," ^ folder ]

let links flags =
  let target = Filename.temp_file "warpfold" ".so" in
  let command = Filename.quote_command "cc" ([ "-shared"; "-x"; "c"; "/dev/null"; "-o"; target ] @ flags @ [ "-lwarpfold" ]) in
  let linked = Sys.command (command ^ " 2>/dev/null") = 0 in
  if Sys.file_exists target then Sys.remove target (* a linker may remove it if it fails *);
  linked

let candidates () =
  let named = variable "WARPFOLD_LIBRARY" and known = output "pkg-config --variable=libdir warpfold" in
  let is_there folder = folder <> "" && Sys.file_exists (Filename.concat folder "libwarpfold.so") in
  [
    (shown_variable "WARPFOLD_LIBRARY", if String.contains named '/' then Some (in_folder (Filename.dirname named)) else None);
    ( shown_variable "LIBRARY_PATH",
      if List.exists is_there (String.split_on_char ':' (variable "LIBRARY_PATH")) then Some [] else None );
    ( "pkg-config, where " ^ shown_variable "PKG_CONFIG_PATH",
      if known = "" then None
      else if output "pkg-config --libs-only-L warpfold" = "" then Some []
      else Some (in_folder known) );
    ("the C compiler's own folders", Some []);
  ]

let flags () =
  let candidates = candidates () in
  let good = function _, Some flags when links flags -> Some flags | _ -> None in
  match List.find_map good candidates with
  | Some flags -> Printf.printf "(%s)\n" (String.concat " " (List.map (Printf.sprintf "%S") (flags @ [ "-lwarpfold" ])))
  | None ->
      let result = function
        | None -> "names no folder with the library"
        | Some flags -> "no program can be linked with " ^ String.concat " " (flags @ [ "-lwarpfold" ])
      in
      fail "libwarpfold.so" (List.map (fun (place, flags) -> (place, result flags)) candidates)

let () = match Sys.argv with [| _; "header" |] -> header () | [| _; "flags" |] -> flags () | _ -> exit 2
