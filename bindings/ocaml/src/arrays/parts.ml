(* Parts of arrays: the elements that a slice keeps along each axis. *)

type (_, _) item =
  | All : ('r, 'r Axes.axis) item
  | At : int -> ('r, 'r) item
  | From : int -> ('r, 'r Axes.axis) item
  | Until : int -> ('r, 'r Axes.axis) item
  | Range : int * int -> ('r, 'r Axes.axis) item
  | Every : int -> ('r, 'r Axes.axis) item
  | Step : int option * int option * int -> ('r, 'r Axes.axis) item
  | Steps : { from : int; count : int; by : int } -> ('r, 'r Axes.axis) item

type (_, _) items = [] : (Axes.rank0, Axes.rank0) items | ( :: ) : ('r, 's) item * ('q, 'r) items -> ('q Axes.axis, 's) items

let outside axis text n =
  invalid_arg (Printf.sprintf "warpfold: axis %d: %s is out of range, expected a part of extent %d" axis text n)

(* The part of an axis: its start, its count and its step, and false if the axis is dropped. *)
let part (type r s) axis n (item : (r, s) item) =
  let from_last i = if i < 0 then i + n else i in
  let range i j =
    let first = from_last i and past = from_last j in
    if first < 0 || past > n || first > past then outside axis (Printf.sprintf "the range from %d to %d" i j) n;
    (first, past - first, 1, true)
  in
  let check_step by = if by = 0 then invalid_arg (Printf.sprintf "warpfold: axis %d: the step is 0, expected another number" axis) in
  (* Indices before the first one and after the last one end a step. *)
  let stepped from until by =
    let bound index otherwise last =
      let place = match index with None -> otherwise | Some i -> from_last i in
      if index <> None && (place < 0 || place > last) then outside axis (Printf.sprintf "index %d" (Option.get index)) n;
      place
    in
    let last = if by > 0 then n else n - 1 in
    let first = bound from (if by > 0 then 0 else n - 1) last and past = bound until (if by > 0 then n else -1) last in
    let distance = if by > 0 then past - first else first - past in
    let count = if distance <= 0 then 0 else ((distance - 1) / Stdlib.abs by) + 1 in
    ((if count = 0 then 0 else first), count, by, true)
  in
  match item with
  | All -> (0, n, 1, true)
  | At i ->
      if from_last i < 0 || from_last i >= n then outside axis (Printf.sprintf "index %d" i) n;
      (from_last i, 1, 1, false)
  | From i -> range i n
  | Until j -> range 0 j
  | Range (i, j) -> range i j
  | Every by -> check_step by; stepped None None by
  | Step (from, until, by) -> check_step by; stepped from until by
  | Steps { from; count; by } ->
      check_step by;
      let first = from_last from in
      let is_inside i = i >= 0 && i < n in
      if count < 0 || (count > 0 && Stdlib.not (is_inside first && is_inside (first + ((count - 1) * by)))) then
        invalid_arg
          (Printf.sprintf "warpfold: axis %d: %d elements from %d in steps of %d are out of range, expected a part of extent %d" axis count
             from by n);
      ((if count = 0 then 0 else first), count, by, true)

let rec of_items : type r s. int -> int list -> (r, s) items -> (int * int * int * bool) list =
 fun axis extents items ->
  match (items, extents) with
  | item :: items, n :: extents ->
      let first = part axis n item in
      first :: of_items (axis + 1) extents items
  | _ -> []

