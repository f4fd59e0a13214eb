(* page_rank [PAGES]: the pages with the highest ranks in a web made up here. A page gives its rank in equal parts to the pages that it links
   to, and a page without links to all. A round is two kernels: what pages give, and the sums of what they receive. *)

open Warpfold

let damping = 0.85

(* Page p links to p / 2, p / 3, ..., p mod 5 of them. *)
let links pages =
  let all = List.concat_map (fun p -> List.init (p mod 5) (fun k -> (p / (k + 2), p))) (List.init pages Fun.id) in
  Seq.sort (Seq.of_list Dtype.(pair int int) all)

let round n from out incoming rank =
  let given = Seq.map2 Expr.(fun r links -> r / cast Dtype.f64 (max links (int 1))) rank out in
  let lost = Seq.sum (Seq.map2 Expr.(fun r links -> where (links = int 0) r (f64 0.)) rank out) in
  let received = Nested.sum (incoming (Seq.map (fun page -> Expr.(given.%(page))) from)) in
  let least = (1. -. damping) /. n and part = damping /. n in
  let next = Seq.map Expr.(fun r -> f64 least + (f64 part * value lost) + (f64 damping * r)) received in
  Seq.force next;
  next

let () =
  Timing.main "page_rank [PAGES]" (fun () ->
      let pages = Timing.argument 1 20_000 and rounds = 30 in
      let towards, from = Seq.unzip (links pages) in
      let n = float pages and out = Seq.histogram ~bins:pages from in
      let offsets = Nested.offsets (Nested.of_lengths (Seq.histogram ~bins:pages towards) from) in
      force [ Seq from; Seq out; Seq offsets ];
      let rec run k rank = if k = 0 then rank else run (k - 1) (round n from out (Nested.of_offsets offsets) rank) in
      let ranks = Timing.timed (rounds * Seq.length from) "links" (fun () -> run rounds (Seq.init pages (fun _ -> Expr.f64 (1. /. n)))) in
      let best = Seq.take 3 (Seq.sort_on ~descending:true snd (Seq.enumerate ranks)) in
      Printf.printf "sum %.6f\n" (Scalar.get (Seq.sum ranks));
      Seq.iter (fun (page, rank) -> Printf.printf "page %d: %.6f\n" page rank) best)
