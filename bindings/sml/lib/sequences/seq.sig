(* Sequences: immutable, and lazy. A call that makes a sequence checks its arguments and records the operation. A call that returns values
   computes the sequence, in as few passes over memory as fusion allows, and the sequence keeps its elements. What it is made from is computed
   on the way, and again by the next call that needs it: the second time it is kept if it is still in use, unless its elements cost less than
   loads (docs/costs.md). Seq.now keeps a sequence from the start.

   'a seq is a sequence of elements of an SML type that has a Type.t: int, real, bool, words, tuples of these; or of sequences, see
   Segments. Lambdas work on expressions (see EXP); n is the length of s. Costs are work; span, for a lambda of cost O(1). The functions of
   15-210's SEQUENCE are in sequence.sig. Search, Order and Numbers have further functions of sequences.

   Errors are those of WARPFOLD. The call itself raises those that are named here.

   Poly/ML: a program made by polyc, or a saved state, inherits the sequences of the process that compiled or saved it. A
   sequence is recreated at its first use there, from its record: its list or a copy of its array (of up to 1048576 elements), the
   function of fromFunction, and up to 1000 operations. The use of a sequence without such a record raises Warpfold Argument. *)
signature SEQ =
sig
  include EXTRA  (* and SEQUENCE *)

  (* ---- sequences without an input sequence, in the default context *)

  (* 0, ..., n - 1; n equal elements. They take no memory. Size if n is negative. *)
  val iota : int -> int seq
  val fill : 'a Type.t -> 'a -> int -> 'a seq
  (* The bytes of a file as elements of a scalar type, memory-mapped and read on demand. The file must not shrink while the sequence
     exists. IO.Io; Size if the file's size is not a multiple of the element's. *)
  val fromFile : 'a Type.t -> string -> 'a seq

  (* ---- copies from ML to sequences and back, in bulk: no call of C per element *)

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
  val toArray : 'a seq -> 'a array
  val copyArray : 'a seq -> 'a array -> unit  (* to an array of that length; Size *)
  (* reader s computes s and returns a function i -> element that reads its memory without a copy; Subscript. A read costs a few
     nanoseconds in MLton, and some tens to hundreds in Poly/ML. The function keeps the memory, even after `release s`. *)
  val reader : 'a seq -> int -> 'a

  (* ---- tuples. Size if the lengths of the sequences differ. *)

  (* A sequence of tuples has one column per component, so these cost nothing. *)
  val zip3 : 'a seq * 'b seq * 'c seq -> ('a * 'b * 'c) seq
  val zip4 : 'a seq * 'b seq * 'c seq * 'd seq -> ('a * 'b * 'c * 'd) seq
  val unzip : ('a * 'b) seq -> 'a seq * 'b seq
  val unzip3 : ('a * 'b * 'c) seq -> 'a seq * 'b seq * 'c seq
  val unzip4 : ('a * 'b * 'c * 'd) seq -> 'a seq * 'b seq * 'c seq * 'd seq

  (* ---- orders: n log n; log^2 n for sorts, n; log n for merges. All are stable: equal elements keep their order. *)

  (* Numbers by value, ~0.0 before 0.0, nan after every number, false before true; tuples by their components, one after another. These
     orders are faster than functions. Elements that are equal keep their order in `descending`, too. *)
  val ascending : 'a seq -> 'a seq
  val descending : 'a seq -> 'a seq
  (* In the order of key x, a scalar or a tuple. *)
  val ascendingBy : ('a Exp.t -> 'b Exp.t) -> 'a seq -> 'a seq
  val descendingBy : ('a Exp.t -> 'b Exp.t) -> 'a seq -> 'a seq
  (* The merge of two sequences in that order *)
  val mergeAscending : 'a seq * 'a seq -> 'a seq
  val mergeDescending : 'a seq * 'a seq -> 'a seq

  (* The first position of a smallest element, as argmax of SEQUENCE. n; log n *)
  val argmin : 'a ord -> 'a seq -> int

  (* ---- scattered elements: n + u; 1 for u updates, and u log u more if f combines floating-point numbers in more than 128 elements. The
     results are the same every time. An index outside raises Subscript when the result is computed. *)

  (* scatter f (s, updates): s with its element s[i] replaced by f (s[i], x) for each (i, x), in order. f is one of + * min max andb orb xorb,
     on each component of a tuple. *)
  val scatter : ('a Exp.t * 'a Exp.t -> 'a Exp.t) -> 'a seq * (int * 'a) seq -> 'a seq
  (* histogram bins s: the number of elements of s that are k, for each k from 0 to bins - 1. s has integers. n + bins; log n *)
  val histogram : int -> 'a seq -> int seq

  (* ---- parts and arrangements: n; 1. A function that needs the length of a filtered sequence computes it. *)

  val concat : 'a Type.t -> 'a seq list -> 'a seq
  (* enum *)
  val enumerate : 'a seq -> (int * 'a) seq
  (* The elements for which f holds, and the others, in order. n; log n *)
  val partition : ('a Exp.t -> bool Exp.t) -> 'a seq -> 'a seq * 'a seq
  (* rotate s k: <s[k], ..., s[n-1], s[0], ..., s[k-1]>, with k modulo n *)
  val rotate : 'a seq -> int -> 'a seq
  (* <s[0], t[0], s[1], t[1], ...>; Size if the lengths differ *)
  val interleave : 'a seq * 'a seq -> 'a seq

  (* ---- computation and properties *)

  (* Sequences and scalars of any types, to be computed or explained together. *)
  type any
  val any : 'a seq -> any
  (* Computes all of them. Those that read the same data share passes over memory. *)
  val force : any list -> unit
  (* s, computed *)
  val now : 'a seq -> 'a seq
  (* As force, and returns when all elements are in memory, as a measurement of time needs. On a GPU, force may return while kernels still
     store elements; whatever reads these waits for them by itself. *)
  val wait : any list -> unit
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
