(* Shared by the example programs: their list, their arguments and what they print. *)
structure Program =
struct
  type t = {name : string, usage : string, run : string list -> unit}
  val all : t list ref = ref [] (* the last one first *)
  fun define (name, usage, run) = all := {name = name, usage = usage, run = run} :: !all

  (* Standard output and stderr, or what a test reads. *)
  val output : (string -> unit) ref = ref TextIO.print
  val errors : (string -> unit) ref = ref (fn text => TextIO.output (TextIO.stdErr, text))
  fun print text = !output text
  fun complain text = !errors (text ^ "\n")

  (* The result of f, and a line such as "0.012 s, 8.300E07 numbers/s" for this amount of work on stderr. *)
  fun timed (amount, unit) f =
    let
      val start = Time.now ()
      val result = f ()
      val seconds = Time.toReal (Time.- (Time.now (), start))
      fun three x = Real.fmt (StringCvt.GEN (SOME 3)) x
    in
      complain (three seconds ^ " s, " ^ three (Real.fromInt amount / Real.max (seconds, 1E~9)) ^ " " ^ unit ^ "/s");
      result
    end

  (* Numbers as other languages write them. *)
  fun plain text = String.map (fn #"~" => #"-" | c => c) text
  fun fixed digits x = plain (Real.fmt (StringCvt.FIX (SOME digits)) x)

  (* Argument k as a number, or `default` without one. *)
  fun number (arguments, k, default) =
    if k < List.length arguments then Option.valOf (Int.fromString (List.nth (arguments, k))) else default

  (* A program that ends with this status. *)
  exception Exit of int

  (* The exit status. *)
  fun call ({name, usage, run} : t) arguments =
    (run arguments; 0)
    handle Exit status => status
         | e => (complain (General.exnMessage e ^ "\nusage: " ^ name ^ " " ^ usage); 2)
  fun main () =
    let val status = call (List.hd (!all)) (CommandLine.arguments ())
    in TextIO.flushOut TextIO.stdOut; Posix.Process.exit (Word8.fromInt status) end
end

fun main () = Program.main ()
