(* Compares the raw layer with capi/warpfold.h: from every function of the header, the lines that declare it to both compilers are
   generated. The sources must contain these declarations and no others. *)
structure HeaderTests =
struct
  fun read path =
    let val file = TextIO.openIn path
    in TextIO.inputAll file before TextIO.closeIn file end

  fun withoutComments text =
    let
      fun outside (#"/" :: #"*" :: rest, kept) = inside (rest, kept)
        | outside (c :: rest, kept) = outside (rest, c :: kept)
        | outside ([], kept) = String.implode (List.rev kept)
      and inside (#"*" :: #"/" :: rest, kept) = outside (rest, #" " :: kept)
        | inside (_ :: rest, kept) = inside (rest, kept)
        | inside ([], kept) = outside ([], kept)
    in
      outside (String.explode text, [])
    end

  fun lines text = String.fields (fn c => c = #"\n") text
  fun words text = String.tokens Char.isSpace text
  fun startsWith (prefix, text) = String.isPrefix prefix text

  (* The parameters of a prototype, between its outermost brackets, apart at the commas that are not in inner ones. *)
  fun parameters text =
    let
      fun split ([], _, word, words) = List.rev (String.implode (List.rev word) :: words)
        | split (#"," :: rest, 0, word, words) = split (rest, 0, [], String.implode (List.rev word) :: words)
        | split (#"(" :: rest, depth, word, words) = split (rest, depth + 1, #"(" :: word, words)
        | split (#")" :: rest, depth, word, words) = split (rest, depth - 1, #")" :: word, words)
        | split (c :: rest, depth, word, words) = split (rest, depth, c :: word, words)
    in
      case split (String.explode text, 0, [], []) of
        ["void"] => []
      | parameters => List.map (String.concatWith " " o words) parameters
    end

  fun isPointer text = Char.contains text #"*"
  fun parameterType text =
    if startsWith ("const char* const*", text) then "pointer"
    else if startsWith ("const char*", text) then "text"
    else if isPointer text then "pointer"
    else
      case words text of
        ["int32_t", _] => "int32"
      | ["int64_t", _] => "int64"
      | _ => raise Check.Failed ("a parameter of unknown type: " ^ text)
  fun resultType text =
    if isPointer text then "pointer"
    else
      case text of
        "int32_t" => "int32" | "int64_t" => "int64" | "void" => "unit"
      | _ => raise Check.Failed ("a result of unknown type: " ^ text)

  type prototype = {name : string, parameters : string list, result : string}

  (* "int32_t wf_take(wf_seq* s, int64_t n, wf_seq** out)" *)
  fun prototype text : prototype =
    let
      val (before_, inside) = Substring.splitl (fn c => c <> #"(") (Substring.full text)
      val (result, name) = Substring.splitr (fn c => Char.isAlphaNum c orelse c = #"_") before_
      val list = Substring.string (Substring.trimr 1 (Substring.triml 1 inside))
    in
      {name = Substring.string name, parameters = List.map parameterType (parameters list),
       result = resultType (String.concatWith " " (words (Substring.string result)))}
    end

  fun prototypes header =
    let
      fun statements text = String.tokens (fn c => c = #";") text
      fun declaration statement =
        let val (_, found) = Substring.position "WF_API " (Substring.full statement)
        in if Substring.isEmpty found then NONE else SOME (Substring.string (Substring.triml 7 found)) end
      val code = List.filter (fn line => not (startsWith ("#", line))) (lines (withoutComments header))
    in
      List.map (prototype o String.concatWith " " o words)
        (List.mapPartial declaration (statements (String.concatWith "\n" code)))
    end

  fun tuple [] = "unit"
    | tuple types = String.concatWith " * " types
  fun inSignature {name, parameters, result} = "  val " ^ name ^ " : " ^ tuple parameters ^ " -> " ^ result
  fun inMlton {name, parameters, result} =
    "  val " ^ name ^ " = _import \"" ^ name ^ "\" public : " ^ tuple parameters ^ " -> " ^ result ^ ";"
  fun inPolyml {name, parameters, result} =
    let
      val conversions = case parameters of [one] => one | _ => "(" ^ String.concatWith ", " parameters ^ ")"
    in
      "  val " ^ name ^ " = buildCall" ^ Int.toString (List.length parameters) ^ " (symbol \"" ^ name ^ "\", " ^ conversions
      ^ ", " ^ result ^ ")"
    end

  fun same (expected : string list, actual) =
    case (expected, actual) of
      ([], []) => ()
    | (e :: es, a :: more) =>
        if e = a then same (es, more) else raise Check.Failed ("expected \"" ^ e ^ "\", found \"" ^ a ^ "\"")
    | (e :: _, []) => raise Check.Failed ("missing: " ^ e)
    | ([], a :: _) => raise Check.Failed ("not in the header: " ^ a)

  fun declarations path = List.filter (fn line => startsWith ("  val wf_", line)) (lines (read path))

  fun run directory =
    let
      fun path file = OS.Path.concat (directory, file)
      val header = prototypes (read (path "../../capi/warpfold.h"))
      fun check (file, line) =
        Check.test ("raw layer: " ^ file) (fn () => same (List.map line header, declarations (path file)))
    in
      Check.test "raw layer: the header was read" (fn () =>
        (Check.holds "more than 50 functions" (List.length header > 50);
         Check.string ("  val wf_scan : pointer * text * pointer * int32 * pointer * pointer -> int32",
                       inSignature (Option.valOf (List.find (fn p => #name p = "wf_scan") header)))));
      check ("raw/c_api.sig", inSignature);
      check ("raw/polyml/c_api.sml", inPolyml);
      check ("raw/mlton/c_api.sml", inMlton)
    end
end
