(* Sequences: immutable, and lazy. A call that makes a sequence checks its arguments and remembers what was asked for; asking
   for values computes what they need, in as few passes over memory as fusion allows, and keeps the sequence's own elements,
   so that nothing is computed twice through one sequence.

   'a seq is a sequence of elements of an SML type that has a Type.t: int, real, bool, words, tuples of these. Lambdas work on
   expressions (see EXP); n is the length of s, costs are work and span where a lambda costs O(1).

   Errors are those of WARPFOLD; those named here come from the call itself.

   Poly/ML: a program made by polyc, or a saved state, inherits the sequences of the process that compiled or saved it. A
   sequence is made again when it is first used there, from what is written down: its list, a copy of its array (each of up to
   1048576 elements), the function of fromFunction, and up to 1000 operations. Else using it raises Warpfold Argument. *)
signature SEQ =
sig
  type 'a seq

  (* ---- from nothing, in the default context *)

  (* tabulate f n: f 0, ..., f (n - 1). Size if n is negative. n; 1 *)
  val tabulate : (int Exp.t -> 'a Exp.t) -> int -> 'a seq
  (* n times the same element; takes no memory. *)
  val fill : 'a Type.t -> 'a -> int -> 'a seq
  val empty : 'a Type.t -> 'a seq
  val singleton : 'a Type.t -> 'a -> 'a seq
  (* The bytes of a file as elements of a scalar type, mapped and read as they are needed; the file must not get shorter while
     the sequence lives. IO.Io; Size if its size is no multiple of the element's. *)
  val fromFile : 'a Type.t -> string -> 'a seq

  (* ---- from the host and back; one bulk copy, no call an element *)

  val fromList : 'a Type.t -> 'a list -> 'a seq
  val fromArray : 'a Type.t -> 'a array -> 'a seq
  (* f 0, ..., f (n - 1), by the host: for what a traced lambda cannot compute. Writes to C's memory, makes no array. *)
  val fromFunction : 'a Type.t -> (int -> 'a) -> int -> 'a seq
  (* fromPointers ty (addresses, n): n elements of C's memory, one address a column, as C has them; and back. One memcpy a
     column. Addresses are Foreign.Memory.voidStar in Poly/ML, MLton.Pointer.t in MLton. *)
  val fromPointers : 'a Type.t -> Door.pointer list * int -> 'a seq
  val toPointers : 'a seq -> Door.pointer list -> unit
  val toList : 'a seq -> 'a list
  val toArray : 'a seq -> 'a array
  (* reader s computes s and returns a function i -> element that reads its memory without a copy; Subscript. Each read costs a
     few nanoseconds. The function keeps the memory, even after `release s`. *)
  val reader : 'a seq -> int -> 'a
  (* <1,2,3>, each element as the function shows it *)
  val toString : ('a -> string) -> 'a seq -> string

  (* ---- element by element: n; 1. Sequences side by side must have equal lengths: Size. *)

  val map : ('a Exp.t -> 'b Exp.t) -> 'a seq -> 'b seq
  val zipWith : ('a Exp.t * 'b Exp.t -> 'c Exp.t) -> 'a seq * 'b seq -> 'c seq
  (* Tuples are columns side by side; these cost nothing. *)
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
  (* The elements for which f holds, in order. The length is unknown until something asks for it. *)
  val filter : ('a Exp.t -> bool Exp.t) -> 'a seq -> 'a seq

  (* ---- parts. Those that need the length of a filtered sequence compute it. 1; 1 *)

  val length : 'a seq -> int          (* that of a filter is computed once *)
  (* Element i; Subscript. Computes that element only. *)
  val nth : 'a seq -> int -> 'a
  (* subseq s (start, length); Subscript *)
  val subseq : 'a seq -> int * int -> 'a seq
  val take : 'a seq -> int -> 'a seq  (* the first so many; Subscript *)
  val drop : 'a seq -> int -> 'a seq  (* all but the first so many; Subscript *)
  val rev : 'a seq -> 'a seq
  val append : 'a seq * 'a seq -> 'a seq
  val concat : 'a Type.t -> 'a seq list -> 'a seq

  (* ---- computing, and looking on *)

  (* Sequences and scalars of all types, to be computed or explained together. *)
  type any
  val any : 'a seq -> any
  (* Computes all of them, sharing passes over memory where they read the same data. *)
  val force : any list -> unit
  (* The plan, not run: kernels, what was fused and by which rule, bytes read and written. Of sequences that have been computed:
     how, with times. And the same for Graphviz. *)
  val explain : any list -> string
  val explainDot : any list -> string
  val isComputed : 'a seq -> bool
  (* NONE while only running a filter would tell *)
  val knownLength : 'a seq -> int option
  val typeOf : 'a seq -> 'a Type.t
  val contextOf : 'a seq -> Context.t
  (* One line for the toplevel; computes nothing. *)
  val describe : 'a seq -> string

  (* Gives the memory back now. The garbage collector does it otherwise, so this is never needed. What was made from s keeps
     what it needs; s itself raises Warpfold Argument from now on. No other thread may be using s. *)
  val release : 'a seq -> unit
end
