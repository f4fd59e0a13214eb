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

let padded width text = String.make (Stdlib.max 0 (width - String.length text)) ' ' ^ text

(* The widths of the columns: those of their longest elements. *)
let widths_of columns texts =
  let widths = Array.make (Stdlib.max 1 columns) 0 in
  Array.iteri (fun k text -> let j = k mod Array.length widths in widths.(j) <- Stdlib.max widths.(j) (String.length text)) texts;
  widths

(* The text of the elements texts[from], ... of the axes from `axis` on. Elements of a column are aligned at the right. *)
let rec lines limit extents shown widths texts axis from =
  match (extents, shown) with
  | [], _ | _, [] -> padded widths.(from mod Array.length widths) texts.(from)
  | n :: extents, m :: shown ->
      let step = Shape.length shown in
      let element i = lines limit extents shown widths texts (axis + 1) (from + (i * step)) in
      let elements = List.init m element in
      let elements =
        if n <= limit then elements
        else List.concat (List.mapi (fun i text -> if i = (limit + 1) / 2 then [ "..."; text ] else [ text ]) elements)
      in
      let separator =
        match List.length shown with 0 -> " " | rank -> String.make rank '\n' ^ String.make (axis + 1) ' '
      in
      "[" ^ String.concat separator elements ^ "]"

let text ?element ?(is_brief = false) ?(limit = default_limit) (a : _ Node.t) =
  let extents = Shape.known a and limit = Stdlib.max 2 limit in
  let part = shortened limit 0 extents a in
  let print = match element with Some text -> text | None -> fun x -> Format.asprintf "%a" (Layout.pp_as is_brief a.dtype) x in
  let texts = Array.map print (elements part) and shown = Shape.known part in
  let columns = match List.rev shown with [] -> 1 | columns :: _ -> columns in
  lines limit extents shown (widths_of columns texts) texts 0 0
