(* word_counts FILE [K]: the K most frequent words of a text, in lower case. A word is a segment of letters; a reduction of segments
   hashes all words, and words with the same hash of 64 bits are counted as one. *)

open Warpfold

let letter c = Expr.(let c = c lor u8 32 in c >= u8 (Char.code 'a') && c <= u8 (Char.code 'z'))

(* (hash of a text, 31^length): the hash of two texts in sequence follows from theirs. *)
let hashes words =
  let single c = Expr.(cast Dtype.int (c lor u8 32), int 31) in
  let join (hash, power) (hash', power') = Expr.((hash * power') + hash', power * power') in
  fst (Seq.unzip (Nested.reduce join (0, 1) (Nested.map_to Dtype.(pair int int) single words)))

let most_frequent k text =
  let words = Nested.tokens (fun c -> Expr.not (letter c)) text in
  let hashes = hashes words in
  let _, groups = Nested.collect (Seq.zip hashes (Seq.iota (Seq.length hashes))) in
  let counted = Seq.zip (Nested.lengths groups) (Nested.reduce Expr.min max_int groups) in
  let best = Seq.sort_by (fun (n, i) (m, j) -> Expr.(n > m || (n = m && i < j))) counted in
  let word i = String.lowercase_ascii (String.concat "" (List.map (fun c -> String.make 1 (Char.chr c)) (Seq.to_list (Nested.get words i)))) in
  List.map (fun (n, i) -> (word i, n)) (Seq.to_list (Seq.take (min k (Seq.length best)) best))

let () =
  Timing.main "word_counts FILE [K]" (fun () ->
      let text = Seq.of_file Dtype.u8 Sys.argv.(1) in
      let best = Timing.timed (Seq.length text) "bytes" (fun () -> most_frequent (Timing.argument 2 10) text) in
      List.iter (fun (word, n) -> Printf.printf "%d %s\n" n word) best)
