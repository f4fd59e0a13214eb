(* The signature SEQUENCE of 15-210, and the fused functions of its EXTRA. Two things differ: lambdas work on expressions (see EXP), and a
   function has an argument of type 'a Type.t if ML cannot know the type of its elements. An order is a function that is true if its
   first argument comes before the second, such as Exp.<.

   Costs are work; span, for lambdas of cost O(1): n is the length of s, m that of t. A delayed sequence costs nothing until it is computed.
   Then map, mapIdx, zip, zipWith, enum, rev, append, subseq, take, drop and update cost no pass of their own: what reads
   them computes their elements. reduce, scan and filter are one pass together with what feeds them.

   Range is Subscript of the Basis and Size is Size of the Basis. Functions raise them at the call, unless a comment says otherwise. *)
signature SEQUENCE =
sig
  type 'a seq
  type 'a t = 'a seq
  type 'a ord = 'a Exp.t * 'a Exp.t -> bool Exp.t
  datatype 'a listview = NIL | CONS of 'a * 'a seq
  datatype 'a treeview = EMPTY | ONE of 'a | PAIR of 'a seq * 'a seq
  exception Range
  exception Size

  (* Element i; Range. Computes that element only. 1; 1 *)
  val nth : 'a seq -> int -> 'a
  (* The length of a filter is computed once. 1; 1 *)
  val length : 'a seq -> int
  (* n; n *)
  val toList : 'a seq -> 'a list
  (* <1,2,3>, with elements formatted by the function. n; n *)
  val toString : ('a -> string) -> 'a seq -> string
  (* True if the lengths are equal and f holds for each pair of elements. min (n, m); log *)
  val equal : ('a Exp.t * 'a Exp.t -> bool Exp.t) -> 'a seq * 'a seq -> bool

  val empty : 'a Type.t -> 'a seq
  (* singleton ty x, $ ty x: <x> *)
  val singleton : 'a Type.t -> 'a -> 'a seq
  val $ : 'a Type.t -> 'a -> 'a seq
  (* tabulate f n: <f 0, ..., f (n - 1)>. Size if n is negative. n; 1 *)
  val tabulate : (int Exp.t -> 'a Exp.t) -> int -> 'a seq
  (* n; n *)
  val fromList : 'a Type.t -> 'a list -> 'a seq
  val % : 'a Type.t -> 'a list -> 'a seq

  (* n; 1. append: n + m; 1 *)
  val rev : 'a seq -> 'a seq
  val append : 'a seq * 'a seq -> 'a seq
  (* The elements of all sequences of s, one after another. It computes their lengths at the call, and copies no element if they are parts
     of one sequence, one after another. sum (1 + length); log n *)
  val flatten : 'a seq seq -> 'a seq

  (* n; 1. mapIdx f s: <f (0, s[0]), ...> *)
  val map : ('a Exp.t -> 'b Exp.t) -> 'a seq -> 'b seq
  val mapIdx : (int Exp.t * 'a Exp.t -> 'b Exp.t) -> 'a seq -> 'b seq
  (* To the shorter length. min (n, m); 1 *)
  val zip : 'a seq * 'b seq -> ('a * 'b) seq
  val zipWith : ('a Exp.t * 'b Exp.t -> 'c Exp.t) -> 'a seq * 'b seq -> 'c seq
  (* <(0, s[0]), (1, s[1]), ...>. n; 1 *)
  val enum : 'a seq -> (int * 'a) seq
  (* The elements, in order, for which f holds; f of filterIdx has the position, too. The length is not known until a call computes it.
     n; log n *)
  val filter : ('a Exp.t -> bool Exp.t) -> 'a seq -> 'a seq
  val filterIdx : (int Exp.t * 'a Exp.t -> bool Exp.t) -> 'a seq -> 'a seq

  (* update (s, (i, x)): s with x instead of element i; Range. n; 1 *)
  val update : 'a seq * (int * 'a) -> 'a seq
  (* inject (s, t): the same for each (i, x) of t; the last of equal positions wins, every time. Range if the result is computed. n + m; 1 *)
  val inject : 'a seq * (int * 'a) seq -> 'a seq

  (* subseq s (start, length), the first k and all but the first k elements. Size for a negative length, as of take s ~1 and drop s (length s + 1);
     otherwise Range. 1; 1 *)
  val subseq : 'a seq -> int * int -> 'a seq
  val take : 'a seq -> int -> 'a seq
  val drop : 'a seq -> int -> 'a seq
  (* The first element and the rest; the halves. 1; 1 *)
  val splitHead : 'a seq -> 'a listview
  val splitMid : 'a seq -> 'a treeview

  (* f (... f (f (b, s[0]), s[1]) ..., s[n-1]): one kernel, whose only thread runs a loop over s. n; n *)
  val iterate : 'b Type.t -> ('b Exp.t * 'a Exp.t -> 'b Exp.t) -> 'b -> 'a seq -> 'b
  (* (<x0, ..., x(n-1)>, xn) with x0 = b, x(i+1) = f (xi, s[i]); and <x1, ..., xn>. One thread goes through s and stores them. If f captures
     sequences, a few kernels compute the states at every 2^k-th element first, then those between them. n; n *)
  val iteratePrefixes : 'b Type.t -> ('b Exp.t * 'a Exp.t -> 'b Exp.t) -> 'b -> 'a seq -> 'b seq * 'b
  val iteratePrefixesIncl : 'b Type.t -> ('b Exp.t * 'a Exp.t -> 'b Exp.t) -> 'b -> 'a seq -> 'b seq

  (* For these three, f must be associative, and b its identity. A single operation with an identity, such as Exp.+, may have any start, which counts
     once, before s[0], as in the edition of SEQUENCE that folds from b. n; log n *)

  (* s[0] f s[1] f ... f s[n-1]; b for an empty s. Computes; see Scalar for the lazy form, which fuses with others. *)
  val reduce : ('a Exp.t * 'a Exp.t -> 'a Exp.t) -> 'a -> 'a seq -> 'a
  (* (prefixes, total): prefixes[i] = s[0] f ... f s[i-1]. The prefixes stay delayed, the total is computed. *)
  val scan : ('a Exp.t * 'a Exp.t -> 'a Exp.t) -> 'a -> 'a seq -> 'a seq * 'a
  (* prefixes[i] = s[0] f ... f s[i] *)
  val scanIncl : ('a Exp.t * 'a Exp.t -> 'a Exp.t) -> 'a -> 'a seq -> 'a seq

  (* The order of these must be a strict weak order that depends on its arguments alone. *)

  (* Stable: equal elements keep their order. n log n; log^2 n *)
  val sort : 'a ord -> 'a seq -> 'a seq
  (* The elements of both in order, if both are in order; otherwise their order is unspecified. Of equal elements, those of the first come
     first. n + m; log (n + m) *)
  val merge : 'a ord -> 'a seq * 'a seq -> 'a seq
  (* The values of each key, in their order, by ascending keys. It computes the groups at the call. n log n; log^2 n *)
  val collect : 'a ord -> ('a * 'b) seq -> ('a * 'b seq) seq
  (* The lexicographic order. min (n, m); log *)
  val collate : 'a ord -> 'a seq * 'a seq -> order
  (* The first position of a largest element; Range if s is empty. n; log n *)
  val argmax : 'a ord -> 'a seq -> int
end

(* SEQUENCE and the fused functions: a map, followed by the function in the rest of the name. *)
signature EXTRA =
sig
  include SEQUENCE

  val mapReduce : ('a Exp.t -> 'b Exp.t) -> ('b Exp.t * 'b Exp.t -> 'b Exp.t) -> 'b -> 'a seq -> 'b
  val mapScan : ('a Exp.t -> 'b Exp.t) -> ('b Exp.t * 'b Exp.t -> 'b Exp.t) -> 'b -> 'a seq -> 'b seq * 'b
  val mapScanIncl : ('a Exp.t -> 'b Exp.t) -> ('b Exp.t * 'b Exp.t -> 'b Exp.t) -> 'b -> 'a seq -> 'b seq
  val mapFilter : ('a Exp.t -> 'b Exp.t) -> ('b Exp.t -> bool Exp.t) -> 'a seq -> 'b seq
  val mapFilterIdx : (int Exp.t * 'a Exp.t -> 'b Exp.t) -> (int Exp.t * 'b Exp.t -> bool Exp.t) -> 'a seq -> 'b seq
  val mapMerge : ('a Exp.t -> 'b Exp.t) -> 'b ord -> 'a seq * 'a seq -> 'b seq
end
