(* Inner sequences: sequences inside a lambda that depend on its argument, such as a row of a matrix. The names are those of Seq; lengths,
   positions and reductions are expressions. A reduction runs in the kernel of the lambda and stores nothing:

       fun rowSums (a, rows, m) = Seq.tabulate (fn i => Inner.sum (Inner.subseq (Inner.seq a) (Exp.* (i, Exp.int m), Exp.int m))) rows

   An inner sequence has no memory and cannot be the result of a lambda. Its use in another lambda raises Warpfold Argument. There is no
   scan, since its prefixes would be a nested sequence: scan a whole sequence outside, or write Exp.loop. A result of several elements
   is a longer sequence, Seq.tabulate of rows * m. The halves of s are take and drop of half its length.

   Work is that of the elements, n for each reduction; they are combined from left to right. *)
signature INNER =
sig
  type 'a seq

  (* ---- sequences *)

  (* A sequence that the lambda captures. *)
  val seq : 'a Seq.seq -> 'a seq
  (* An element of a sequence of sequences *)
  val row : 'a Seq.seq Exp.t -> 'a seq
  (* f 0, ..., f (n - 1); empty if n <= 0, as everywhere here *)
  val tabulate : (int Exp.t -> 'a Exp.t) -> int Exp.t -> 'a seq
  (* range (a, b): a, a + 1, ..., b - 1 *)
  val range : int Exp.t * int Exp.t -> int seq
  val map : ('a Exp.t -> 'b Exp.t) -> 'a seq -> 'b seq
  (* To the shorter length *)
  val zip : 'a seq * 'b seq -> ('a * 'b) seq
  val zipWith : ('a Exp.t * 'b Exp.t -> 'c Exp.t) -> 'a seq * 'b seq -> 'c seq
  (* The positions of a filter's elements are not known: functions that need them, such as zip, mapIdx, subseq, take, rotate, equal, collate and
     nth, raise Warpfold Argument. *)
  val filter : ('a Exp.t -> bool Exp.t) -> 'a seq -> 'a seq
  val partition : ('a Exp.t -> bool Exp.t) -> 'a seq -> 'a seq * 'a seq
  val iota : int Exp.t -> int seq
  val mapIdx : (int Exp.t * 'a Exp.t -> 'b Exp.t) -> 'a seq -> 'b seq
  val filterIdx : (int Exp.t * 'a Exp.t -> bool Exp.t) -> 'a seq -> 'a seq
  val enum : 'a seq -> (int * 'a) seq
  (* The positions of the elements for which f holds *)
  val packIndex : ('a Exp.t -> bool Exp.t) -> 'a seq -> int seq
  (* subseq s (start, length); an element outside of s raises Subscript when it is computed. *)
  val subseq : 'a seq -> int Exp.t * int Exp.t -> 'a seq
  val take : 'a seq -> int Exp.t -> 'a seq
  val drop : 'a seq -> int Exp.t -> 'a seq
  val rev : 'a seq -> 'a seq
  val append : 'a seq * 'a seq -> 'a seq
  (* concat s [t, u, ...]: all of them *)
  val concat : 'a seq -> 'a seq list -> 'a seq
  val rotate : 'a seq -> int Exp.t -> 'a seq
  (* Of equal lengths; an element without a partner raises Subscript when it is computed. *)
  val interleave : 'a seq * 'a seq -> 'a seq
  val update : 'a seq * (int Exp.t * 'a Exp.t) -> 'a seq

  (* ---- values *)

  val length : 'a seq -> int Exp.t
  val nth : 'a seq -> int Exp.t -> 'a Exp.t
  (* b f s[0] f ... f s[n-1]. f is associative and depends on its two arguments alone; b is its identity. *)
  val reduce : ('a Exp.t * 'a Exp.t -> 'a Exp.t) -> 'a -> 'a seq -> 'a Exp.t
  (* Elements are numbers, for min and max also bools. An empty s gives 0, and the largest and the smallest value of the element type, or an infinity. *)
  val sum : 'a seq -> 'a Exp.t
  val min : 'a seq -> 'a Exp.t
  val max : 'a seq -> 'a Exp.t
  (* Of equal lengths, as interleave *)
  val dot : 'a seq * 'a seq -> 'a Exp.t
  (* 1 and nan for an empty s *)
  val product : 'a seq -> 'a Exp.t
  val mean : 'a seq -> real Exp.t
  val minmax : 'a seq -> 'a Exp.t * 'a Exp.t
  val mapReduce : ('a Exp.t -> 'b Exp.t) -> ('b Exp.t * 'b Exp.t -> 'b Exp.t) -> 'b -> 'a seq -> 'b Exp.t
  (* As Seq.iterate: f need not be associative, and may depend on the lambda's arguments. *)
  val iterate : 'b Type.t -> ('b Exp.t * 'a Exp.t -> 'b Exp.t) -> 'b -> 'a seq -> 'b Exp.t
  (* The number of elements for which f holds, and if it holds for all or for any of them. *)
  val count : ('a Exp.t -> bool Exp.t) -> 'a seq -> int Exp.t
  val all : ('a Exp.t -> bool Exp.t) -> 'a seq -> bool Exp.t
  val any : ('a Exp.t -> bool Exp.t) -> 'a seq -> bool Exp.t

  (* ---- positions and comparisons. An order depends on its two arguments alone. *)

  (* The position of the first element for which f holds, of the first largest and the first smallest element; ~1 if there is none *)
  val findIndex : ('a Exp.t -> bool Exp.t) -> 'a seq -> int Exp.t
  val argmax : ('a Exp.t * 'a Exp.t -> bool Exp.t) -> 'a seq -> int Exp.t
  val argmin : ('a Exp.t * 'a Exp.t -> bool Exp.t) -> 'a seq -> int Exp.t
  val equal : ('a Exp.t * 'b Exp.t -> bool Exp.t) -> 'a seq * 'b seq -> bool Exp.t
  val isSorted : ('a Exp.t * 'a Exp.t -> bool Exp.t) -> 'a seq -> bool Exp.t
  (* ~1, 0 or 1 for LESS, EQUAL or GREATER *)
  val collate : ('a Exp.t * 'a Exp.t -> bool Exp.t) -> 'a seq * 'a seq -> int Exp.t
end
