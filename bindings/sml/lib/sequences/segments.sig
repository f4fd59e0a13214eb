(* Sequences of sequences: an 'a seq seq is a sequence of ranges of one sequence, its values. Seq.nth, toList, take, filter, zip, sort and so on
   move ranges and copy no values; Seq.flatten makes one sequence of all elements. In a lambda an element is an 'a seq Exp.t, and Inner.row
   converts it to a sequence of Inner:

       Seq.map (fn row => Inner.sum (Inner.row row)) rows

   n is the number of elements of all sequences together, k that of the sequences. Costs are work; span, for lambdas of cost O(1). *)
signature SEGMENTS =
sig
  (* ---- parts of a sequence *)

  (* split (s, lengths): parts of these lengths, one after another. Size if a length is negative or their sum is not s's. k; log k *)
  val split : 'a Seq.seq * int Seq.seq -> 'a Seq.seq Seq.seq
  (* Parts of `size` elements, the last one of 1 to `size`; Size if `size` is less than 1. k; 1 *)
  val chunks : int -> 'a Seq.seq -> 'a Seq.seq Seq.seq
  (* All parts of `size` elements, one from each position; none if s is shorter. Size if `size` is less than 1. k; 1 *)
  val windows : int -> 'a Seq.seq -> 'a Seq.seq Seq.seq
  (* The parts between separators, one more than there are separators; and those that are not empty. n; log n *)
  val fields : ('a Exp.t -> bool Exp.t) -> 'a Seq.seq -> 'a Seq.seq Seq.seq
  val tokens : ('a Exp.t -> bool Exp.t) -> 'a Seq.seq -> 'a Seq.seq Seq.seq
  (* The longest parts in which f holds for each element and the one after it; and parts that begin with the elements for which f holds, and the
     first one. n; log n *)
  val runs : ('a Exp.t * 'a Exp.t -> bool Exp.t) -> 'a Seq.seq -> 'a Seq.seq Seq.seq
  val splitBefore : ('a Exp.t -> bool Exp.t) -> 'a Seq.seq -> 'a Seq.seq Seq.seq
  (* Copies of sequences side by side. n; 1 *)
  val fromList : 'a Type.t -> 'a Seq.seq list -> 'a Seq.seq Seq.seq
  val fromLists : 'a Type.t -> 'a list list -> 'a Seq.seq Seq.seq

  (* tabulate f lengths: sequences of these lengths; element j of sequence i is f (i, j). Size if a length is negative. n; log k *)
  val tabulate : (int Exp.t * int Exp.t -> 'a Exp.t) -> int Seq.seq -> 'a Seq.seq Seq.seq
  (* The sequences of both, whose elements are copied side by side. n; 1 *)
  val append : 'a Seq.seq Seq.seq * 'a Seq.seq Seq.seq -> 'a Seq.seq Seq.seq

  (* ---- whole sequences in the order of their content, as words in a dictionary; their elements are in that of Seq.ascending. Each function computes
     the greatest length, m, at the call. n log n log m; log^2 n log m *)
  structure ByContent :
    sig
      (* Stable *)
      val sort : 'a Seq.seq Seq.seq -> 'a Seq.seq Seq.seq
      (* In order, and of equal ones the first *)
      val unique : 'a Seq.seq Seq.seq -> 'a Seq.seq Seq.seq
      (* The rest is of sequences in order. Of equal ones, those of the first argument come first. *)
      val merge : 'a Seq.seq Seq.seq * 'a Seq.seq Seq.seq -> 'a Seq.seq Seq.seq
      (* For each needle, the number of sequences that come before it *)
      val binarySearch : 'a Seq.seq Seq.seq * 'a Seq.seq Seq.seq -> int Seq.seq
      (* These take any sequences. Range if there are none *)
      val argmax : 'a Seq.seq Seq.seq -> int
      val collate : 'a Seq.seq Seq.seq * 'a Seq.seq Seq.seq -> order
    end
  (* ByContent.sort *)
  val lexicographic : 'a Seq.seq Seq.seq -> 'a Seq.seq Seq.seq

  (* ---- each sequence by itself *)

  val lengths : 'a Seq.seq Seq.seq -> int Seq.seq
  (* f of each element. values; 1 *)
  val map : ('a Exp.t -> 'b Exp.t) -> 'a Seq.seq Seq.seq -> 'b Seq.seq Seq.seq
  (* The reduction of each sequence. n; log n *)
  val reduce : ('a Exp.t * 'a Exp.t -> 'a Exp.t) -> 'a -> 'a Seq.seq Seq.seq -> 'a Seq.seq
  (* The prefixes, and the totals; and the inclusive prefixes. n; log n *)
  val scan : ('a Exp.t * 'a Exp.t -> 'a Exp.t) -> 'a -> 'a Seq.seq Seq.seq -> 'a Seq.seq Seq.seq * 'a Seq.seq
  val scanIncl : ('a Exp.t * 'a Exp.t -> 'a Exp.t) -> 'a -> 'a Seq.seq Seq.seq -> 'a Seq.seq Seq.seq
  (* The elements of each sequence in the orders of Seq.ascending, descending and sort. n log n; log^2 n *)
  val ascending : 'a Seq.seq Seq.seq -> 'a Seq.seq Seq.seq
  val descending : 'a Seq.seq Seq.seq -> 'a Seq.seq Seq.seq
  val sort : 'a Seq.ord -> 'a Seq.seq Seq.seq -> 'a Seq.seq Seq.seq
  (* The elements for which f holds, in as many sequences. n; log n *)
  val filter : ('a Exp.t -> bool Exp.t) -> 'a Seq.seq Seq.seq -> 'a Seq.seq Seq.seq

  (* ---- groups, in the order of Seq.ascending of their keys, which are scalars or tuples; each group keeps the order of s. Seq.collect has
     an order of its own. n log n; log^2 n *)

  (* The elements with each key *)
  val groupBy : ('a Exp.t -> 'b Exp.t) -> 'a Seq.seq -> ('b * 'a Seq.seq) Seq.seq
  (* The reduction of the values with each key *)
  val reduceByKey : ('b Exp.t * 'b Exp.t -> 'b Exp.t) -> 'b -> ('a * 'b) Seq.seq -> ('a * 'b) Seq.seq
  (* Neighbours that are equal: the element and their number; and back; Size if a number is negative.
     n; log n *)
  val runLengths : 'a Seq.seq -> ('a * int) Seq.seq
  val expand : ('a * int) Seq.seq -> 'a Seq.seq
end
