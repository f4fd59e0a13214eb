(* Arrays of any rank from 0 to 8: immutable and lazy, as sequences are. A shape is a list of extents, axis 0 first. Elements are in row-major
   order: the last index counts fastest. An axis is a number from 0, or from ~1 for the last axis backwards. 'a t is a sequence with a shape:
   fromSeq and toSeq cost nothing. Matrix has the Basis's names for rank 2; Along and Keep combine elements along axes.

       val a = Tensor.tabulate (fn indices => List.foldl Exp.+ (Exp.int 0) indices) [3, 4]
       val b = let open Tensor.Infix Tensor.Part in a * I 2 + Tensor.slice [At 0] a end

   Functions of elements are lambdas, as for Seq. Two arrays are broadcast to one shape by NumPy's rules: their last axes correspond, and an axis
   of extent 1, or one that an array lacks at the front, is repeated. Size states both shapes. Nothing is computed until values are read, and
   elementwise functions, views and reductions fuse. Views copy nothing. *)
signature TENSOR =
sig
  type 'a t
  type shape = int list

  (* ---- making; in the default context *)

  (* The elements of s in row-major order; at most one extent may be ~1: it is computed. Size unless the lengths are equal. *)
  val fromSeq : shape -> 'a Seq.seq -> 'a t
  val toSeq : 'a t -> 'a Seq.seq
  val fromScalar : 'a Scalar.t -> 'a t
  (* The only element; Size if there are others. *)
  val toScalar : 'a t -> 'a Scalar.t
  val fromList : 'a Type.t -> shape -> 'a list -> 'a t
  val fromArray : 'a Type.t -> shape -> 'a array -> 'a t
  (* A copy of C's memory: element [i, j, ...] is at i * strides[0] + j * strides[1] + ... from each address, one per column. *)
  val fromPointers : 'a Type.t -> {shape : shape, strides : int list} -> CApi.pointer list -> 'a t
  (* The DLManagedTensor of another library at this address, of any strides, on the host or on the context's GPU, without a copy. It is taken over, and
     its deleter is called after the last use, or if this raises Warpfold Type for elements of another type. toDlpack computes the elements and returns a
     new one in host memory, which nobody may write to; its owner calls its deleter. *)
  val fromDlpack : 'a Type.t -> CApi.pointer -> 'a t
  val toDlpack : 'a t -> CApi.pointer
  (* One element, of rank 0, to be broadcast *)
  val scalar : 'a Type.t -> 'a -> 'a t
  val fill : 'a Type.t -> 'a -> shape -> 'a t
  (* 0, 1, 2, ... *)
  val iota : shape -> int t
  (* Element [i, j, ...] is f [i, j, ...]. *)
  val tabulate : (int Exp.t list -> 'a Exp.t) -> shape -> 'a t
  (* One after another along an axis, with all other extents equal; stack makes a new axis there. *)
  val join : int -> 'a t list -> 'a t
  val stack : int -> 'a t list -> 'a t

  (* ---- properties *)

  val shape : 'a t -> shape
  val rank : 'a t -> int
  val length : 'a t -> int          (* the number of elements *)
  val extent : int -> 'a t -> int   (* along an axis *)
  (* The distance of neighbours along each axis, in elements of the row-major order *)
  val strides : 'a t -> int list
  (* True if the shapes are equal *)
  val conforms : 'a t * 'b t -> bool

  (* ---- elementwise *)

  val map : ('a Exp.t -> 'b Exp.t) -> 'a t -> 'b t
  val mapi : (int Exp.t list * 'a Exp.t -> 'b Exp.t) -> 'a t -> 'b t
  (* The arrays are broadcast to one shape. *)
  val zip : 'a t * 'b t -> ('a * 'b) t
  val unzip : ('a * 'b) t -> 'a t * 'b t
  val zipWith : ('a Exp.t * 'b Exp.t -> 'c Exp.t) -> 'a t * 'b t -> 'c t
  val zipWith3 : ('a Exp.t * 'b Exp.t * 'c Exp.t -> 'd Exp.t) -> 'a t * 'b t * 'c t -> 'd t
  (* cond (c, a, b): elements of a where c is true, else of b *)
  val cond : bool t * 'a t * 'a t -> 'a t
  (* clamp (low, high) a: low for elements below it, high for those above it. nan becomes high; if high is below low, all become low. *)
  val clamp : 'a * 'a -> 'a t -> 'a t
  (* The greater one of each element and 0; and the elements themselves, as NumBirch's pos *)
  val rectify : 'a t -> 'a t
  val pos : 'a t -> 'a t
  (* The operators of Exp.Infix on arrays; I 2, R 2.0 and B true are arrays of rank 0. *)
  structure Infix :
    sig
      val I : int -> int t
      val R : real -> real t
      val B : bool -> bool t
      val + : 'a t * 'a t -> 'a t
      val - : 'a t * 'a t -> 'a t
      val * : 'a t * 'a t -> 'a t
      val / : 'a t * 'a t -> 'a t
      val ~ : 'a t -> 'a t
      val div : 'a t * 'a t -> 'a t
      val mod : 'a t * 'a t -> 'a t
      val < : 'a t * 'a t -> bool t
      val <= : 'a t * 'a t -> bool t
      val > : 'a t * 'a t -> bool t
      val >= : 'a t * 'a t -> bool t
      val == : 'a t * 'a t -> bool t
      val <> : 'a t * 'a t -> bool t
      val && : bool t * bool t -> bool t
      val || : bool t * bool t -> bool t
    end

  (* ---- views *)

  val reshape : shape -> 'a t -> 'a t
  val broadcast : shape -> 'a t -> 'a t
  (* Axis k of the result is axis axes[k]. *)
  val permute : int list -> 'a t -> 'a t
  (* The last two axes exchanged *)
  val transpose : 'a t -> 'a t
  (* One part per axis; axes without a part are whole. Numbers below 0 count from the end. Subscript if a part is not inside. *)
  structure Part :
    sig
      datatype part =
          All
        | At of int           (* one index: the result lacks the axis *)
        | From of int         (* from this index on *)
        | To of int           (* up to this index, without it *)
        | Range of int * int  (* from the first up to the second, without it *)
        | Step of int option * int option * int  (* from, up to, step: Python's from:to:step *)
        | New                 (* a new axis of extent 1 *)
    end
  val slice : Part.part list -> 'a t -> 'a t
  (* In the reverse order along these axes *)
  val flip : int list -> 'a t -> 'a t
  (* rotate axis k a: the element at i along the axis moves to i + k, modulo the extent. *)
  val rotate : int -> int -> 'a t -> 'a t
  (* translate outside distances a: element [i, j, ...] is a[i - distances[0], j - distances[1], ...], or `outside` where that is not an element
     of a. The shape stays. A distance may be negative, and larger than the extent. *)
  val translate : 'a -> int list -> 'a t -> 'a t
  (* Parts of these extents along an axis, whose sum is its extent *)
  val split : int -> int list -> 'a t -> 'a t list
  (* diagonal k a: elements [..., i, i + k] of the last two axes; none if k is outside *)
  val diagonal : int -> 'a t -> 'a t
  (* windows [h, w] a: for each position of a window of these extents on the last axes, the elements in it, on as many new last axes *)
  val windows : shape -> 'a t -> 'a t
  (* Element [i, j, ...] is the one at the row-major index offset + i * strides[0] + j * strides[1] + ... *)
  val view : {offset : int, shape : shape, strides : int list} -> 'a t -> 'a t

  (* ---- in lambdas *)

  (* An element of a captured array. An index outside raises Subscript when the result is computed. *)
  val at : 'a t * int Exp.t list -> 'a Exp.t
  (* The elements along the last axis at these indices of the other axes *)
  val inner : 'a t * int Exp.t list -> 'a Inner.seq

  (* ---- values *)

  (* Element [i, j, ...]; Subscript. Computes that element only. *)
  val sub : 'a t * int list -> 'a
  (* The only element; Size if there are others. *)
  val value : 'a t -> 'a
  (* In row-major order *)
  val toList : 'a t -> 'a list
  val toArray : 'a t -> 'a array
  (* A function that reads the computed elements without a copy; see Seq.reader. *)
  val reader : 'a t -> int list -> 'a
  (* True if the shapes are equal and f holds for each pair of elements *)
  val equal : ('a Exp.t * 'a Exp.t -> bool Exp.t) -> 'a t * 'a t -> bool
  (* All elements, in aligned columns, a line per row *)
  val toString : ('a -> string) -> 'a t -> string
  (* For the toplevel: the same, shortened in the middle; computes nothing. *)
  val describe : 'a t -> string

  val any : 'a t -> Seq.any
  val typeOf : 'a t -> 'a Type.t
  val release : 'a t -> unit
end
