(* Sequences in an order, next to Seq.sort, ascending, descendingBy, merge, argmax and others. An order is a function that is true if its first
   argument comes before the second: a strict weak order that depends on its arguments alone. n and m are the lengths of s and t; costs are
   work; span, for orders of cost O(1). *)
signature ORDER =
sig
  (* True if no element comes before its left neighbour. n; log n *)
  val isSorted : 'a Seq.ord -> 'a Seq.seq -> bool
  (* The k largest elements, or all n if k > n, in the order of Seq.descending. n log n; log^2 n *)
  val topK : int -> 'a Seq.seq -> 'a Seq.seq
  (* The elements in order, and of equal ones the first only. n log n; log^2 n *)
  val unique : 'a Seq.ord -> 'a Seq.seq -> 'a Seq.seq

  (* Both sequences are in order, and so are the results. If j elements of s and k of t are equal, the intersection has the first min (j, k) of
     s, and the difference the others. The union has all of s, and the difference of t and s. n log m; log n, and n + m for union *)
  val union : 'a Seq.ord -> 'a Seq.seq * 'a Seq.seq -> 'a Seq.seq
  val intersection : 'a Seq.ord -> 'a Seq.seq * 'a Seq.seq -> 'a Seq.seq
  val difference : 'a Seq.ord -> 'a Seq.seq * 'a Seq.seq -> 'a Seq.seq
end
