(** Views of arrays; part of {!Ndarray}.

    A view has no memory of its own: it is index arithmetic in the kernel that reads it, and a view of a view is one view. An axis is a number from
    0, or from -1 to count from the last axis. Axes, indices and shapes that do not exist raise [Invalid_argument]. *)

(* Printed types name a module as it is named here: Warpfold.Axes for Warpfold__Axes. Dune finds dependencies by the
   short names in [needed]. *)

type needed := (unit, unit) Axes.t [@@warning "-34"]
module Axes := Warpfold__Axes

type ('rank, 'a, 'b) t = ('rank, 'a, 'b) Node.t

(** The same elements in row-major order: [reshape \[ 3; 4 \] (Seq.iota 12)]. At most one extent may be -1: it is computed. *)
val reshape : (int, 's) Axes.t -> ('r, 'a, 'b) t -> ('s, 'a, 'b) t

(** The elements in row-major order as a sequence. *)
val flatten : ('r, 'a, 'b) t -> (Axes.rank1, 'a, 'b) t

(** The axes in reverse order: rows become columns. *)
val transpose : ('r, 'a, 'b) t -> ('r, 'a, 'b) t

(** Axis k of [permute axes a] is axis [axes.(k)] of [a]. *)
val permute : (int, 'r) Axes.t -> ('r, 'a, 'b) t -> ('r, 'a, 'b) t

(** Repeated to a shape by NumPy's rules: the last axes of both correspond; an axis of extent 1, and an axis that the array lacks at the front,
    is repeated. *)
val broadcast : (int, 's) Axes.t -> ('r, 'a, 'b) t -> ('s, 'a, 'b) t

(** [expand k a] has a further axis of extent 1 before axis k of [a]; -1 is the last axis of the result. [expand 0 s] is a row, [expand 1 s] a
    column of the elements of a sequence. *)
val expand : int -> ('r, 'a, 'b) t -> ('r Axes.axis, 'a, 'b) t

(** [like a b] is [b] with the rank of [a]: the axes that [b] lacks have extent 1, at the front. Functions of two arrays repeat them, so
    that arrays of different ranks are combined by NumPy's rules: [m - like m (mean (Axis 0) m)], [v * like v (sum All v)]. For an axis at
    another place, see {!expand}.
    @raise Invalid_argument if [b] has more axes than [a]. *)
val like : ('r, 'a, 'b) t -> ('s, 'c, 'd) t -> ('r, 'c, 'd) t

(** The part of an array that a list of one {!Parts.item} per axis selects: [slice \[ At (-1); All; From 1 \] a] has two axes. *)
val slice : ('r, 's) Parts.items -> ('r, 'a, 'b) t -> ('s, 'a, 'b) t

(** Row i and column j of a matrix. *)
val row : int -> (Axes.rank2, 'a, 'b) t -> (Axes.rank1, 'a, 'b) t

val column : int -> (Axes.rank2, 'a, 'b) t -> (Axes.rank1, 'a, 'b) t

(** r\[i\] = m\[i, i + offset\], for a negative offset below the main diagonal. *)
val diagonal : ?offset:int -> (Axes.rank2, 'a, 'b) t -> (Axes.rank1, 'a, 'b) t

(** [flip k a] has the elements along axis k in reverse order. *)
val flip : int -> ('r, 'a, 'b) t -> ('r, 'a, 'b) t

(** [roll k n a] moves each element by n places along axis k; those past the end reappear at the start. *)
val roll : int -> int -> ('r, 'a, 'b) t -> ('r, 'a, 'b) t

(** [windows k width a]: the vectors of [width] neighbours along axis k. They lie along a further last axis; axis k has [width - 1] elements
    less. Windows of a matrix: [windows 1 w (windows 0 h m)] of shape rows - h + 1 x columns - w + 1 x h x w. *)
val windows : int -> int -> ('r Axes.axis, 'a, 'b) t -> ('r Axes.axis Axes.axis, 'a, 'b) t

(** [translate \[ dy; dx \] a] moves each element: r\[i, j\] = a\[i - dy, j - dx\], and [outside] (0 or false by default) where that is not an
    element of [a]. The shape stays. Distances may be negative, and larger than the extents. See {!roll} for a move around the end. *)
val translate : ?outside:'a -> (int, 'r) Axes.t -> ('r, 'a, 'b) t -> ('r, 'a, 'b) t

(** [view ~offset shape strides a]: element \[i; j; ...\] is the one with the row-major index offset + i strides\[0\] + j strides\[1\] + ...;
    the offset is 0 by default. Strides count elements, and may be 0 or negative.
    @raise Invalid_argument if an element is outside of [a]. *)
val view : ?offset:int -> (int, 's) Axes.t -> (int, 's) Axes.t -> ('r, 'a, 'b) t -> ('s, 'a, 'b) t

(** [split k extents a]: the parts of these extents along axis k, in order; {!join} of them is [a]. Extents may be 0.
    @raise Invalid_argument unless their sum is the extent of [a]. *)
val split : int -> int list -> ('r Axes.axis, 'a, 'b) t -> ('r Axes.axis, 'a, 'b) t list

(** The arrays one after another along an axis; all other extents are equal. *)
val join : int -> ('r Axes.axis, 'a, 'b) t list -> ('r Axes.axis, 'a, 'b) t

(** The arrays along a further axis before axis k; their shapes are equal. *)
val stack : int -> ('r, 'a, 'b) t list -> ('r Axes.axis, 'a, 'b) t
