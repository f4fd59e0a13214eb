(* Arrays as text. *)
structure Tensor =
struct
  open Tensor

  (* An axis longer than `most` is shortened to its first and last `kept` indices; ~1 is the gap between them. *)
  val most = 12
  val kept = 5
  fun whole n = Shape.numbers n
  fun shortened n = if n <= most then Shape.numbers n else List.tabulate (kept, fn k => k) @ [~1] @ List.tabulate (kept, fn k => n - kept + k)

  (* Lines of brackets, with the columns aligned at the right. `text` is that of the element at a row-major index. *)
  fun layout (places, shape, text) =
    let
      fun row (n, first) = List.map (fn ~1 => "..." | j => text (first + j)) (places n)
      fun cells ([], first) = [[text first]]
        | cells ([n], first) = [row (n, first)]
        | cells (n :: rest, first) =
            List.concat (List.map (fn ~1 => [["..."]] | i => cells (rest, (first + i) * hd rest)) (places n))
      val widths = ref ([] : int list)
      fun widen ([], widths) = widths
        | widen (cell :: cells, []) = String.size cell :: widen (cells, [])
        | widen (cell :: cells, width :: widths) = Int.max (String.size cell, width) :: widen (cells, widths)
      val () = List.app (fn cells => widths := widen (cells, !widths)) (cells (shape, 0))
      fun aligned cells = String.concatWith " " (ListPair.map (fn (cell, width) => StringCvt.padLeft #" " width cell) (cells, !widths))
      fun block ([], _, first) = text first
        | block ([n], _, first) = "[" ^ aligned (row (n, first)) ^ "]"
        | block (n :: rest, depth, first) =
            let
              fun part ~1 = "..."
                | part i = block (rest, depth + 1, (first + i) * hd rest)
              val gap = (if List.length rest > 1 then "\n\n" else "\n") ^ CharVector.tabulate (depth, fn _ => #" ")
            in
              "[" ^ String.concatWith gap (List.map part (places n)) ^ "]"
            end
    in
      block (shape, 1, 0)
    end

  fun toString show a =
    let val elements = toArray a
    in layout (whole, shape a, fn i => show (Array.sub (elements, i))) end

  (* Six digits of a real are enough for the toplevel. *)
  fun brief x =
    let val text = Real.fmt (StringCvt.GEN (SOME 6)) x
    in if List.exists (fn c => Char.contains text c) [#".", #"E", #"n", #"i"] then text else text ^ ".0" end
  fun textIn (ty as Type.T {get, ...}, columns) =
    case (Type.scalars ty, columns) of
      ([Type.F64], [p]) => (fn i => brief (#get Platform.real (p, i)))
    | ([Type.F32], [p]) => (fn i => brief (Single.toReal (#get Platform.single (p, i))))
    | _ => let val element = get columns in fn i => Type.show ty (element i) end
  fun describe a =
    let
      val name = "Tensor.describe"
      val s = seqOf a
      val shape = shapeOf (name, a)
      val ty = Core.typeOf s
      fun text () = memory (name, s) (fn (columns, _) => layout (shortened, shape, textIn (ty, columns)))
      val isConstant = case a of Constant _ => true | _ => false
    in
      if not (isConstant orelse isManifest (name, s)) then "<" ^ Shape.toString shape ^ " x " ^ Type.name ty ^ ", not computed>"
      else if Shape.rank shape < 2 then text ()
      else "<" ^ Shape.toString shape ^ " x " ^ Type.name ty ^ ">\n" ^ text ()
    end
    handle Warpfold _ => (case a of Array (s, _) => Seq.describe s | _ => "<unusable>")
end
