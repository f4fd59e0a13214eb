(* Runs every snippet of the README in the toplevel. *)

open Support

let page () = Header.read "../README.md"

(* The parts of a page between two patterns. *)
let between opening closing page =
  let rec from position =
    match Str.search_forward opening page position with
    | exception Not_found -> []
    | _ ->
        let start = Str.match_end () in
        let stop = Str.search_forward closing page start in
        String.sub page start (stop - start) :: from stop
  in
  from 0

let programs page = between (Str.regexp "```ocaml\n") (Str.regexp_string "```") page

let archives = "../raw/description/warpfold_description.cma ../raw/warpfold_raw.cma ../src/warpfold.cma ../top/warpfold_top.cma"
let folders = Test_types.interfaces ^ " -I ../top/.warpfold_top.objs/byte"

(* The libraries differ between versions of OCaml and ctypes. *)
let query = Printf.sprintf "$(ocamlfind query -recursive -predicates byte %s)"
let their_folders = "-I +compiler-libs " ^ query "-i-format integers ctypes"
let their_archives = query "-a-format integers ctypes ctypes.stubs str"

(* The output of the toplevel for a text as its input. *)
let toplevel text =
  let source = Filename.temp_file "warpfold" ".ml" and log = Filename.temp_file "warpfold" ".log" in
  Test_types.write source text;
  let command =
    Printf.sprintf "CAML_LD_LIBRARY_PATH=../src:../raw:$CAML_LD_LIBRARY_PATH ocaml -noinit %s %s %s %s < %s > %s 2>&1"
      their_folders folders their_archives archives (Filename.quote source) (Filename.quote log)
  in
  let status = Sys.command command and printed = Header.read log in
  List.iter Sys.remove [ source; log ];
  Check.(check int) printed 0 status;
  Check.(check bool) printed false (contains "Error:" printed || contains "Exception:" printed);
  printed

let run () =
  match programs (page ()) with
  | first :: rest ->
      Check.(check bool) "the first one" true (contains "they match" (toplevel (first ^ ";;\n")));
      Check.(check int) "others" 8 (List.length rest);
      let before = "open Warpfold\nlet xs = Seq.of_list Dtype.f32 [ 3.; 5.; 8. ] and ys = Seq.of_list Dtype.f32 [ 4.; 12.; 15. ]\n" in
      let after =
        "let m = Seq.to_string by_weights ^ Seq.to_string curvature ^ Seq.to_string by_x and o = (Scalar.get value, Scalar.get by_bias)\n\
         let d = Nested.length dictionary and e = (Seq.get particles 0).mass\n\
         let g = Nested.to_string groups ^ Seq.to_string sizes ^ Seq.to_string totals\n\
         let n = Seq.to_string (norms (Seq.of_list Dtype.f64 [ 3.; 4.; -6.; 8. ]) 2 2)\n\
         let l = Seq.to_string (largest 2 xs)\n\
         let g = Nested.to_string groups and t = Seq.to_string totals\n\
         let p = let s = Seq.of_list Dtype.int in Seq.to_string (times (s [ 0; 2; 2; 3 ]) (s [ 0; 2; 1 ]) (s [ 5; 6; 7 ]) (s [ 1; 10; 100 ]))\n\
         let a = Seq.to_string middle and c = Ndarray.to_string corners and u = Seq.to_string sums and v = Ndarray.to_string capped\n\
         let z = Bigarray.Array2.(dim1 matrix, dim2 matrix, matrix.{1, 1})\n\
         let j = Seq.to_string next and q = Scalar.get sum\n\
         let () = Sys.remove \"m.npy\""
      in
      let printed = toplevel (before ^ String.concat "\n" rest ^ "\n" ^ after ^ ";;\n") in
      let prints text = if not (contains text printed) then Check.failf "no %S in %s" text printed in
      List.iter prints
        [
          "val longest : float = 17."; "<2 segments of i64>"; "val g : string = \"<<0,1,2,4,5>,<3>>\""; "val t : string = \"<12,3>\"";
          "val n : string = \"<5.,10.>\""; "val l : string = \"<8.,5.>\""; "val p : string = \"<605,0,70>\""; "val a : string = \"<6,9,12,15>\"";
          "val c : string = \"[[ 6 1]\\n [24 4]]\""; "val u : string = \"<10,20,30,40,50,60>\"";
          "val v : string = \"[[0 10 20 20]\\n [1 11 20 20]\\n [2 12 20 20]]\""; "val z : int * int * float = (4, 6, -1.34164";
          "\"<-2.5,-15.833"; "><4.5,20.833"; "><0.3333"; "val o : float * float = (72.5, -95.3333"; "val d : int = 4"; "val e : float = 1."; "val loudness : float = 5.71"; "val j : string = \"<1.5,2.5,4.>\""; "val q : float = 8.";
        ]
  | [] -> Check.fail "no programs"

(* Lines "    # ..." of the session are input, its other lines are output. *)
let session () =
  let lines = String.split_on_char '\n' (page ()) in
  let prompt = "    # " in
  let typed = List.filter (String.starts_with ~prefix:prompt) lines in
  let phrases = List.map (fun line -> String.sub line 6 (String.length line - 6)) typed in
  let is_directive phrase = phrase.[0] = '#' in
  let printed = Header.squeeze (toplevel (String.concat "\n" (List.filter (fun p -> not (is_directive p)) phrases) ^ "\n")) in
  let answers = between (Str.regexp "^    \\(val\\|- :\\) ") (Str.regexp "^    #\\|^$") (page ()) in
  Check.(check int) "answers" 6 (List.length answers);
  List.iter
    (fun answer -> Check.(check bool) (answer ^ " in " ^ printed) true (contains (Header.squeeze answer) printed))
    answers

(* A program outside the checkout, with the library of this build. *)
let installed build () =
  let log = Filename.temp_file "warpfold" ".log" in
  let checkout = Filename.concat (Sys.getcwd ()) "../../../../.." in
  let status = Sys.command (Filename.quote_command "bash" ~stdout:log ~stderr:log [ "installed.sh"; checkout; build ]) in
  let text = Header.read log in
  Sys.remove log;
  Check.(check int) text 0 status

let builds =
  let is_build folder = Sys.file_exists (Filename.concat folder "build.ninja") in
  List.filter is_build (String.split_on_char ':' (Option.value (Sys.getenv_opt "LIBRARY_PATH") ~default:""))

let tests =
  [ case "the programs run" run; case "the session in the toplevel" session ]
  @ List.map (fun build -> case "an installed package" (installed build)) builds
