(* Reductions of numbers by name. They compute; several of Scalar share a pass. n; log n *)
signature NUMBERS =
sig
  type 'a seq

  (* 0 and 1 for an empty s. Integers wrap. *)
  val sum : 'a seq -> 'a
  val product : 'a seq -> 'a
  (* The sum of the numbers as reals, divided by n; nan for an empty s. *)
  val mean : 'a seq -> real
  (* The smallest and the largest element, in one pass; the largest and the smallest value of the type for an empty s. *)
  val minmax : 'a seq -> 'a * 'a
  (* The sum of the products; Size if the lengths differ. *)
  val dot : 'a seq * 'a seq -> 'a
end
