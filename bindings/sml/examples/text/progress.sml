(* A bar on the terminal for work that takes longer than a second. *)
structure Progress =
struct
  datatype t = Progress of {total : int, isShown : bool, isDrawn : bool ref, next : real ref, start : Time.time}

  (* Prints nothing if stderr is not a terminal. *)
  fun new total =
    Progress {total = total, isShown = total > 0 andalso Posix.ProcEnv.isatty Posix.FileSys.stderr, isDrawn = ref false,
              next = ref 1.0, start = Time.now ()}

  fun seconds (Progress {start, ...}) = Time.toReal (Time.- (Time.now (), start))
  fun show text = (TextIO.output (TextIO.stdErr, text); TextIO.flushOut TextIO.stdErr)
  val width = 40

  fun update (progress as Progress {total, isShown, isDrawn, next, ...}, done) =
    let
      val now = seconds progress
      val part = Real.fromInt done / Real.fromInt total
      val filled = Int.min (width, Real.floor (part * Real.fromInt width))
      val bar = CharVector.tabulate (width, fn k => if k < filled then #"#" else #".")
    in
      if not isShown orelse now < !next then ()
      else
        (next := now + 0.1;
         isDrawn := true;
         show ("\r[" ^ bar ^ "] " ^ StringCvt.padLeft #" " 3 (Int.toString (Real.round (part * 100.0))) ^ " %  "
               ^ Real.fmt (StringCvt.FIX (SOME 2)) (Real.fromInt done * 1E~9 / now) ^ " GB/s "))
    end

  (* Clears the line for other output. *)
  fun clear (Progress {isDrawn, ...}) = (if !isDrawn then show "\r\027[K" else (); isDrawn := false)
end
