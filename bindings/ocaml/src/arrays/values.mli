(** Properties and elements of arrays; part of {!Ndarray}. *)

(* Printed types name a module as it is named here: Warpfold.Expr for Warpfold__Expr. Dune finds dependencies by the
   short names in [needed]. *)

type needed := Expr.int * (unit, unit) Dtype.t * Context.t * (unit, unit) Axes.t [@@warning "-34"]
module Expr := Warpfold__Expr
module Dtype := Warpfold__Dtype
module Context := Warpfold__Context
module Axes := Warpfold__Axes

type ('rank, 'a, 'b) t = ('rank, 'a, 'b) Node.t

(** The extents. If [a] is a sequence that depends on a filter, the filter runs. *)
val shape : ('r, 'a, 'b) t -> (int, 'r) Axes.t

(** The distance of neighbours along each axis, in elements, in the row-major order of {!Ndarray.to_array}. *)
val strides : ('r, 'a, 'b) t -> (int, 'r) Axes.t

(** Returns true if both have the same shape. *)
val conforms : ('r, 'a, 'b) t -> ('s, 'c, 'd) t -> bool

(** The number of elements. *)
val length : ('r, 'a, 'b) t -> int

val dtype : ('r, 'a, 'b) t -> ('a, 'b) Dtype.t
val context : ('r, 'a, 'b) t -> Context.t

(** Returns true if the array has been computed; a view that is not row-major and dense has not. *)
val is_manifest : ('r, 'a, 'b) t -> bool

(** Computes the elements. [Warpfold.force] computes several arrays together. *)
val force : ('r, 'a, 'b) t -> unit

(** Releases the array without waiting for the garbage collector; see {!Seq.release}. *)
val release : ('r, 'a, 'b) t -> unit

(** {2 Elements} *)

(** [get a \[ i; j \]], computed.
    @raise Invalid_argument for an index out of range. *)
val get : ('r, 'a, 'b) t -> (int, 'r) Axes.t -> 'a

(** [at a \[ i; j \]] is an element of a captured array inside a traced function, as {!Expr.at}. Each index is checked when it is computed; views
    and elementwise functions need no checks. *)
val at : ('r, 'a, 'b) t -> (Expr.int, 'r) Axes.t -> 'b

(** The elements in row-major order. *)
val to_array : ('r, 'a, 'b) t -> 'a array

(** The rows of a matrix. *)
val to_arrays : (Axes.rank2, 'a, 'b) t -> 'a array array

(** {2 Bigarrays}

    Of either layout, with the elements at the indices that {!Ndarray.of_array2} reads. The memory is that of the array on the CPU engine, in the
    Fortran layout that of its transpose, and must not be written to: what came from a bigarray of the Fortran layout, or was transposed, is not
    copied. *)

val to_array2 :
  'layout Bigarray.layout ->
  (Axes.rank2, 'a, [< ('a, 'x, 'e) Expr.value Expr.scalar ]) t ->
  ('x, 'e, 'layout) Bigarray.Array2.t

val to_array3 :
  'layout Bigarray.layout ->
  (Axes.rank3, 'a, [< ('a, 'x, 'e) Expr.value Expr.scalar ]) t ->
  ('x, 'e, 'layout) Bigarray.Array3.t

val to_genarray :
  'layout Bigarray.layout -> ('r, 'a, [< ('a, 'x, 'e) Expr.value Expr.scalar ]) t -> ('x, 'e, 'layout) Bigarray.Genarray.t

(** {2 DLPack} *)

(** Computes the array and returns the address of a new [DLManagedTensor], in row-major order, in the memory of its context, without a copy. Nobody may
    write to it. The caller, or the tensor's last owner, calls its deleter. [versioned] asks for a [DLManagedTensorVersioned] of DLPack 1. [stream] is
    the CUDA stream of the reader, whose later work waits for the elements. *)
val to_dlpack : ?versioned:bool -> ?stream:int -> ('r, 'a, [< ('a, _, _) Expr.value Expr.scalar ]) t -> nativeint

(** {2 Printing} *)

(** Nested brackets with aligned columns. Along each axis of more than [limit] elements (8 by default), the middle is left out. [element] prints
    one element. Computes the elements that it shows. *)
val to_string : ?element:('a -> string) -> ?limit:int -> ('r, 'a, 'b) t -> string

(** For the toplevel: the elements if they have been computed, floats with six digits; else the type and the shape. Computes nothing. *)
val pp : Format.formatter -> ('r, 'a, 'b) t -> unit
[@@ocaml.toplevel_printer]
