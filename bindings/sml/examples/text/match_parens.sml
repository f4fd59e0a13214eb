(* match_parens FILE...: checks if the brackets of these files balance. *)
structure MatchParens =
struct
  val usage =
    "usage: match_parens [--context NAME] [--explain] FILE...\n\
    \\n\
    \Tells of each FILE whether its brackets ( [ { and } ] ) balance, and if not, the line and column of the first closing\n\
    \bracket too many, or how many are left open; then the greatest depth and where it is first reached.\n\
    \\n\
    \What is checked: every ( [ { deepens by one and every } ] ) lowers by one, whatever their kind and wherever they stand, in\n\
    \comments and strings too. A file balances if the depth is never below zero and ends at zero. That the kinds match pairwise\n\
    \is not checked. Lines end at a newline; columns count bytes from 1.\n\
    \\n\
    \  --context NAME  where it runs: cpu, cuda:0, auto (the default)\n\
    \  --explain       shows the plan first: the one pass over a file's bytes\n\
    \  --help          this text\n\
    \\n\
    \Exit status: 0 if all files balance, 1 if one does not, 2 for errors, such as a file that cannot be read.\n"

  (* Files are memory-mapped and read in pieces of this many bytes, so that large files need little memory, too. *)
  val pieceSize = 32 * 1048576

  type options = {context : string option, explain : bool, files : string list}

  fun complain text = Program.complain ("match_parens: " ^ text)
  fun wrongUse why = (complain (why ^ "\ntry match_parens --help"); 2)

  fun describePosition {line, column} = Int.toString line ^ ":" ^ Int.toString column
  fun describe ({leftOpen, surplus, depth, deepest} : Brackets.report) =
    (case (surplus, leftOpen) of
       (SOME position, _) => "NOT balanced: a closing bracket too many at " ^ describePosition position
     | (NONE, 0) => "balanced"
     | (NONE, 1) => "NOT balanced: 1 bracket left open"
     | (NONE, n) => "NOT balanced: " ^ Int.toString n ^ " brackets left open")
    ^ "; depth " ^ Int.toString depth
    ^ (case deepest of SOME position => " at " ^ describePosition position | NONE => "")

  fun message e =
    case e of
      IO.Io {cause = Warpfold.Warpfold {message, ...}, ...} => message
    | Warpfold.Warpfold {message, ...} => message
    | Size => Warpfold.lastMessage ()
    | Subscript => Warpfold.lastMessage ()
    | e => General.exnMessage e

  (* The files' sizes, for the progress bar. A file that cannot be read is reported later. *)
  fun totalSize files =
    List.foldl (fn (file, total) => total + (Position.toInt (OS.FileSys.fileSize file) handle _ => 0)) 0 files

  fun plural (n, what) = Int.toString n ^ " " ^ what ^ (if n = 1 then "" else "s")

  fun matchFiles ({explain, files, ...} : options) =
    let
      val progress = Progress.new (totalSize files)
      val (bytes, unbalanced, errors) = (ref 0, ref 0, ref 0)
      val isExplained = ref (not explain)
      fun matchFile file =
        let
          val text = Word8Seq.fromFile file
          val size = Seq.length text
          val () =
            if !isExplained then ()
            else Program.print (Brackets.plan (Brackets.piece (Seq.take text (Int.min (size, pieceSize)))) ^ "\n")
          val () = isExplained := true
          val report = Brackets.match (text, pieceSize, fn done => Progress.update (progress, !bytes + done))
        in
          bytes := !bytes + size;
          if Brackets.isBalanced report then () else unbalanced := !unbalanced + 1;
          Progress.clear progress;
          Program.print (file ^ ": " ^ describe report ^ "\n");
          Seq.release text
        end
        handle e => (errors := !errors + 1; Progress.clear progress; complain (file ^ ": " ^ message e))
      val () = List.app matchFile files
      val seconds = Progress.seconds progress
      fun fixed digits x = Real.fmt (StringCvt.FIX (SOME digits)) x
    in
      Program.print (plural (List.length files, "file") ^ ", " ^ Int.toString (!bytes) ^ " bytes, " ^ Int.toString (!unbalanced)
             ^ " not balanced, " ^ plural (!errors, "error") ^ "; " ^ fixed 3 seconds ^ " s, "
             ^ fixed 2 (Real.fromInt (!bytes) * 1E~9 / seconds) ^ " GB/s\n");
      if !errors > 0 then 2 else if !unbalanced > 0 then 1 else 0
    end

  fun inContext NONE body = body ()
    | inContext (SOME name) body = Context.within (Context.create name) body

  fun run (options as {context, files, ...} : options, arguments) =
    case arguments of
      [] => if null files then wrongUse "no files given" else inContext context (fn () => matchFiles options)
    | "--" :: rest => run (withFiles (options, rest), [])
    | "--help" :: _ => (Program.print usage; 0)
    | "-h" :: _ => (Program.print usage; 0)
    | "--explain" :: rest => run ({context = context, explain = true, files = files}, rest)
    | ["--context"] => wrongUse "--context takes a name, such as cpu"
    | "--context" :: name :: rest => run ({context = SOME name, explain = #explain options, files = files}, rest)
    | argument :: rest =>
        if String.isPrefix "-" argument then wrongUse ("unknown option " ^ argument)
        else run (withFiles (options, [argument]), rest)
  and withFiles ({context, explain, files}, more) = {context = context, explain = explain, files = files @ more}

  fun status arguments =
    run ({context = NONE, explain = false, files = []}, arguments)
    handle e => (complain (message e); 2)
end

val () = Program.define ("match_parens", "FILE...", fn arguments =>
  case MatchParens.status arguments of
    0 => ()
  | status => raise Program.Exit status)
