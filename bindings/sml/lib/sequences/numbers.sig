(* Reductions of numbers by name. They compute; several of Scalar share a pass. n; log n *)
signature NUMBERS =
sig
  (* 0 and 1 for an empty s. Integers wrap. *)
  val sum : 'a Seq.seq -> 'a
  val product : 'a Seq.seq -> 'a
  (* The sum of the numbers as reals, divided by n; nan for an empty s. *)
  val mean : 'a Seq.seq -> real
  (* The smallest and the largest element, in one pass; the largest and the smallest value of the type for an empty s. *)
  val minmax : 'a Seq.seq -> 'a * 'a
  (* The sum of the products; Size if the lengths differ. *)
  val dot : 'a Seq.seq * 'a Seq.seq -> 'a
end
