structure Seq =
struct
  type 'a seq = 'a Rep.seq
  type any = Platform.cell * Context.t

  open Core

  fun tabulate f n =
    let
      val scope = Term.newId ()
      val i = Term.variable (Type.I64, scope)
      val result = f (Trace.E (Type.int, [Trace.convert (List.hd (Type.scalars Type.int), i)]))
    in
      Core.tabulate (([i], Trace.nodes result), Trace.typeOf result, n)
    end
  fun fill ty x n = tabulate (fn _ => Trace.const ty x) n

  fun fromArray ty a = Core.fromArray (ty, a)
  fun fromList ty l = fromArray ty (Array.fromList l)
  (* Chunk by chunk, which the loops of arrays write fastest. *)
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
      if n < 0 then raise Size else fromMemory (ty, n, fn memory => fill memory 0)
    end
  fun empty ty = fromList ty []
  fun singleton ty x = fromList ty [x]
  fun fromFile ty path =
    Core.fromFile (ty, path)
    handle e as Warpfold {code = Io, ...} => raise IO.Io {name = path, function = "Seq.fromFile", cause = e}

  fun toArray s =
    let val Type.T {load, ...} = typeOf s
    in memory s load before watchBytes (Context.liveBytes (contextOf s)) end
  fun toList s = Array.foldr (op ::) [] (toArray s)
  fun reader s =
    let
      val Type.T {get, ...} = typeOf s
      val (element, n) = memory s (fn (columns, n) => (get columns, n))
    in
      fn i => if i < 0 orelse i >= n then raise Subscript else element i before Platform.touch (cellOf s)
    end
  fun toString show s = "<" ^ String.concatWith "," (List.map show (toList s)) ^ ">"

  val map = Core.map
  val zipWith = Core.map2
  fun zip (s, t) = Core.zip ([cellOf s, cellOf t], contextOf s, Type.pair (typeOf s, typeOf t))
  fun zip3 (s, t, u) =
    Core.zip ([cellOf s, cellOf t, cellOf u], contextOf s, Type.triple (typeOf s, typeOf t, typeOf u))
  fun zip4 (s, t, u, v) =
    Core.zip
      ([cellOf s, cellOf t, cellOf u, cellOf v], contextOf s, Type.quadruple (typeOf s, typeOf t, typeOf u, typeOf v))

  fun unzip s =
    let val (a, b) = Type.unpair (typeOf s)
    in (columns (s, 0, a), columns (s, Type.width a, b)) end
  fun unzip3 s =
    let
      val (a, b, c) = Type.untriple (typeOf s)
      val toB = Type.width a
      val toC = toB + Type.width b
    in
      (columns (s, 0, a), columns (s, toB, b), columns (s, toC, c))
    end
  fun unzip4 s =
    let
      val (a, b, c, d) = Type.unquadruple (typeOf s)
      val toB = Type.width a
      val toC = toB + Type.width b
      val toD = toC + Type.width c
    in
      (columns (s, 0, a), columns (s, toB, b), columns (s, toC, c), columns (s, toD, d))
    end

  fun reduce f b s = Core.reduce now f b s
  fun scan f b s =
    let val (prefixes, total) = Core.scan 0 f b s
    in (prefixes, protected (Door.wf_release, total, fn p => valueAt (typeOf s, p))) end
  fun scanIncl f b s = prefixes 1 f b s
  fun filter f s = Core.filter f s

  fun knownLength s = case Core.knownLength s of ~1 => NONE | n => SOME n
  fun length s = case knownLength s of SOME n => n | NONE => countNow s

  fun nth s i = Core.nth now s i
  fun subseq s (start, n) = from (s, typeOf s, fn (p, out) => Door.wf_subseq (p, int64 start, int64 n, out))
  fun take s n = from (s, typeOf s, fn (p, out) => Door.wf_take (p, int64 n, out))
  fun drop s n = from (s, typeOf s, fn (p, out) => Door.wf_drop (p, int64 n, out))
  fun rev s = from (s, typeOf s, Door.wf_rev)
  fun concat ty [] = empty ty
    | concat ty (parts as s :: _) = fromAll (List.map cellOf parts, contextOf s, ty, Door.wf_append)
  fun append (s, t) = concat (typeOf s) [s, t]

  fun any s = (cellOf s, contextOf s)
  fun force [] = ()
    | force (all as (_, context) :: _) = Core.force (List.map #1 all, context)
  fun explain (all : any list) = Core.explain (List.map #1 all, 0)
  fun explainDot (all : any list) = Core.explain (List.map #1 all, 1)
  val isComputed = isManifest

  val typeOf = typeOf
  val contextOf = contextOf
  fun describe s =
    let
      val ty = typeOf s
      val known = knownLength s
      val length = case known of SOME n => Int.toString n | NONE => "?"
      fun first n = String.concatWith "," (List.map (Type.show ty) (toList (take s n)))
    in
      case (isComputed s, known) of
        (true, SOME n) => if n <= 10 then "<" ^ first n ^ ">" else "<" ^ first 10 ^ ",...> of " ^ length
      | _ => "<" ^ length ^ " x " ^ Type.name ty ^ ", not computed>"
    end
    handle Warpfold _ => "<released>"
  val release = release
end
