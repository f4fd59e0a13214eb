(* The primitives, on handles: what Seq and Scalar are made of. *)
structure Core =
struct
  open Platform Warpfold Rep

  fun typeOf (Seq {ty, ...}) = ty
  fun cellOf (Seq {cell, ...}) = cell
  fun contextOf (Seq {context, ...}) = context

  fun own (context, ty, pointer) = Seq {cell = cell (pointer, Door.wf_release), context = context, ty = ty}

  (* The handle that `call` writes to the place that it is given. *)
  fun handleOf call = scratch (fn out => (checkMemory (fn () => call out); getPointer (out, 0)))

  (* A new sequence with that handle. *)
  fun make (context, ty, call) =
    own (context, ty, handleOf call) before watchCells (Context.liveBytes context)

  (* f of pointers to the columns of the sequence with that handle, and its length; computes it. *)
  fun memoryAt (p, ty) f =
    let
      fun column (out, k) = (checkMemory (fn () => Door.wf_data (p, int32 k, out, offset (out, 8))); getPointer (out, 0))
    in
      f (scratch (fn out => (List.tabulate (Type.width ty, fn k => column (out, k)), getInt64 (out, 1))))
    end
  fun valueAt (ty as Type.T {get, ...}, p) = memoryAt (p, ty) (fn (columns, _) => get columns 0)

  (* The value of a new scalar, of which only the value is wanted. *)
  fun now (_ : Context.t, ty, call) = protected (Door.wf_release, handleOf call, fn p => valueAt (ty, p))

  (* ---- from outside *)

  fun inContext f =
    let val context = Context.default ()
    in Context.with1 context (fn p => f (context, p)) end

  fun fromColumns (context, ty, [one]) = Seq {cell = cellOf one, context = context, ty = ty}
    | fromColumns (context, ty, columns) =
        using (List.map cellOf columns, fn handles => pointers (handles, fn (array, n) =>
          make (context, ty, fn out => Door.wf_zip (array, n, out))))

  (* n elements, which `fill` writes to the memory that it is given, one block a column. *)
  fun fromMemory (ty, n, fill) =
    inContext (fn (context, c) =>
      let
        val scalars = Type.scalars ty
        val memory = List.map (fn scalar => allocate (n * Type.size scalar)) scalars
        fun column (scalar, p) =
          make (context, ty, fn out => Door.wf_from_host (c, int32 (Type.code scalar), p, int64 n, out))
      in
        protected (List.app free, memory, fn memory =>
          (fill memory; fromColumns (context, ty, ListPair.map column (scalars, memory))))
        before watchBytes (Context.liveBytes context)
      end)

  fun fromArray (ty as Type.T {store, fromHost, ...}, a) =
    case fromHost of
      NONE => fromMemory (ty, Array.length a, fn memory => store (memory, a))
    | SOME call =>
        inContext (fn (context, c) =>
          make (context, ty, fn out =>
            call (c, int32 (Type.code (List.hd (Type.scalars ty))), a, int64 (Array.length a), out))
          before watchBytes (Context.liveBytes context))

  fun fromFile (ty, path) =
    inContext (fn (context, c) =>
      case Type.scalars ty of
        [scalar] => make (context, ty, fn out => Door.wf_from_file (c, int32 (Type.code scalar), text path, out))
      | _ =>
          raise Warpfold {code = Type, message = "Seq.fromFile: a file has elements of one scalar type, not " ^ Type.name ty})

  fun tabulate (function, ty, n) =
    inContext (fn (context, c) =>
      Trace.withFunction function (fn f => make (context, ty, fn out => Door.wf_tabulate (c, f, int64 n, out))))

  (* ---- from sequences *)

  (* A call on one handle, with an output, of which `make` or `now` makes the result. *)
  fun fromOne finish (s, ty, call) =
    using ([cellOf s], fn handles => finish (contextOf s, ty, fn out => call (List.hd handles, out)))
  fun from (s, ty, call) = fromOne make (s, ty, call)

  (* The same on several handles, at least one. *)
  fun fromAll (cells, context, ty, call) =
    using (cells, fn handles => pointers (handles, fn (array, n) => make (context, ty, fn out => call (array, n, out))))

  fun columns (s, first, ty) =
    int32Array (List.tabulate (Type.width ty, fn k => first + k), fn (which, n) =>
      from (s, ty, fn (p, out) => Door.wf_columns (p, which, n, out)))

  (* f of an element: a variable a column. *)
  fun function1 (f, ty) =
    let
      val scope = Term.newId ()
      val x = Trace.variables (ty, scope)
      val y = f x
    in
      ((Trace.nodes x, Trace.nodes y), Trace.typeOf y)
    end
  fun function2 (f, a, b) =
    let
      val scope = Term.newId ()
      val (x, y) = (Trace.variables (a, scope), Trace.variables (b, scope))
      val z = f (x, y)
    in
      ((Trace.nodes x @ Trace.nodes y, Trace.nodes z), Trace.typeOf z)
    end

  fun map f s =
    let val (function, ty) = function1 (f, typeOf s)
    in
      Trace.withFunction function (fn f =>
        fromAll ([cellOf s], contextOf s, ty, fn (array, n, out) => Door.wf_map (f, array, n, out)))
    end
  fun map2 f (s, t) =
    let val (function, ty) = function2 (f, typeOf s, typeOf t)
    in
      Trace.withFunction function (fn f =>
        fromAll ([cellOf s, cellOf t], contextOf s, ty, fn (array, n, out) => Door.wf_map (f, array, n, out)))
    end
  fun zip (cells, context, ty) = fromAll (cells, context, ty, Door.wf_zip)

  fun identity (ty, b) =
    case Type.literals ty b of
      [literal] => literal
    | literals => "(tuple " ^ String.concatWith " " literals ^ ")"

  fun withCombiner (f, b, s) use =
    let
      val ty = typeOf s
      val (function, _) = function2 (f, ty, ty)
      val b = text (identity (ty, b))
    in
      Trace.withFunction function (fn f => use (f, b))
    end

  fun reduce finish f b s =
    withCombiner (f, b, s) (fn (f, b) => fromOne finish (s, typeOf s, fn (p, out) => Door.wf_reduce (f, b, p, out)))
  fun prefixes inclusive f b s =
    withCombiner (f, b, s) (fn (f, b) =>
      from (s, typeOf s, fn (p, out) => Door.wf_scan (f, b, p, int32 inclusive, out, null)))
  (* The prefixes and their total, which a kernel computes together. *)
  fun scan inclusive f b s =
    withCombiner (f, b, s) (fn (f, b) =>
      using ([cellOf s], fn handles => scratch (fn out =>
        (checkMemory (fn () => Door.wf_scan (f, b, List.hd handles, int32 inclusive, out, offset (out, 8)));
         (own (contextOf s, typeOf s, getPointer (out, 0)), getPointer (out, 1))))))
    before watchCells (Context.liveBytes (contextOf s))

  fun filter f s =
    let val (function, _) = function1 (f, typeOf s)
    in Trace.withFunction function (fn f => from (s, typeOf s, fn (p, out) => Door.wf_filter (f, p, out))) end

  fun nth finish s i = fromOne finish (s, typeOf s, fn (p, out) => Door.wf_nth (p, int64 i, out))

  (* The length, lazily: an i64, whatever an int is here. *)
  fun count s = from (s, Type.int, Door.wf_length)
  fun length s =
    let
      val n = Term.variable (Type.I64, Term.newId ())
      val int = Trace.convert (List.hd (Type.scalars Type.int), n)
    in
      Trace.withFunction ([n], [int]) (fn f =>
        fromAll ([cellOf (count s)], contextOf s, Type.int, fn (array, n, out) => Door.wf_map (f, array, n, out)))
    end

  (* ---- values *)

  fun memory s f = using ([cellOf s], fn handles => memoryAt (List.hd handles, typeOf s) f)
  fun value s = using ([cellOf s], fn handles => valueAt (typeOf s, List.hd handles))
  fun release s = Platform.release (cellOf s)
  fun countNow s = protected (release, count s, fn n => memory n (fn (columns, _) => getInt64 (List.hd columns, 0)))

  fun force (cells, context) =
    using (cells, fn handles => pointers (handles, fn (array, n) => checkMemory (fn () => Door.wf_force (array, n))))
    before watchBytes (Context.liveBytes context)

  fun explain (cells, format) =
    using (cells, fn handles => pointers (handles, fn (array, n) =>
      textOf (fn (buffer, capacity, needed) =>
        check (Door.wf_explain (array, n, int32 format, buffer, capacity, needed)))))

  fun knownLength s =
    using ([cellOf s], fn handles => scratch (fn out =>
      (check (Door.wf_known_length (List.hd handles, out)); getInt64 (out, 0))))
  fun isManifest s =
    using ([cellOf s], fn handles => scratch (fn out =>
      (check (Door.wf_is_manifest (List.hd handles, out)); getInt32 (out, 0) <> 0)))
end
