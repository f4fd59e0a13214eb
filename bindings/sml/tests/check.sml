(* A small test runner. A failure reports the expected and the actual value; an unexpected exception is a failure, too. *)
structure Check =
struct
  val passed = ref 0
  val failed = ref 0
  val skipped = ref 0

  exception Failed of string

  fun test name body =
    (body (); passed := !passed + 1)
    handle e =>
      (failed := !failed + 1;
       print ("FAILED " ^ name ^ ": " ^ (case e of Failed why => why | _ => "raised " ^ General.exnMessage e) ^ "\n"))

  fun skip name why = (skipped := !skipped + 1; print ("skipped " ^ name ^ ": " ^ why ^ "\n"))

  fun equal show (expected, actual) =
    if expected = actual then () else raise Failed ("expected " ^ show expected ^ ", got " ^ show actual)
  val int = equal Int.toString
  val bool = equal Bool.toString
  val string = equal (fn s => "\"" ^ s ^ "\"")
  fun listOf show l = "[" ^ String.concatWith ", " (List.map show l) ^ "]"
  fun list show = equal (listOf show)
  val ints = list Int.toString

  (* Reals that differ by a few units of the last place, or are both nan. *)
  fun isClose (x, y) =
    Real.== (x, y) orelse (Real.isNan x andalso Real.isNan y)
    orelse Real.abs (x - y) <= 1E~15 * Real.max (Real.abs x, Real.abs y) orelse Real.abs (x - y) < 1E~300
  fun reals (expected, actual) =
    if ListPair.allEq isClose (expected, actual) then ()
    else raise Failed ("expected " ^ listOf Real.toString expected ^ ", got " ^ listOf Real.toString actual)

  fun holds what true = ()
    | holds what false = raise Failed ("not so: " ^ what)
  fun contains (part, whole) =
    if String.isSubstring part whole then () else raise Failed ("\"" ^ part ^ "\" is not in \"" ^ whole ^ "\"")

  (* The call must raise an exception for which `isRight` returns true. *)
  fun raises what isRight call =
    case (call (); NONE) handle e => SOME e of
      NONE => raise Failed ("expected " ^ what ^ ", but nothing was raised")
    | SOME e => if isRight e then () else raise Failed ("expected " ^ what ^ ", got " ^ General.exnMessage e)
  fun subscript call = raises "Subscript" (fn Subscript => true | _ => false) call
  fun size call = raises "Size" (fn Size => true | _ => false) call
  (* The call must raise a Warpfold of this class whose message contains the text. *)
  fun warpfold (code, text) call =
    raises ("Warpfold with \"" ^ text ^ "\"")
      (fn Warpfold.Warpfold {code = c, message} => c = code andalso String.isSubstring text message | _ => false) call

  (* The lines that a program of Python in the folder of all bindings prints. *)
  fun linesOf command =
    let
      val path = OS.FileSys.tmpName ()
      val directory = valOf (OS.Process.getEnv "WARPFOLD_SML")
      val () = holds (command ^ " runs") (OS.Process.isSuccess (OS.Process.system ("python3 " ^ directory ^ "/../" ^ command ^ " >" ^ path)))
      val file = TextIO.openIn path
    in
      String.fields (fn c => c = #"\n") (TextIO.inputAll file) before (TextIO.closeIn file; OS.FileSys.remove path)
    end

  (* Prints the last line and ends the program. *)
  fun finish () =
    (print (Int.toString (!passed) ^ " passed, " ^ Int.toString (!failed) ^ " failed, " ^ Int.toString (!skipped) ^ " skipped\n");
     OS.Process.exit (if !failed = 0 then OS.Process.success else OS.Process.failure))
end
