(* Inner sequences: sequences inside a lambda that depend on its argument, such as a row of a matrix. The names are those of Seq; lengths,
   positions and reductions are expressions. A reduction runs in the kernel of the lambda and stores nothing:

       fun rowSums (a, rows, m) = Seq.tabulate (fn i => Inner.sum (Inner.subseq (Inner.seq a) (Exp.* (i, Exp.int m), Exp.int m))) rows

   An inner sequence has no memory and cannot be the result of a lambda. Its use in another lambda raises Warpfold Argument. There is no
   scan, since its prefixes would be a nested sequence: scan a whole sequence outside, or write Exp.loop. A result of several elements
   is a longer sequence, Seq.tabulate of rows * m.

   Work is that of the elements, n for each reduction; they are combined from left to right. *)
signature INNER =
sig
  type 'a seq
  type 'a outer  (* Seq.seq *)

  (* ---- sequences *)

  (* A sequence that the lambda captures. *)
  val seq : 'a outer -> 'a seq
  (* An element of a sequence of sequences *)
  val row : 'a outer Exp.t -> 'a seq
  (* f 0, ..., f (n - 1); empty if n <= 0, as everywhere here *)
  val tabulate : (int Exp.t -> 'a Exp.t) -> int Exp.t -> 'a seq
  (* range (a, b): a, a + 1, ..., b - 1 *)
  val range : int Exp.t * int Exp.t -> int seq
  val map : ('a Exp.t -> 'b Exp.t) -> 'a seq -> 'b seq
  (* As many elements as the first; one that the second does not have raises Subscript when it is computed. *)
  val zip : 'a seq * 'b seq -> ('a * 'b) seq
  val zipWith : ('a Exp.t * 'b Exp.t -> 'c Exp.t) -> 'a seq * 'b seq -> 'c seq
  (* The positions of a filter's elements are not known: zip, subseq, take, drop and nth of one raise Warpfold Argument. *)
  val filter : ('a Exp.t -> bool Exp.t) -> 'a seq -> 'a seq
  (* subseq s (start, length); an element outside of s raises Subscript when it is computed. *)
  val subseq : 'a seq -> int Exp.t * int Exp.t -> 'a seq
  val take : 'a seq -> int Exp.t -> 'a seq
  val drop : 'a seq -> int Exp.t -> 'a seq
  val rev : 'a seq -> 'a seq

  (* ---- values *)

  val length : 'a seq -> int Exp.t
  val nth : 'a seq -> int Exp.t -> 'a Exp.t
  (* b f s[0] f ... f s[n-1]. f is associative and depends on its two arguments alone; b is its identity. *)
  val reduce : ('a Exp.t * 'a Exp.t -> 'a Exp.t) -> 'a -> 'a seq -> 'a Exp.t
  (* Elements are numbers, for min and max also bools. An empty s gives 0, and the largest and the smallest value of the element type, or an infinity. *)
  val sum : 'a seq -> 'a Exp.t
  val min : 'a seq -> 'a Exp.t
  val max : 'a seq -> 'a Exp.t
  val dot : 'a seq * 'a seq -> 'a Exp.t
  (* The number of elements for which f holds, and if it holds for all or for any of them. *)
  val count : ('a Exp.t -> bool Exp.t) -> 'a seq -> int Exp.t
  val all : ('a Exp.t -> bool Exp.t) -> 'a seq -> bool Exp.t
  val any : ('a Exp.t -> bool Exp.t) -> 'a seq -> bool Exp.t
end
