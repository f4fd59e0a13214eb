(* Extents of arrays as lists of one number per axis, and arrays of numbers for calls. *)

open Ctypes
module D = Warpfold_description
module Raw = Warpfold_raw

let max_rank = 8

(* f at, where at k is the memory of lists[k]. The lists have one length. *)
let with_arrays typ lists f =
  let rank = List.length (List.hd lists) in
  Scratch.use (rank * List.length lists) (fun cell ->
      let at k = from_voidp typ cell.memory +@ (k * rank) in
      List.iteri (fun k numbers -> List.iteri (fun i x -> at k +@ i <-@ x) numbers) lists;
      f at rank)

let with_int64s lists f = with_arrays D.int64_t lists f
let with_int32s numbers f = with_arrays D.int32_t [ numbers ] (fun at n -> f (at 0) n)

(* The extents; that of a vector is -1 if it depends on a filter that has not run. *)
let of_node node =
  Node.use node (fun pointer ->
      Scratch.use max_rank (fun cell ->
          let extents = from_voidp D.int64_t cell.memory in
          let rank = Call.int32 (fun out -> Raw.shape pointer extents max_rank out) in
          List.init rank (fun k -> !@(extents +@ k))))

(* The extents, for which the filter runs. *)
let known node =
  let extents = of_node node in
  if List.exists (fun n -> n < 0) extents then Node.force node;
  of_node node

let length extents = List.fold_left ( * ) 1 extents
let text extents = if extents = [] then "()" else String.concat " x " (List.map string_of_int extents)

(* In row-major order, counted in elements. *)
let strides extents = snd (List.fold_right (fun n (step, strides) -> (step * n, step :: strides)) extents (1, []))

(* The number of an axis that may be counted from the last one. *)
let axis extents k =
  let rank = List.length extents in
  if k < -rank || k >= rank then
    invalid_arg
      (Printf.sprintf "warpfold: axis %d does not exist in shape %s, expected %d to %d" k (text extents) (-rank) (rank - 1));
  if k < 0 then k + rank else k

(* The number of an axis that is added to these extents. *)
let new_axis extents k =
  let rank = List.length extents + 1 in
  if k < -rank || k >= rank then
    invalid_arg
      (Printf.sprintf "warpfold: axis %d cannot be added to shape %s, expected %d to %d" k (text extents) (-rank) (rank - 1));
  if k < 0 then k + rank else k

(* With extent n at axis k. *)
let with_extent k n extents = List.mapi (fun i m -> if i = k then n else m) extents

(* With a further axis of extent n before axis k. *)
let rec inserted k n extents = match extents with m :: rest when k > 0 -> m :: inserted (k - 1) n rest | _ -> n :: extents

(* The shape to which both are repeated: extents are equal, or one of them is 1. *)
let together first second =
  let differ k =
    invalid_arg
      (Printf.sprintf "warpfold: shapes %s and %s differ along axis %d, expected equal extents or an extent of 1" (text first)
         (text second) k)
  in
  List.mapi (fun k (m, n) -> if m = n || n = 1 then m else if m = 1 then n else differ k) (List.combine first second)

(* The shape is one that the pattern describes: -1 stands for any extent. *)
let check_is extents pattern =
  if List.compare_lengths extents pattern <> 0 || List.exists2 (fun n m -> m >= 0 && n <> m) extents pattern then
    invalid_arg (Printf.sprintf "warpfold: the array has shape %s, expected [%s]" (text extents)
      (String.concat "; " (List.map string_of_int pattern)))
