(* The primitives, on handles: the implementation of Seq and Scalar. Most functions begin with a parameter `name`, the name of the function
   that the program called, for messages. *)
structure Core =
struct
  open Platform Warpfold Rep

  fun typeOf (Seq {ty, ...}) = ty
  fun cellOf (Seq {cell, ...}) = cell
  fun contextOf (Seq {context, ...}) = context

  (* The handle that `call` writes to its argument, an output pointer. *)
  fun handleOf (name, call) = scratch (fn out => (checkMemory (name, fn () => call out); getPointer (out, 0)))

  (* A new sequence, and its cell. `make` computes its handle from those of `from`, now and in processes that inherit the sequence. *)
  fun newCell (name, context, from, make, isRecorded) =
    inherited (name, fn () => cell {from = from, make = inUse (name, make), give = CApi.wf_release, isRecorded = isRecorded})
    before watchCells (Context.liveBytes context)
  fun sequence (name, context, ty, from, make, isRecorded) =
    Seq {cell = newCell (name, context, from, make, isRecorded), context = context, ty = ty, length = ref NONE}

  (* The same; the arguments of `call` are the handles and the output pointer. *)
  fun make (name, context, ty, from, call) =
    sequence (name, context, ty, from, fn handles => handleOf (name, fn out => call (handles, out)), true)

  (* Computes the sequence with this handle, and calls f with pointers to its columns and its length. *)
  fun memoryAt (name, p, ty) f =
    let
      fun column (out, k) = (checkMemory (name, fn () => CApi.wf_data (p, int32 k, out, offset (out, 8))); getPointer (out, 0))
    in
      f (scratch (fn out => (List.tabulate (Type.width ty, fn k => column (out, k)), getInt64 (out, 1))))
    end
  fun valueAt (name, ty as Type.T {get, ...}, p) = memoryAt (name, p, ty) (fn (columns, _) => get columns 0)

  (* The value of a new scalar; the scalar itself is released. *)
  fun now (name, _ : Context.t, ty, from, call) =
    using (name, from, fn handles =>
      protected (CApi.wf_release, handleOf (name, fn out => call (handles, out)), fn p => valueAt (name, ty, p)))

  (* ---- sequences without an input sequence *)

  (* The first argument of `call` is the handle of the default context. *)
  fun inContext (name, ty, from, call) =
    let val context = Context.default ()
    in make (name, context, ty, context :: from, fn (handles, out) => call (List.hd handles, List.tl handles, out)) end

  (* Calls f with the pointers that `make` returns for the elements of a list, and releases them with `give`, also after an exception. *)
  fun all (give, make, []) f = f []
    | all (give, make, x :: rest) f = protected (give, make x, fn p => all (give, make, rest) (fn ps => f (p :: ps)))

  (* A new reference to the handle of several columns side by side. *)
  fun zipped (_, [column]) = (CApi.wf_retain column; column)
    | zipped (name, columns) = pointers (columns, fn (array, n) => handleOf (name, fn out => CApi.wf_zip (array, n, out)))

  (* The handle of n elements, which are at these addresses, one per column. *)
  fun copied (name, context, ty, memory, n) =
    let
      fun column (scalar, p) =
        handleOf (name, fn out => CApi.wf_from_host (context, int32 (Type.code scalar), p, int64 n, out))
    in
      all (CApi.wf_release, column, ListPair.zip (Type.scalars ty, memory)) (fn columns => zipped (name, columns))
    end
  fun fromCopied (name, ty, make, isRecorded) =
    let val context = Context.default ()
    in sequence (name, context, ty, [context], make o List.hd, isRecorded) before watchBytes (Context.liveBytes context) end

  (* The handle of n elements, and the address of their memory, which is still to be written. *)
  fun unwritten (name, context, n) scalar =
    scratch (fn out =>
      (checkMemory (name, fn () => CApi.wf_allocate (context, int32 (Type.code scalar), int64 n, out, offset (out, 8)));
       (getPointer (out, 1), getPointer (out, 0))))

  (* n elements, which `fill` writes to the sequence's own memory, of which it is given the addresses of the columns. *)
  fun fromMemory (name, ty, n, fill, isRecorded) =
    let
      fun make context =
        all (CApi.wf_release o #1, unwritten (name, context, n), Type.scalars ty) (fn columns =>
          (fill (List.map #2 columns); zipped (name, List.map #1 columns)))
    in
      fromCopied (name, ty, make, isRecorded)
    end

  (* The largest number of elements that is recorded for processes that inherit a sequence. *)
  val mostRecorded = 1048576

  fun fromOwnArray (name, ty as Type.T {store, fromHost, ...}, a, isRecorded) =
    case fromHost of
      NONE => fromMemory (name, ty, Array.length a, fn memory => store (memory, a), isRecorded)
    | SOME call =>
        let
          val context = Context.default ()
          val scalar = int32 (Type.code (List.hd (Type.scalars ty)))
        in
          sequence
            (name, context, ty, [context],
             fn handles => handleOf (name, fn out => call (List.hd handles, scalar, a, int64 (Array.length a), out)), isRecorded)
          before watchBytes (Context.liveBytes context)
        end
  (* An array may change later, so a copy is recorded. *)
  fun fromArray (name, ty, a) =
    let val isRecorded = isExportable () andalso Array.length a <= mostRecorded
    in fromOwnArray (name, ty, if isRecorded then Array.tabulate (Array.length a, fn i => Array.sub (a, i)) else a, isRecorded) end
  fun fromList (name, ty, l) =
    let val a = Array.fromList l
    in fromOwnArray (name, ty, a, Array.length a <= mostRecorded) end

  (* Elements of a scalar type as bytes. *)
  fun theScalar (name, ty) =
    case Type.scalars ty of
      [scalar] => scalar
    | _ => raise failed (Type, name ^ ": bytes are elements of one scalar type, not " ^ Type.name ty)
  fun fromBytes (name, ty, given) =
    let
      val scalar = theScalar (name, ty)
      val length = Word8Array.length given
      val n = length div Type.size scalar
      val () =
        if n * Type.size scalar = length then ()
        else
          raise failure
            (Size, name ^ ": there are " ^ Int.toString length ^ " bytes; expected a multiple of " ^ Int.toString (Type.size scalar))
      val isRecorded = isExportable () andalso length <= mostRecorded
      val bytes = if isRecorded then Word8Array.tabulate (length, fn i => Word8Array.sub (given, i)) else given
      (* Any byte may stand for a bool, but a sequence has 0 or 1. *)
      fun make context =
        if scalar = Type.Bool then
          protected (CApi.wf_release o #1, unwritten (name, context, n) Type.U8, fn (_, p) =>
            (storeBytes (p, bytes); copied (name, context, ty, [p], n)))
        else
          let val (handle_, p) = unwritten (name, context, n) scalar
          in storeBytes (p, bytes); handle_ end
    in
      fromCopied (name, ty, make, isRecorded)
    end
  (* f of the address and the number of the bytes of s. *)
  fun withBytes (name, s) f =
    let val size = Type.size (theScalar (name, typeOf s))
    in
      using (name, [cellOf s], fn handles =>
        memoryAt (name, List.hd handles, typeOf s) (fn (columns, n) => f (List.hd columns, n * size)))
    end
  fun toBytes (name, s) = withBytes (name, s) loadBytes
  fun copyBytes (name, s, array) =
    withBytes (name, s) (fn (p, length) =>
      if Word8Array.length array = length then fillBytes (array, p)
      else
        raise failure
          (Size, name ^ ": the array has " ^ Int.toString (Word8Array.length array) ^ " bytes, the sequence " ^ Int.toString length))

  (* n elements that C has at these addresses, one per column, or to be written there. *)
  fun checkColumns (name, ty, memory) =
    if List.length memory = Type.width ty then ()
    else
      raise failed
        (Argument, name ^ ": there are " ^ Int.toString (List.length memory) ^ " addresses for " ^ Int.toString (Type.width ty)
                   ^ " columns; expected one per column")
  fun fromPointers (name, ty, memory, n) =
    (checkColumns (name, ty, memory); fromCopied (name, ty, fn context => copied (name, context, ty, memory, n), false))
  fun toPointers (name, s, memory) =
    let
      val ty = typeOf s
      val () = checkColumns (name, ty, memory)
    in
      using (name, [cellOf s], fn handles => memoryAt (name, List.hd handles, ty) (fn (_, n) =>
        ignore
          (List.foldl (fn ((scalar, p), k) =>
             (checkMemory (name, fn () =>
                CApi.wf_to_host (List.hd handles, int32 k, int64 0, int64 n, p, int32 (Type.code scalar), int64 1));
              k + 1)) 0 (ListPair.zip (Type.scalars ty, memory)))))
    end

  fun fromFile (name, ty, path) =
    case Type.scalars ty of
      [scalar] =>
        inContext (name, ty, [], fn (c, _, out) => CApi.wf_from_file (c, int32 (Type.code scalar), text path, out))
    | _ => raise failed (Type, name ^ ": the element type is " ^ Type.name ty ^ "; expected a scalar type")

  fun tabulate (name, function, ty, n) =
    inContext (name, ty, Trace.captures function, fn (c, captured, out) =>
      Trace.withFunction (name, function, captured) (fn f => CApi.wf_tabulate (c, f, int64 n, out)))

  (* ---- sequences from sequences *)

  (* `call` takes the handle of s and the output pointer. *)
  fun from (name, s, ty, call) =
    make (name, contextOf s, ty, [cellOf s], fn (handles, out) => call (List.hd handles, out))

  (* A sequence made from several others, at least one. *)
  fun fromAll (name, cells, context, ty, call) =
    make (name, context, ty, cells, fn (handles, out) => pointers (handles, fn (array, n) => call (array, n, out)))

  (* The result of a function of wf_call, of sequences and numbers. *)
  fun composed (name, function, cells, context, ty, numbers) =
    fromAll (name, cells, context, ty, fn (array, n, out) =>
      realArray (numbers, fn (p, count) => CApi.wf_call (text function, array, n, p, count, out)))

  fun columns (name, s, first, ty) =
    from (name, s, ty, fn (p, out) =>
      int32Array (List.tabulate (Type.width ty, fn k => first + k), fn (which, n) => CApi.wf_columns (p, which, n, out)))

  (* f of an element with one variable per column. *)
  fun function1 (name, f, ty) =
    let
      val scope = Term.newId ()
      val x = Trace.variables (ty, scope)
      val y = Term.inFunction (fn () => f x)
    in
      (Trace.function (name, Trace.nodes x, Trace.nodes y), Trace.typeOf y)
    end
  fun function2 (name, f, a, b) =
    let
      val scope = Term.newId ()
      val (x, y) = (Trace.variables (a, scope), Trace.variables (b, scope))
      val z = Term.inFunction (fn () => f (x, y))
    in
      (Trace.function (name, Trace.nodes x @ Trace.nodes y, Trace.nodes z), Trace.typeOf z)
    end

  fun mapped (name, function, cells, context, ty) =
    let val n = List.length cells
    in
      make (name, context, ty, cells @ Trace.captures function, fn (handles, out) =>
        Trace.withFunction (name, function, List.drop (handles, n)) (fn f =>
          pointers (List.take (handles, n), fn (array, n) => CApi.wf_map (f, array, n, out))))
    end
  fun map (name, f, s) =
    let val (function, ty) = function1 (name, f, typeOf s)
    in mapped (name, function, [cellOf s], contextOf s, ty) end
  fun map2 (name, f, s, t) =
    let val (function, ty) = function2 (name, f, typeOf s, typeOf t)
    in mapped (name, function, [cellOf s, cellOf t], contextOf s, ty) end
  fun zip (name, cells, context, ty) = fromAll (name, cells, context, ty, CApi.wf_zip)

  fun tuple [literal] = literal
    | tuple literals = "(tuple " ^ String.concatWith " " literals ^ ")"

  (* The captures of a function, then s; and `use` of the function and s. *)
  fun withCaptures (name, function, s) use =
    (cellOf s :: Trace.captures function,
     fn (handles, out) => Trace.withFunction (name, function, List.tl handles) (fn f => use (f, List.hd handles, out)))
  fun combinedFrom literals (name, f, s) use =
    let
      val ty = typeOf s
      val (function, result) = function2 (name, f, ty, ty)
      val () = Type.checkValues (name, ty, result)
      val b = tuple (literals ty)
    in
      withCaptures (name, function, s) (fn (f, p, out) => use (f, text b, p, out))
    end

  fun combined (name, f, b, s) = combinedFrom (fn ty => Type.literals ty b) (name, f, s)

  fun reduceFrom literals finish (name, f, s) =
    let val (from, call) = combinedFrom literals (name, f, s) CApi.wf_reduce
    in finish (name, contextOf s, typeOf s, from, call) end
  fun reduce finish (name, f, b, s) = reduceFrom (fn ty => Type.literals ty b) finish (name, f, s)
  fun prefixes inclusive (name, f, b, s) =
    let val (from, call) = combined (name, f, b, s) (fn (f, b, p, out) => CApi.wf_scan (f, b, p, int32 inclusive, out, null))
    in make (name, contextOf s, typeOf s, from, call) end
  (* How n sequences are made that one call makes, in this order. `call` takes the handles and the output pointers. A process that inherits some of them
     makes each by itself. *)
  fun makers (name, n, call) =
    let
      val kept = ref []
      val isFirst = ref true
      fun all handles =
        room (8 * n, fn out =>
          (checkMemory (name, fn () => call (handles, out)); List.tabulate (n, fn k => getPointer (out, k))))
      fun alone (k, made) = (List.app CApi.wf_release (List.take (made, k) @ List.drop (made, k + 1)); List.nth (made, k))
      fun maker k handles =
        (if !isFirst then (isFirst := false; kept := all handles) else ();
         case !kept of
           p :: rest => (kept := rest; p)
         | [] => alone (k, all handles))
    in
      List.tabulate (n, maker)
    end
  (* Two sequences that one call makes. `call` takes the handles and two output pointers. *)
  fun two (name, context, a, b, from, call) =
    let
      val makers = makers (name, 2, fn (handles, out) => call (handles, out, offset (out, 8)))
      fun made (k, ty) = sequence (name, context, ty, from, List.nth (makers, k), true)
      val one = made (0, a)
    in
      (one, made (1, b))
    end

  (* The prefixes and their total, which one kernel computes *)
  fun scan inclusive (name, f, b, s) =
    let
      val (from, call) =
        combined (name, f, b, s) (fn (f, b, p, (prefixes, total)) => CApi.wf_scan (f, b, p, int32 inclusive, prefixes, total))
    in
      two (name, contextOf s, typeOf s, typeOf s, from, fn (handles, prefixes, total) => call (handles, (prefixes, total)))
    end

  fun filter (name, f, s) =
    let
      val (function, _) = function1 (name, f, typeOf s)
      val (from, call) = withCaptures (name, function, s) (fn (f, p, out) => CApi.wf_filter (f, p, out))
    in
      make (name, contextOf s, typeOf s, from, call)
    end

  (* ---- values of scalars, and lengths *)

  fun nth finish (name, s, i) =
    finish (name, contextOf s, typeOf s, [cellOf s], fn (handles, out) => CApi.wf_nth (List.hd handles, int64 i, out))

  (* A sequence or scalar of i64 as one of int. *)
  fun asInts (name, s) =
    let
      val n = Term.variable (Type.I64, Term.newId ())
      val int = Trace.convert (List.hd (Type.scalars Type.int), n)
    in
      if Type.scalars Type.int = [Type.I64] then s else mapped (name, Trace.function (name, [n], [int]), [cellOf s], contextOf s, Type.int)
    end

  (* The lazy length: always an i64. *)
  fun count (name, s) = from (name, s, Type.int, CApi.wf_length)
  fun length (name, s) = asInts (name, count (name, s))

  (* ---- values *)

  fun memory (name, s) f = using (name, [cellOf s], fn handles => memoryAt (name, List.hd handles, typeOf s) f)
  fun value (name, s) = using (name, [cellOf s], fn handles => valueAt (name, typeOf s, List.hd handles))
  fun release s = Platform.release (cellOf s)
  (* The same sequence with another handle. *)
  fun retained (name, s) = from (name, s, typeOf s, fn (p, out) => (CApi.wf_retain p; setPointer (out, 0, p); int32 0))

  fun compute call (name, cells, context) =
    using (name, cells, fn handles =>
      pointers (handles, fn (array, n) => checkMemory (name, fn () => call (array, n))))
    before watchBytes (Context.liveBytes context)
  val force = compute CApi.wf_force
  val wait = compute CApi.wf_wait

  fun explain (name, cells, format) =
    using (name, cells, fn handles => pointers (handles, fn (array, n) =>
      textOf (fn (buffer, capacity, needed) =>
        check (name, CApi.wf_explain (array, n, int32 format, buffer, capacity, needed)))))

  fun knownLength (name, s as Seq {length, ...}) =
    case !length of
      SOME n => SOME n
    | NONE =>
        using (name, [cellOf s], fn handles => scratch (fn out =>
          (check (name, CApi.wf_known_length (List.hd handles, out));
           case getInt64 (out, 0) of ~1 => NONE | n => (length := SOME n; SOME n))))
  (* The length of a filtered sequence is computed once. *)
  fun lengthNow (name, s as Seq {length, ...}) =
    case knownLength (name, s) of
      SOME n => n
    | NONE =>
        let val n = protected (release, count (name, s), fn n => memory (name, n) (fn (columns, _) => getInt64 (List.hd columns, 0)))
        in length := SOME n; n end
  fun isManifest (name, s) =
    using (name, [cellOf s], fn handles => scratch (fn out =>
      (check (name, CApi.wf_is_manifest (List.hd handles, out)); getInt32 (out, 0) <> 0)))
end
