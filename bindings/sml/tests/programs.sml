(* The example programs, which are loaded before this file, print what ../../programs.py expects. *)
structure ProgramTests =
struct
  open Check

  (* "..." in a pattern stands for any text. *)
  fun matches (pattern, text) =
    let val (before_, after) = Substring.position "..." (Substring.full pattern)
    in
      if Substring.isEmpty after then pattern = text
      else
        let val (first, rest) = (Substring.string before_, Substring.string (Substring.triml 3 after))
            fun within k = k <= String.size text andalso (matches (rest, String.extract (text, k, NONE)) orelse within (k + 1))
        in String.isPrefix first text andalso within (String.size first) end
    end

  fun printed program arguments =
    let
      val parts = ref []
      val () = Program.output := (fn text => parts := text :: !parts)
      val () = Program.errors := ignore
      val status = Program.call program arguments
    in
      String.concatWith " | " (String.tokens (fn c => c = #"\n") (String.concat (List.rev (!parts))))
      ^ (if status = 0 then "" else " (status " ^ Int.toString status ^ ")")
    end

  fun check (words, expected) =
    let
      val (name, arguments) = case String.fields (fn c => c = #"\t") words of name :: arguments => (name, arguments) | [] => raise Match
      fun call () =
        case List.find (fn program => #name program = name) (!Program.all) of
          SOME program => printed program arguments
        | NONE => "no program"
    in
      test ("program " ^ String.map (fn #"\t" => #" " | c => c) (String.substring (words, 0, Int.min (String.size words, 100)))) (fn () =>
        let val found = call ()
        in if matches (expected, found) then () else string (expected, found) end)
    end

  fun run () =
    let
      val folder = OS.FileSys.tmpName ()
      val () = (OS.FileSys.remove folder; OS.FileSys.mkDir folder)
      fun calls (words :: expected :: rest) = (check (words, expected); calls rest)
        | calls _ = ()
    in
      calls (linesOf ("programs.py sml " ^ folder));
      ignore (OS.Process.system ("rm -r " ^ folder))
    end
end
