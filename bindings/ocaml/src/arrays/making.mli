(** Arrays from functions and from the host; part of {!Ndarray}. *)

(* Printed types name a module as it is named here: Warpfold.Expr for Warpfold__Expr. Dune finds dependencies by the
   short names in [needed]. *)

type needed := Expr.int * (unit, unit) Dtype.t * Context.t * (unit, unit) Axes.t [@@warning "-34"]
module Expr := Warpfold__Expr
module Dtype := Warpfold__Dtype
module Context := Warpfold__Context
module Axes := Warpfold__Axes

type ('rank, 'a, 'b) t = ('rank, 'a, 'b) Node.t

(** r\[i, j, ...\] = f \[i; j; ...\]: [init \[ 3; 4 \] (fun \[ i; j \] -> Expr.(i * j))]. [f] is traced. Each kernel that reads the array
    computes the elements that it needs.
    @raise Invalid_argument for a negative extent. *)
val init :
  ?context:Context.t ->
  (int, 'rank) Axes.t ->
  ((Expr.int, 'rank) Axes.t -> ([< ('a, _, _) Expr.value Expr.scalar ] as 'r)) ->
  ('rank, 'a, 'r) t

(** [init] for functions that return tuples. *)
val init_to :
  ?context:Context.t -> ('a, 'b) Dtype.t -> (int, 'rank) Axes.t -> ((Expr.int, 'rank) Axes.t -> 'b) -> ('rank, 'a, 'b) t

(** All elements have one value. Takes no memory. *)
val fill : ?context:Context.t -> ('a, 'b) Dtype.t -> (int, 'rank) Axes.t -> 'a -> ('rank, 'a, 'b) t

(** [eye dtype n] is the unit matrix of n rows and columns. *)
val eye : ?context:Context.t -> ('a, ([< _ Expr.scalar ] as 'b)) Dtype.t -> int -> (Axes.rank2, 'a, 'b) t

(** 0, 1, 2, ... in row-major order. *)
val iota : ?context:Context.t -> (int, 'rank) Axes.t -> ('rank, int, Expr.int) t

(** The square matrix with the elements of a sequence on its diagonal, and 0 or false elsewhere. See {!Ndarray.diagonal}. *)
val of_diagonal : (Axes.rank1, 'a, ([< _ Expr.scalar ] as 'b)) t -> (Axes.rank2, 'a, 'b) t

(** The elements of an OCaml array in row-major order. Costs as {!Seq.of_array}.
    @raise Invalid_argument if its length is not that of the shape. At most one extent may be -1: it is computed. *)
val of_array : ?context:Context.t -> ('a, 'b) Dtype.t -> (int, 'rank) Axes.t -> 'a array -> ('rank, 'a, 'b) t

(** A matrix from its rows.
    @raise Invalid_argument if their lengths differ. *)
val of_arrays : ?context:Context.t -> ('a, 'b) Dtype.t -> 'a array array -> (Axes.rank2, 'a, 'b) t

(** {2 Bigarrays}

    Element \[i; j\] is that of the bigarray: [b.{i, j}] in the C layout, [b.{i + 1, j + 1}] in the Fortran layout. The memory is copied at memory
    speed. With [~copy:false], it is read in place, as by {!Seq.of_bigarray}, and must not be written to. An array of the Fortran
    layout is a view of its memory. *)

val of_array2 :
  ?context:Context.t ->
  ?copy:bool ->
  ('a, ([< ('a, 'x, 'e) Expr.value Expr.scalar ] as 'b)) Dtype.t ->
  ('x, 'e, 'layout) Bigarray.Array2.t ->
  (Axes.rank2, 'a, 'b) t

val of_array3 :
  ?context:Context.t ->
  ?copy:bool ->
  ('a, ([< ('a, 'x, 'e) Expr.value Expr.scalar ] as 'b)) Dtype.t ->
  ('x, 'e, 'layout) Bigarray.Array3.t ->
  (Axes.rank3, 'a, 'b) t

(** [of_genarray shape dtype b]: the shape, in which -1 stands for any extent, states the rank, which the type of [b] does not:
    [of_genarray \[ -1; -1; 3 \] Dtype.f32 b].
    @raise Invalid_argument if [b] has another shape. *)
val of_genarray :
  ?context:Context.t ->
  ?copy:bool ->
  (int, 'rank) Axes.t ->
  ('a, ([< ('a, 'x, 'e) Expr.value Expr.scalar ] as 'b)) Dtype.t ->
  ('x, 'e, 'layout) Bigarray.Genarray.t ->
  ('rank, 'a, 'b) t

(** {2 DLPack} *)

(** [of_dlpack shape dtype address] is the tensor of another library at this address, a [DLManagedTensor*], of any strides, on the host or on the context's
    GPU, without a copy. The library takes it over, and calls its deleter after the last use, or if this raises. [versioned] tells a
    [DLManagedTensorVersioned*] of DLPack 1. [stream] is the CUDA stream after whose present work a tensor on a GPU is complete, or -1. The shape is as for
    {!Ndarray.of_genarray}.
    @raise Invalid_argument if the tensor has another shape.
    @raise Warpfold.Error [Type] if it has other elements. *)
val of_dlpack :
  ?context:Context.t ->
  ?versioned:bool ->
  ?stream:int ->
  (int, 'rank) Axes.t ->
  ('a, ([< ('a, _, _) Expr.value Expr.scalar ] as 'b)) Dtype.t ->
  nativeint ->
  ('rank, 'a, 'b) t
