structure Seq =
struct
  type 'a seq = 'a Rep.seq
  type any = Platform.cell list * Context.t

  open Core

  fun tabulated (name, f, n) =
    let
      val scope = Term.newId ()
      val i = Term.variable (Type.I64, scope)
      val result = Term.inFunction (fn () => f (Trace.E (Type.int, [Trace.convert (List.hd (Type.scalars Type.int), i)])))
    in
      Core.tabulate (name, Trace.function (name, [i], Trace.nodes result), Trace.typeOf result, n)
    end
  fun tabulate f n = tabulated ("Seq.tabulate", f, n)
  fun fill ty x n = tabulated ("Seq.fill", fn _ => Trace.const ty x, n)

  fun fromArray ty a = Core.fromArray ("Seq.fromArray", ty, a)
  fun fromList ty l = Core.fromList ("Seq.fromList", ty, l)
  (* Elements are stored in chunks, since storing whole arrays is fastest. *)
  fun fromFunction ty f n =
    let
      val Type.T {store, ...} = ty
      val chunk = 4096
      fun fill memory start =
        if start >= n then ()
        else
          (store (ListPair.map (fn (p, scalar) => Platform.offset (p, start * Type.size scalar)) (memory, Type.scalars ty),
                  Array.tabulate (Int.min (chunk, n - start), fn k => f (start + k)));
           fill memory (start + chunk))
    in
      if n < 0 then
        raise failure (Size, "Seq.fromFunction: the length is " ^ Int.toString n ^ "; expected a number that is not negative")
      else fromMemory ("Seq.fromFunction", ty, n, fn memory => fill memory 0, true)
    end
  fun fromBytes ty bytes = Core.fromBytes ("Seq.fromBytes", ty, bytes)
  fun toBytes s = Core.toBytes ("Seq.toBytes", s)
  fun copyBytes s array = Core.copyBytes ("Seq.copyBytes", s, array)
  fun fromPointers ty (memory, n) = Core.fromPointers ("Seq.fromPointers", ty, memory, n)
  fun toPointers s memory = Core.toPointers ("Seq.toPointers", s, memory)
  fun empty ty = fromList ty []
  fun singleton ty x = fromList ty [x]
  fun fromFile ty path =
    Core.fromFile ("Seq.fromFile", ty, path)
    handle e as Warpfold {code = Io, ...} => raise IO.Io {name = path, function = "Seq.fromFile", cause = e}

  fun arrayOf (name, s) =
    let val Type.T {load, ...} = typeOf s
    in memory (name, s) load before watchBytes (Context.liveBytes (contextOf s)) end
  fun listOf (name, s) = Array.foldr (op ::) [] (arrayOf (name, s))
  fun toArray s = arrayOf ("Seq.toArray", s)
  fun copyArray s array =
    let
      val name = "Seq.copyArray"
      val Type.T {fill, ...} = typeOf s
    in
      memory (name, s) (fn (columns, n) =>
        if Array.length array = n then fill (columns, array)
        else
          raise failure
            (Size, name ^ ": the array has length " ^ Int.toString (Array.length array) ^ ", the sequence " ^ Int.toString n))
    end
  fun toList s = listOf ("Seq.toList", s)
  (* The function has its own handle, so `release s` does not affect it. A process that inherits the function computes the
     sequence again. *)
  fun reader s =
    let
      val own = retained ("Seq.reader", s)
      val Type.T {get, ...} = typeOf s
      fun open_ () = memory ("Seq.reader", own) (fn (columns, n) => (get columns, n))
      val opened = ref (open_ ())
      fun outside (i, n) =
        failure (Subscript, "Seq.reader: the index is " ^ Int.toString i ^ ", but the length is " ^ Int.toString n)
    in
      fn i =>
        let
          val () = if Platform.isCurrent (cellOf own) then () else opened := open_ ()
          val (element, n) = !opened
        in
          if i < 0 orelse i >= n then raise outside (i, n) else element i before Platform.touch (cellOf own)
        end
    end
  fun toString show s = "<" ^ String.concatWith "," (List.map show (listOf ("Seq.toString", s))) ^ ">"

  fun map f s = Core.map ("Seq.map", f, s)
  fun zipWith f (s, t) = Core.map2 ("Seq.zipWith", f, s, t)
  fun zip (s, t) = Core.zip ("Seq.zip", [cellOf s, cellOf t], contextOf s, Type.pair (typeOf s, typeOf t))
  fun zip3 (s, t, u) =
    Core.zip ("Seq.zip3", [cellOf s, cellOf t, cellOf u], contextOf s, Type.triple (typeOf s, typeOf t, typeOf u))
  fun zip4 (s, t, u, v) =
    Core.zip
      ("Seq.zip4", [cellOf s, cellOf t, cellOf u, cellOf v], contextOf s,
       Type.quadruple (typeOf s, typeOf t, typeOf u, typeOf v))

  fun unzipped (name, s) =
    let val (a, b) = Type.unpair (typeOf s)
    in (columns (name, s, 0, a), columns (name, s, Type.width a, b)) end
  fun unzip s = unzipped ("Seq.unzip", s)
  fun unzip3 s =
    let
      val (a, b, c) = Type.untriple (typeOf s)
      val toB = Type.width a
      val toC = toB + Type.width b
    in
      (columns ("Seq.unzip3", s, 0, a), columns ("Seq.unzip3", s, toB, b), columns ("Seq.unzip3", s, toC, c))
    end
  fun unzip4 s =
    let
      val (a, b, c, d) = Type.unquadruple (typeOf s)
      val toB = Type.width a
      val toC = toB + Type.width b
      val toD = toC + Type.width c
    in
      (columns ("Seq.unzip4", s, 0, a), columns ("Seq.unzip4", s, toB, b), columns ("Seq.unzip4", s, toC, c), columns ("Seq.unzip4", s, toD, d))
    end

  fun reduce f b s = Core.reduce now ("Seq.reduce", f, b, s)
  fun scan f b s =
    let val (prefixes, total) = Core.scan 0 ("Seq.scan", f, b, s)
    in (prefixes, protected (Core.release, total, fn total => Core.value ("Seq.scan", total))) end
  fun scanIncl f b s = prefixes 1 ("Seq.scanIncl", f, b, s)
  fun filter f s = Core.filter ("Seq.filter", f, s)

  fun sort f s = Core.sortBy ("Seq.sort", f, s)
  fun sorted (name, order) s = Core.sort (name, order, s, Core.orderedWidth (name, typeOf s))
  fun ascending s = sorted ("Seq.ascending", Core.Ascending) s
  fun descending s = sorted ("Seq.descending", Core.Descending) s
  fun ascendingBy key s = Core.sortOn ("Seq.ascendingBy", Core.Ascending, key, s)
  fun descendingBy key s = Core.sortOn ("Seq.descendingBy", Core.Descending, key, s)
  fun merge f (s, t) = Core.mergeBy ("Seq.merge", f, s, t)
  fun mergeAscending (s, t) = Core.merge ("Seq.mergeAscending", Core.Ascending, s, t)
  fun mergeDescending (s, t) = Core.merge ("Seq.mergeDescending", Core.Descending, s, t)

  fun injected (name, f, s, updates) =
    let val (indices, values) = unzipped (name, updates)
    in Core.scatter (name, f, s, indices, values) end
  fun inject (s, updates) = injected ("Seq.inject", NONE, s, updates)
  fun scatter f (s, updates) = injected ("Seq.scatter", SOME f, s, updates)
  fun histogram bins s = Core.histogram ("Seq.histogram", bins, s)

  fun knownLength s = Core.knownLength ("Seq.knownLength", s)
  fun length s = lengthNow ("Seq.length", s)

  fun nth s i = Core.nth now ("Seq.nth", s, i)
  (* A part of a negative length is Size, whatever the library calls it. *)
  fun part (name, s, isNegative, call) =
    from (name, s, typeOf s, call) handle Subscript => raise if isNegative then failure (Size, lastMessage ()) else Subscript
  fun subseq s (start, n) = part ("Seq.subseq", s, n < 0, fn (p, out) => CApi.wf_subseq (p, int64 start, int64 n, out))
  fun take s n = part ("Seq.take", s, n < 0, fn (p, out) => CApi.wf_take (p, int64 n, out))
  fun drop s n = part ("Seq.drop", s, n >= 0, fn (p, out) => CApi.wf_drop (p, int64 n, out))
  fun rev s = from ("Seq.rev", s, typeOf s, CApi.wf_rev)
  fun concatenated (_, ty, []) = empty ty
    | concatenated (name, ty, parts as s :: rest) =
        (List.app (fn t => Type.checkValues (name, typeOf s, typeOf t)) rest;
         fromAll (name, List.map cellOf parts, contextOf s, typeOf s, CApi.wf_append))
  fun concat ty parts = concatenated ("Seq.concat", ty, parts)
  fun append (s, t) = concatenated ("Seq.append", typeOf s, [s, t])

  fun any s = (cellOf s :: Type.valuesOf (typeOf s), contextOf s)
  fun force [] = ()
    | force (all as (_, context) :: _) = Core.force ("Seq.force", List.concat (List.map #1 all), context)
  fun wait [] = ()
    | wait (all as (_, context) :: _) = Core.wait ("Seq.wait", List.concat (List.map #1 all), context)
  fun explain (all : any list) = Core.explain ("Seq.explain", List.concat (List.map #1 all), 0)
  fun explainDot (all : any list) = Core.explain ("Seq.explainDot", List.concat (List.map #1 all), 1)
  fun isComputed s = isManifest ("Seq.isComputed", s)

  val typeOf = typeOf
  val contextOf = contextOf
  fun describe s =
    let
      val ty = typeOf s
      val known = knownLength s
      val length = case known of SOME n => Int.toString n | NONE => "?"
      fun texts part = List.map (Type.show ty) (toList part)
      fun shown n = if n <= 10 then texts s else texts (take s 5) @ ["..."] @ texts (drop s (n - 5))
    in
      case (isComputed s, known) of
        (true, SOME n) => "<" ^ String.concatWith "," (shown n) ^ ">" ^ (if n <= 10 then "" else " of " ^ length)
      | _ => "<" ^ length ^ " x " ^ Type.name ty ^ ", not computed>"
    end
    handle Warpfold _ =>
      (if Platform.using ([cellOf s], fn pointers => List.hd pointers = null) then "<released>" else "<unusable>")
      handle Inherited => "<made by another process>"
  val release = release
end
