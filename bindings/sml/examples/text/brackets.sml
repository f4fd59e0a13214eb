(* Checks if the brackets of a text balance; finds the place of the first error and of the deepest nesting. One pass over the bytes, piece by
   piece. *)
structure Brackets =
struct
  type text = Word8.word Seq.seq

  fun byte c = Exp.const Type.word8 (Byte.charToByte c)

  (* 1 for an opening bracket, ~1 for a closing one. In ASCII [ and { differ in one bit, the same as ] and }. *)
  fun step c =
    let
      open Exp
      val folded = orb (c, xorb (byte #"[", byte #"{"))
      fun isOne (round, curly) = cast Type.int32 (|| (== (c, byte round), == (folded, byte curly)))
    in
      isOne (#"(", #"{") - isOne (#")", #"}")
    end

  fun countLines text =
    Scalar.reduce Exp.+ 0 (Seq.map (fn c => Exp.cast Type.int32 (Exp.== (c, byte #"\n"))) text)

  (* The result of one pass over a piece of text; depths are relative to the depth before the piece and are never stored. *)
  type piece =
    {depth : Int32.int Seq.seq, total : Int32.int Scalar.t, lowest : Int32.int Scalar.t, highest : Int32.int Scalar.t,
     lines : Int32.int Scalar.t}

  fun piece text : piece =
    let
      val (depth, total) = Scalar.scanIncl Exp.+ 0 (Seq.map step text)
    in
      {depth = depth, total = total, lowest = Scalar.reduce Exp.min 0 depth, highest = Scalar.reduce Exp.max 0 depth,
       lines = countLines text}
    end
  fun wanted ({total, lowest, highest, lines, ...} : piece) = List.map Scalar.any [total, lowest, highest, lines]
  fun plan piece = Seq.explain (wanted piece)
  fun value s = Int32.toInt (Scalar.value s)

  (* The first index whose element has the property, or n if there is none. *)
  fun firstIndex has s =
    let
      val n = Seq.length s
      val indices = Seq.tabulate (fn i => i) n
    in
      Seq.reduce Exp.min n (Seq.zipWith (fn (x, i) => Exp.cond (has x, i, Exp.int n)) (s, indices))
    end

  type position = {line : int, column : int} (* from 1 *)

  (* The state at the beginning of a piece. *)
  type start = {offset : int, depth : int, lines : int}

  (* Line and column of the character at `index` of the piece that begins at `start`. *)
  fun position (text, start : start, index) : position =
    let
      val offset = #offset start + index
      val lines = value (countLines (Seq.subseq text (#offset start, index)))
      val byteAt = Seq.reader text
      fun lineStart i = if i > 0 andalso byteAt (i - 1) <> Byte.charToByte #"\n" then lineStart (i - 1) else i
    in
      {line = #lines start + lines + 1, column = offset - lineStart offset + 1}
    end

  type report =
    {leftOpen : int,              (* brackets open at the end *)
     surplus : position option,   (* of the first closing bracket too many *)
     depth : int,                 (* the greatest *)
     deepest : position option}   (* of the first bracket of the greatest depth *)
  fun isBalanced ({leftOpen, surplus, ...} : report) = leftOpen = 0 andalso not (isSome surplus)

  (* progress (bytes of the text read so far) is called after each piece. *)
  fun match (text, pieceSize, progress) : report =
    let
      val size = Seq.length text
      fun pieceAt (start : start) = piece (Seq.subseq text (#offset start, Int.min (pieceSize, size - #offset start)))
      fun locate has start = position (text, start, firstIndex (fn d => has (Exp.cast Type.int d)) (#depth (pieceAt start)))

      fun go (here : start, surplus, deepest : (int * start) option) =
        if #offset here >= size then (#depth here, surplus, deepest)
        else
          let
            val piece = pieceAt here
            val () = Seq.force (wanted piece)
            val surplus =
              if not (isSome surplus) andalso #depth here + value (#lowest piece) < 0 then
                SOME (locate (fn d => Exp.< (d, Exp.int (~ (#depth here)))) here)
              else surplus
            val reached = #depth here + value (#highest piece)
            val deepest =
              if reached > (case deepest of SOME (depth, _) => depth | NONE => 0) then SOME (reached, here) else deepest
            val next =
              {offset = #offset here + Seq.length (#depth piece), depth = #depth here + value (#total piece),
               lines = #lines here + value (#lines piece)}
          in
            progress (#offset next);
            go (next, surplus, deepest)
          end
      val (leftOpen, surplus, deepest) = go ({offset = 0, depth = 0, lines = 0}, NONE, NONE)
    in
      case deepest of
        NONE => {leftOpen = leftOpen, surplus = surplus, depth = 0, deepest = NONE}
      | SOME (depth, start) =>
          {leftOpen = leftOpen, surplus = surplus, depth = depth,
           deepest = SOME (locate (fn d => Exp.== (d, Exp.int (depth - #depth start))) start)}
    end
end
