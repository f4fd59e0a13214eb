(* Sequences: immutable, and lazy. A call that makes a sequence checks its arguments and records the operation. A call that returns values
   computes the sequence, in as few passes over memory as fusion allows, and the sequence keeps its elements: they are computed at most
   once.

   'a seq is a sequence of elements of an SML type that has a Type.t: int, real, bool, words, tuples of these. Lambdas work on
   expressions (see EXP); n is the length of s. Costs are work; span, for a lambda of cost O(1).

   Errors are those of WARPFOLD. The call itself raises those that are named here.

   Poly/ML: a program made by polyc, or a saved state, inherits the sequences of the process that compiled or saved it. A
   sequence is recreated at its first use there, from its record: its list or a copy of its array (of up to 1048576 elements), the
   function of fromFunction, and up to 1000 operations. The use of a sequence without such a record raises Warpfold Argument. *)
signature SEQ =
sig
  type 'a seq

  (* ---- sequences without an input sequence, in the default context *)

  (* tabulate f n: f 0, ..., f (n - 1). Size if n is negative. n; 1 *)
  val tabulate : (int Exp.t -> 'a Exp.t) -> int -> 'a seq
  (* n equal elements; takes no memory. *)
  val fill : 'a Type.t -> 'a -> int -> 'a seq
  val empty : 'a Type.t -> 'a seq
  val singleton : 'a Type.t -> 'a -> 'a seq
  (* The bytes of a file as elements of a scalar type, memory-mapped and read on demand. The file must not shrink while the sequence
     exists. IO.Io; Size if the file's size is not a multiple of the element's. *)
  val fromFile : 'a Type.t -> string -> 'a seq

  (* ---- copies from ML to sequences and back, in bulk: no call of C per element *)

  val fromList : 'a Type.t -> 'a list -> 'a seq
  val fromArray : 'a Type.t -> 'a array -> 'a seq
  (* f 0, ..., f (n - 1), computed by ML: f can be any function. Writes to C memory and makes no array. *)
  val fromFunction : 'a Type.t -> (int -> 'a) -> int -> 'a seq
  (* Elements of a scalar type as C has them, in the machine's order of bytes; one memcpy. Size if the number of bytes is no multiple of
     the element's size, Warpfold Type for tuples. *)
  val fromBytes : 'a Type.t -> Word8Array.array -> 'a seq
  val toBytes : 'a seq -> Word8Array.array
  val copyBytes : 'a seq -> Word8Array.array -> unit  (* to an array of that many bytes; Size *)
  (* fromPointers ty (addresses, n): n elements of C's memory, one address a column, as C has them; and back. One memcpy a
     column. Addresses are Foreign.Memory.voidStar in Poly/ML, MLton.Pointer.t in MLton. *)
  val fromPointers : 'a Type.t -> CApi.pointer list * int -> 'a seq
  val toPointers : 'a seq -> CApi.pointer list -> unit
  val toList : 'a seq -> 'a list
  val toArray : 'a seq -> 'a array
  (* reader s computes s and returns a function i -> element that reads its memory without a copy; Subscript. Each read costs a
     few nanoseconds. The function keeps the memory, even after `release s`. *)
  val reader : 'a seq -> int -> 'a
  (* <1,2,3>, with elements formatted by the function *)
  val toString : ('a -> string) -> 'a seq -> string

  (* ---- element by element: n; 1. Size if the lengths of the sequences differ. *)

  val map : ('a Exp.t -> 'b Exp.t) -> 'a seq -> 'b seq
  val zipWith : ('a Exp.t * 'b Exp.t -> 'c Exp.t) -> 'a seq * 'b seq -> 'c seq
  (* A sequence of tuples has one column per component, so these cost nothing. *)
  val zip : 'a seq * 'b seq -> ('a * 'b) seq
  val zip3 : 'a seq * 'b seq * 'c seq -> ('a * 'b * 'c) seq
  val zip4 : 'a seq * 'b seq * 'c seq * 'd seq -> ('a * 'b * 'c * 'd) seq
  val unzip : ('a * 'b) seq -> 'a seq * 'b seq
  val unzip3 : ('a * 'b * 'c) seq -> 'a seq * 'b seq * 'c seq
  val unzip4 : ('a * 'b * 'c * 'd) seq -> 'a seq * 'b seq * 'c seq * 'd seq

  (* ---- over all elements: n; log n. f must be associative, b its identity. *)

  (* s[0] f s[1] f ... f s[n-1]; b for an empty s. Computes; see Scalar for the lazy form, which fuses with others. *)
  val reduce : ('a Exp.t * 'a Exp.t -> 'a Exp.t) -> 'a -> 'a seq -> 'a
  (* (prefixes, total): prefixes[i] = s[0] f ... f s[i-1]. The prefixes stay lazy, the total is computed. *)
  val scan : ('a Exp.t * 'a Exp.t -> 'a Exp.t) -> 'a -> 'a seq -> 'a seq * 'a
  (* prefixes[i] = s[0] f ... f s[i] *)
  val scanIncl : ('a Exp.t * 'a Exp.t -> 'a Exp.t) -> 'a -> 'a seq -> 'a seq
  (* The elements for which f holds, in order. The length is unknown until a call computes it. *)
  val filter : ('a Exp.t -> bool Exp.t) -> 'a seq -> 'a seq

  (* ---- orders: n log n; log^2 n for sorts, n; log n for merges. All are stable: equal elements keep their order. *)

  (* sort less s: less (x, y) is true if x comes before y, a strict weak order that depends on x and y alone. *)
  val sort : ('a Exp.t * 'a Exp.t -> bool Exp.t) -> 'a seq -> 'a seq
  (* Numbers by value, ~0.0 before 0.0, nan after every number, false before true; tuples by their components, one after another. These
     orders are faster than functions. Elements that are equal keep their order in `descending`, too. *)
  val ascending : 'a seq -> 'a seq
  val descending : 'a seq -> 'a seq
  (* In the order of key x, a scalar or a tuple. *)
  val ascendingBy : ('a Exp.t -> 'b Exp.t) -> 'a seq -> 'a seq
  val descendingBy : ('a Exp.t -> 'b Exp.t) -> 'a seq -> 'a seq
  (* The elements of both in one order, if both are in that order; else their order is unspecified. Of equal elements, those of the first
     come first. *)
  val merge : ('a Exp.t * 'a Exp.t -> bool Exp.t) -> 'a seq * 'a seq -> 'a seq
  val mergeAscending : 'a seq * 'a seq -> 'a seq
  val mergeDescending : 'a seq * 'a seq -> 'a seq

  (* ---- scattered elements: n + u; 1 for u updates, and u log u more if f combines floating-point numbers. The results are the same every
     time. An index outside raises Subscript when the result is computed. *)

  (* inject (s, updates): s with its element i replaced by x for each (i, x) of the updates. The last of equal indices wins. *)
  val inject : 'a seq * (int * 'a) seq -> 'a seq
  (* scatter f (s, updates): s with its element s[i] replaced by f (s[i], x) for each (i, x), in order. f is one of + * min max andb orb xorb,
     on each component of a tuple. *)
  val scatter : ('a Exp.t * 'a Exp.t -> 'a Exp.t) -> 'a seq * (int * 'a) seq -> 'a seq
  (* histogram bins s: the number of elements of s that are k, for each k from 0 to bins - 1. s has integers. n + bins; log n *)
  val histogram : int -> 'a seq -> int seq

  (* ---- parts. A function that needs the length of a filtered sequence computes it. 1; 1 *)

  val length : 'a seq -> int          (* of a filtered sequence: computed once *)
  (* Element i; Subscript. Computes that element only. *)
  val nth : 'a seq -> int -> 'a
  (* subseq s (start, length); Subscript *)
  val subseq : 'a seq -> int * int -> 'a seq
  val take : 'a seq -> int -> 'a seq  (* the first k elements, for take s k; Subscript *)
  val drop : 'a seq -> int -> 'a seq  (* all but the first k elements, for drop s k; Subscript *)
  val rev : 'a seq -> 'a seq
  val append : 'a seq * 'a seq -> 'a seq
  val concat : 'a Type.t -> 'a seq list -> 'a seq

  (* ---- computation and properties *)

  (* Sequences and scalars of any types, to be computed or explained together. *)
  type any
  val any : 'a seq -> any
  (* Computes all of them. Those that read the same data share passes over memory. *)
  val force : any list -> unit
  (* The plan, without running it: kernels, fused operations and their rules, bytes read and written. For computed sequences: the plan that
     computed them, with times. explainDot is the same as a graph for Graphviz. *)
  val explain : any list -> string
  val explainDot : any list -> string
  val isComputed : 'a seq -> bool
  (* NONE if the length depends on a filter that has not run *)
  val knownLength : 'a seq -> int option
  val typeOf : 'a seq -> 'a Type.t
  val contextOf : 'a seq -> Context.t
  (* One line for the toplevel; computes nothing. <unusable>: its context is closed. *)
  val describe : 'a seq -> string

  (* Releases the memory now. It is never needed, since the garbage collector releases it, too. Sequences made from s keep the memory that
     they need. Any later use of s raises Warpfold Argument. No other thread may use s during the call. *)
  val release : 'a seq -> unit
end
