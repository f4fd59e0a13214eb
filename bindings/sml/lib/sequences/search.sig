(* Elements and positions with a property. n is the length of s; costs are work; span, for lambdas of cost O(1). *)
signature SEARCH =
sig
  (* If f holds for any, for all, and for how many elements; one pass with what feeds s. n; log n *)
  val any : ('a Exp.t -> bool Exp.t) -> 'a Seq.seq -> bool
  val all : ('a Exp.t -> bool Exp.t) -> 'a Seq.seq -> bool
  val count : ('a Exp.t -> bool Exp.t) -> 'a Seq.seq -> int
  (* The first element for which f holds, and its position. n; log n *)
  val find : ('a Exp.t -> bool Exp.t) -> 'a Seq.seq -> 'a option
  val findIndex : ('a Exp.t -> bool Exp.t) -> 'a Seq.seq -> int option
  (* The positions of the elements for which f holds, in order. n; log n *)
  val packIndex : ('a Exp.t -> bool Exp.t) -> 'a Seq.seq -> int Seq.seq
  (* binarySearch less (s, needles): for each needle, the number of elements of s that come before it, which is the position of the first
     one that does not. s must be in the order of less. k log n; log n for k needles *)
  val binarySearch : ('a Exp.t * 'a Exp.t -> bool Exp.t) -> 'a Seq.seq * 'a Seq.seq -> int Seq.seq
end
