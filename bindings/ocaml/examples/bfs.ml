(* bfs FILE [START]: the numbers of vertices at distance 0, 1, 2, ... from START in a directed graph, from lines "FROM TO" of vertex numbers.
   A round reads the edges of all vertices found in the last one, and a scatter marks the vertices that they lead to. *)

open Warpfold

let read path =
  let channel = open_in path in
  let rec lines edges =
    match Scanf.sscanf (input_line channel) " %d %d" (fun a b -> (a, b)) with
    | edge -> lines (edge :: edges)
    | exception End_of_file -> edges
  in
  Seq.of_list Dtype.(pair int int) (lines [])

(* The targets of the edges of each vertex, as segments. *)
let adjacency edges =
  let from, towards = Seq.unzip (Seq.sort edges) in
  let n = 1 + max (Scalar.get (Seq.max from)) (Scalar.get (Seq.max towards)) in
  let graph = Nested.of_lengths (Seq.histogram ~bins:n from) towards in
  force [ Seq (Nested.offsets graph); Seq towards ];
  graph

let targets graph frontier =
  let starts = Nested.offsets graph and all = Nested.flatten graph in
  let degrees = Seq.map Expr.(fun v -> starts.%(v + int 1) - starts.%(v)) frontier in
  let edges = Nested.of_lengths degrees (Seq.iota (Scalar.get (Seq.sum degrees))) in
  let first = Nested.offsets edges in
  Nested.flatten (Nested.mapi Expr.(fun k i -> all.%(starts.%(frontier.%(k)) + i - first.%(k))) edges)

let rec rounds graph seen frontier counts =
  if Seq.length frontier = 0 then List.rev counts
  else
    let found = Seq.filter Expr.(fun v -> not seen.%(v)) (targets graph frontier) in
    let next = Seq.sort_uniq found in
    let seen = Seq.scatter seen next (Seq.map (fun _ -> Expr.bool true) next) in
    force [ Seq seen; Seq next ];
    rounds graph seen next (Seq.length frontier :: counts)

let () =
  Timing.main "bfs FILE [START]" (fun () ->
      let edges = read Sys.argv.(1) and start = Timing.argument 2 0 in
      let graph = adjacency edges in
      let seen = Seq.init (Nested.length graph) Expr.(fun v -> v = int start) in
      let run () = rounds graph seen (Seq.singleton Dtype.int start) [] in
      let counts = Timing.timed (Seq.length edges) "edges" run in
      print_endline (String.concat " " (List.map string_of_int counts)))
