(* Arrays as text: nested brackets with aligned rows, and the middle of long axes left out. *)

let elements (a : _ Node.t) =
  Node.force a;
  Transfer.to_array { a with handle = a.handle }

let default_limit = 8

(* The first and the last elements along each longer axis. *)
let rec shortened limit axis extents a =
  match extents with
  | [] -> a
  | n :: rest when n > limit ->
      let first = (limit + 1) / 2 in
      let last = limit - first in
      let part start count = Viewed.part_along axis (start, count, 1) a in
      shortened limit (axis + 1) rest (Viewed.joined axis [ part 0 first; part (n - last) last ])
  | _ :: rest -> shortened limit (axis + 1) rest a

(* Right-aligned: all elements have the width of the longest. *)
let padded width text = String.make (Stdlib.max 0 (width - String.length text)) ' ' ^ text

(* The text of the elements texts[from], ... of the axes from `axis` on. *)
let rec lines limit extents shown width texts axis from =
  match (extents, shown) with
  | [], _ | _, [] -> padded width texts.(from)
  | n :: extents, m :: shown ->
      let step = Shape.length shown in
      let element i = lines limit extents shown width texts (axis + 1) (from + (i * step)) in
      let elements = List.init m element in
      let gap = if shown = [] then padded width "..." else "..." in
      let elements =
        if n <= limit then elements
        else List.concat (List.mapi (fun i text -> if i = (limit + 1) / 2 then [ gap; text ] else [ text ]) elements)
      in
      let separator =
        match List.length shown with 0 -> " " | rank -> String.make rank '\n' ^ String.make (axis + 1) ' '
      in
      "[" ^ String.concat separator elements ^ "]"

let text ?element ?(limit = default_limit) (a : _ Node.t) =
  let extents = Shape.known a in
  let part = shortened (Stdlib.max 2 limit) 0 extents a in
  let print =
    match element with Some text -> text | None -> fun x -> Format.asprintf "%a" (Dtype.pp_value a.dtype) x
  in
  let texts = Array.map print (elements part) in
  let width = Array.fold_left (fun width text -> Stdlib.max width (String.length text)) 0 texts in
  lines (Stdlib.max 2 limit) extents (Shape.known part) width texts 0 0
