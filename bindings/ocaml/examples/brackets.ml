(* Checks if the brackets of a text balance, and finds the first surplus bracket and the deepest nesting. One pass over the bytes,
   piece by piece. *)

open Warpfold

type text = (int, Expr.u8) Seq.t

let byte c = Expr.u8 (Char.code c)

(* +1 for an opening bracket, -1 for a closing one. In ASCII [ and { differ in one bit, the same as ] and }. *)
let bit = Char.code '[' lxor Char.code '{'

let step c =
  let folded = Expr.(c lor u8 bit) in
  let opens = Expr.(c = byte '(' || folded = byte '{') and closes = Expr.(c = byte ')' || folded = byte '}') in
  Expr.(cast Dtype.i32 opens - cast Dtype.i32 closes)

let count_lines (text : text) = Seq.reduce Expr.( + ) 0l (Seq.map Expr.(fun c -> cast Dtype.i32 (c = byte '\n')) text)
let value x = Int32.to_int (Scalar.get x)

(* The results of one pass over a piece of text; depths are relative to the depth before the piece. *)
type scalar = (int32, Expr.i32) Scalar.t

type piece = {
  depth : (int32, Expr.i32) Seq.t;  (* after each character; never stored *)
  total : scalar;
  lowest : scalar;
  highest : scalar;
  lines : scalar;
}

let piece text =
  let depth, total = Seq.scan_incl_total Expr.( + ) 0l (Seq.map step text) in
  { depth; total; lowest = Seq.reduce Expr.min 0l depth; highest = Seq.reduce Expr.max 0l depth; lines = count_lines text }

let answers p = [ Scalar p.total; Scalar p.lowest; Scalar p.highest; Scalar p.lines ]
let plan text = explain (answers (piece text))

(* The first index whose element has the property, or n if there is none. *)
let first_index has s =
  let n = Seq.length s in
  Scalar.get (Seq.reduce Expr.min n (Seq.mapi (fun i x -> Expr.(where (has x) i (int n))) s))

type position = { line : int; column : int (* from 1 *) }

(* The position, depth and line count at the start of a piece. *)
type start = { offset : int; depth_before : int; lines_before : int }

(* Line and column of the character at `index` of the piece that begins at `start`. *)
let position text start index =
  let before = Seq.subseq text start.offset index in
  let lines = value (count_lines before) in
  let bytes = Seq.to_bigarray text in
  let rec line_start i = if i > 0 && bytes.{i - 1} <> Char.code '\n' then line_start (i - 1) else i in
  let offset = start.offset + index in
  { line = start.lines_before + lines + 1; column = offset - line_start offset + 1 }

type report = {
  left_open : int;  (* brackets open at the end *)
  surplus : position option;  (* of the first closing bracket too many *)
  greatest : int;  (* depth *)
  deepest : position option;  (* of the first bracket that reaches it *)
}

let balanced report = report.left_open = 0 && report.surplus = None
let piece_at text size start = Seq.subseq text start.offset (min size (Seq.length text - start.offset))

(* progress (bytes of the text read so far) is called after each piece. *)
let match_brackets (text : text) ~piece_size ~progress =
  let n = Seq.length text in
  let rec walk here surplus greatest deepest_start =
    if here.offset >= n then (here.depth_before, surplus, greatest, deepest_start)
    else
      let p = piece (piece_at text piece_size here) in
      force (answers p);
      let surplus =
        if surplus = None && here.depth_before + value p.lowest < 0 then
          let bound = -here.depth_before in
          let below d = Expr.(d < i32 bound) in
          Some (position text here (first_index below p.depth))
        else surplus
      in
      let highest = here.depth_before + value p.highest in
      let greatest, deepest_start = if highest > greatest then (highest, here) else (greatest, deepest_start) in
      let next =
        {
          offset = here.offset + Seq.length p.depth;
          depth_before = here.depth_before + value p.total;
          lines_before = here.lines_before + value p.lines;
        }
      in
      progress next.offset;
      walk next surplus greatest deepest_start
  in
  let start = { offset = 0; depth_before = 0; lines_before = 0 } in
  let left_open, surplus, greatest, deepest_start = walk start None 0 start in
  let rise = greatest - deepest_start.depth_before in
  let reaches d = Expr.(d = i32 rise) in
  let deepest =
    if greatest = 0 then None
    else Some (position text deepest_start (first_index reaches (piece (piece_at text piece_size deepest_start)).depth))
  in
  { left_open; surplus; greatest; deepest }
