(* A line of timing for an example, on stderr. *)
structure Timing =
struct
  (* f (), after a line with `name` and the time that it took. *)
  fun timed name f =
    let
      val start = Time.now ()
      val result = f ()
      val milliseconds = 1000.0 * Time.toReal (Time.- (Time.now (), start))
    in
      TextIO.output (TextIO.stdErr, name ^ ": " ^ Real.fmt (StringCvt.FIX (SOME 3)) milliseconds ^ " ms\n");
      result
    end

  (* The first argument of the program as a number, or `default`. *)
  fun argument default =
    case CommandLine.arguments () of
      text :: _ => Option.getOpt (Int.fromString text, default)
    | [] => default
end
