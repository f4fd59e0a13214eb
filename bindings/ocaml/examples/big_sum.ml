(* big_sum A B: the sum of two natural numbers of any length. A position of the digits' sums makes a carry, passes one on or stops it; a scan
   finds all carries in one pass. *)

open Warpfold

let digits text =
  String.iter (fun c -> if c < '0' || c > '9' then failwith (text ^ " is not a natural number")) text;
  Seq.map Expr.(fun c -> cast Dtype.int c - int (Char.code '0')) (Seq.rev (Seq.of_string text))

let stop = 0 and pass = 1 and make = 2

let add a b =
  let n = 1 + max (Seq.length a) (Seq.length b) in
  let padded s = Seq.append s (Seq.init (n - Seq.length s) (fun _ -> Expr.int 0)) in
  let sums = Seq.map2 Expr.( + ) (padded a) (padded b) in
  let kinds = Seq.map Expr.(fun x -> where (x > int 9) (int make) (where (x = int 9) (int pass) (int stop))) sums in
  let carries, _ = Seq.scan Expr.(fun before x -> where (x = int pass) before x) pass kinds in
  Seq.map2 Expr.(fun x carry -> (x + where (carry = int make) (int 1) (int 0)) mod int 10) sums carries

let text s =
  let digits = List.rev_map string_of_int (Seq.to_list s) in
  let rec significant = function "0" :: (_ :: _ as rest) -> significant rest | digits -> digits in
  String.concat "" (significant digits)

let () =
  Timing.main "big_sum A B" (fun () ->
      let a = digits Sys.argv.(1) and b = digits Sys.argv.(2) in
      print_endline (Timing.timed (Seq.length a) "digits" (fun () -> text (add a b))))
