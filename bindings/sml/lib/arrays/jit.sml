structure Jit =
struct
  open Core

  (* first: the context of the first sequence that the caller passes
     lift: what the function sees
     parts: its sequences, in order, before others
     lengths: those of its lists, which the number of sequences does not determine
     rebuild: the value with other sequences, which `next` makes in the order of `parts` *)
  type part = Platform.cell * Context.t
  datatype ('a, 'b) value =
    Value of
      {first : 'b -> Context.t option,
       lift : (unit -> Context.t) -> 'b -> 'a,
       parts : 'a * part list -> part list,
       lengths : 'a * int list -> int list,
       rebuild : (part -> Platform.cell) -> 'a -> 'a}

  val name = "Jit.jit"

  fun checked s =
    if List.null (Type.valuesOf (typeOf s)) then s
    else
      raise failed
        (Warpfold.Type, name ^ ": a sequence of sequences, " ^ Type.name (typeOf s)
                        ^ " seq, is an argument or a result; expected two sequences, as by Seq.flatten and Segments.lengths")
  fun part s = (cellOf s, contextOf s)
  fun remade next (s as Seq {context, ty, ...}) = Seq {cell = next (part s), context = context, ty = ty, length = ref NONE}

  val seq =
    Value
      {first = fn s => SOME (contextOf s), lift = fn _ => fn s => checked s, parts = fn (s, rest) => part s :: rest,
       lengths = fn (_, rest) => rest, rebuild = fn next => fn s => remade next s}
  val scalar =
    Value
      {first = fn Scalar s => SOME (contextOf s), lift = fn _ => fn Scalar s => Scalar (checked s),
       parts = fn (Scalar s, rest) => part s :: rest, lengths = fn (_, rest) => rest,
       rebuild = fn next => fn Scalar s => Scalar (remade next s)}
  (* A constant becomes an array when it is lifted. *)
  val tensor =
    Value
      {first = fn Tensor.Array (s, _) => SOME (contextOf s) | Tensor.Constant _ => NONE,
       lift = fn _ => fn a => Tensor.ofSeq (checked (Tensor.seqOf a)), parts = fn (a, rest) => part (Tensor.seqOf a) :: rest,
       lengths = fn (_, rest) => rest, rebuild = fn next => fn a => Tensor.ofSeq (remade next (Tensor.seqOf a))}

  fun literal (ty, x) context =
    let
      fun column c (scalar, p) = handleOf (name, fn out => CApi.wf_scalar (c, int32 (Type.code scalar), p, out))
      fun make handles =
        Type.written ty x (fn pointers =>
          all (CApi.wf_release, column (List.hd handles), ListPair.zip (Type.scalars ty, pointers)) (fn columns => zipped (name, columns)))
    in
      Scalar (sequence (name, context, ty, [context], make, false))
    end
  fun number ty =
    let val Value {parts, lengths, rebuild, ...} = scalar
    in Value {first = fn _ => NONE, lift = fn context => fn x => literal (ty, x) (context ()), parts = parts, lengths = lengths, rebuild = rebuild} end

  fun pair (Value a, Value b) =
    Value
      {first = fn (x, y) => case #first a x of NONE => #first b y | found => found,
       lift = fn context => fn (x, y) => (#lift a context x, #lift b context y),
       parts = fn ((x, y), rest) => #parts a (x, #parts b (y, rest)),
       lengths = fn ((x, y), rest) => #lengths a (x, #lengths b (y, rest)),
       rebuild = fn next => fn (x, y) => (#rebuild a next x, #rebuild b next y)}

  fun list (Value each) =
    let
      fun first [] = NONE
        | first (x :: rest) = case #first each x of NONE => first rest | found => found
    in
      Value
        {first = first, lift = fn context => List.map (#lift each context),
         parts = fn (xs, rest) => List.foldr (#parts each) rest xs,
         lengths = fn (xs, rest) => List.length xs :: List.foldr (#lengths each) rest xs,
         rebuild = fn next => List.map (#rebuild each next)}
    end

  (* Values that the function and its caller see in other forms than those described. *)
  fun seenAs (there, back, fromCaller) (Value {first, lift, parts, lengths, rebuild}) =
    Value
      {first = first o fromCaller, lift = fn context => there o lift context o fromCaller, parts = fn (x, rest) => parts (back x, rest),
       lengths = fn (x, rest) => lengths (back x, rest), rebuild = fn next => there o rebuild next o back}
  fun convert (back, there) value = seenAs (there, back, back) value
  fun triple (a, b, c) =
    seenAs (fn (x, (y, z)) => (x, y, z), fn (x, y, z) => (x, (y, z)), fn (x, y, z) => (x, (y, z))) (pair (a, pair (b, c)))
  fun quadruple (a, b, c, d) =
    seenAs (fn ((w, x), (y, z)) => (w, x, y, z), fn (w, x, y, z) => ((w, x), (y, z)), fn (w, x, y, z) => ((w, x), (y, z)))
      (pair (pair (a, b), pair (c, d)))

  (* The cells of the sequences of a value, and the value with others, which `make` makes of their contexts and the elements of a list. *)
  fun cellsOf (Value {parts, ...}) x = List.map (fn (cell, _) => cell) (parts (x, []))
  fun replaced (Value {rebuild, ...}) make (x, list) =
    let
      val rest = ref list
      fun next (_, context) = make (context, List.hd (!rest)) before rest := List.tl (!rest)
    in
      rebuild next x
    end
  fun contextFor (Value {first, ...}) given = case first given of SOME context => context | NONE => Context.default ()
  fun lifted (value as Value {lift, ...}) given = lift (fn () => contextFor value given) given
  (* The values that the function sees, if the caller sees them, too. *)
  fun seen (Value {parts, lengths, rebuild, ...}) =
    Value
      {first = fn x => case parts (x, []) of (_, context) :: _ => SOME context | [] => NONE, lift = fn _ => fn x => x,
       parts = parts, lengths = lengths, rebuild = rebuild}

  (* ---- traces *)

  (* `form` is the results that were traced. *)
  datatype 'a trace = Trace of {lengths : int list, program : Platform.cell, form : 'a, count : int}
  val most = 64

  (* True while this thread traces a function of jit, or calls one to differentiate it: functions of jit are called, not run. *)
  val tracing = perThread () : {get : unit -> bool option, set : bool option -> unit}
  fun isTracing () = #get tracing () = SOME true
  fun whileTracing f = during (tracing, true) f

  fun owner (p, give) = cell {from = [], make = fn _ => p, give = give, isRecorded = false}
  (* The sequences that the plan computes for these arguments, or NONE if they have other shapes than those that were traced. *)
  fun run (program, count) arguments =
    using (name, program :: arguments, fn handles =>
      pointers (List.tl handles, fn (array, n) =>
        room (8 * (count + 1), fn out =>
          (checkMemory (name, fn () => CApi.wf_program_run (List.hd handles, array, n, offset (out, 8), int32 count, out));
           if getInt32 (out, 0) = 0 then NONE
           else SOME (List.tabulate (count, fn k => owner (getPointer (out, k + 1), CApi.wf_release)))))))

  fun jit (Value argument, Value result) f =
    let
      val kept = ref []

      fun traced (x, context, lengths) =
        let
          val parameters = ref []
          fun parameter (like, _) =
            let
              val p = using (name, [like], fn handles => handleOf (name, fn out => CApi.wf_parameter (List.hd handles, out)))
              val made = owner (p, CApi.wf_release)
            in
              parameters := made :: !parameters;
              made
            end
          val x = #rebuild argument parameter x
          val form = whileTracing (fn () => Context.within context (fn () => #lift result (fn () => context) (f x)))
          val results = cellsOf (Value result) form
          val from = List.rev (!parameters)
          fun make handles =
            pointers (List.take (handles, List.length from), fn (p, m) =>
              pointers (List.drop (handles, List.length from), fn (r, n) =>
                handleOf (name, fn out => CApi.wf_program_create (p, m, r, n, out))))
          val program = owner (using (name, from @ results, make), CApi.wf_program_release)
          val trace = Trace {lengths = lengths, program = program, form = form, count = List.length results}
        in
          synchronized (fn () => kept := trace :: List.take (!kept, Int.min (List.length (!kept), most - 1)));
          trace
        end

      fun computed (form, sequences, context) = replaced (Value result) #2 (form, sequences) before watchBytes (Context.liveBytes context)
    in
      fn given =>
        let
          val context = contextFor (Value argument) given
          val x = #lift argument (fn () => context) given
        in
          if isTracing () then f x
          else
            let
              val arguments = cellsOf (Value argument) x
              val lengths = #lengths argument (x, [])
              fun attempt (Trace {program, count, form, ...}) =
                Option.map (fn sequences => computed (form, sequences, context)) (run (program, count) arguments)
              (* Another process may have made a trace. *)
              fun isLike (Trace {lengths = others, program, ...}) = lengths = others andalso Platform.isCurrent program
              fun find [] = Option.valOf (attempt (traced (x, context, lengths)))
                | find (trace :: rest) =
                    case if isLike trace then attempt trace else NONE of NONE => find rest | SOME results => results
            in
              find (!kept)
            end
        end
    end
end
