open Runs

type ('a, 'b) t = ('a, 'b) Node.seq

let named name f = Call.composed name f

let run_lengths (s : _ t) =
  named "run_lengths" (fun () ->
      let offsets = runs s (Layout.columns s.dtype) in
      Node.zip (heads s offsets) (lengths offsets))

let reduce_by_key f b pairs =
  named "reduce_by_key" (fun () ->
      let keys, values, offsets = by_key pairs in
      Node.zip (heads keys offsets) (segment_reduce f b values offsets))

let count_by_key keys = named "count_by_key" (fun () -> run_lengths (Orders.sort keys))
