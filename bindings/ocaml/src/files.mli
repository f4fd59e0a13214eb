(** Arrays in files: NumPy's .npy and .npz, .csv and .png.

    The end of the path states the format, or [format]: ["npy"], ["npz"], ["csv"] or ["png"]. The system's errors and damaged files raise
    [Warpfold.Error] with code [Io], formats that the library was built without [Unsupported]. *)

(* Printed types name a module as it is named here: Warpfold.Expr for Warpfold__Expr. Dune finds dependencies by the
   short names in [needed]. *)

type needed := Expr.int * (unit, unit) Dtype.t * Context.t * (unit, unit) Axes.t * (unit, unit, unit) Ndarray.t [@@warning "-34"]
module Expr := Warpfold__Expr
module Dtype := Warpfold__Dtype
module Context := Warpfold__Context
module Axes := Warpfold__Axes
module Ndarray := Warpfold__Ndarray

(** [read \[ -1; 3 \] Dtype.f32 "points.npy"] is a matrix of three columns, read as f32; -1 stands for any extent. A .npy file is memory-mapped
    and read on demand, and must not shrink meanwhile. [name] selects an array of a .npz file with several. A .csv file is a matrix, whose
    first line is dropped if it has no number. A .png file has the pixels as u8, height x width, or height x width x channels.
    @raise Invalid_argument if the array has another shape. *)
val read :
  ?context:Context.t ->
  ?format:string ->
  ?name:string ->
  (int, 'rank) Axes.t ->
  ('a, ([< ('a, _, _) Expr.value Expr.scalar ] as 'b)) Dtype.t ->
  string ->
  ('rank, 'a, 'b) Ndarray.t

(** Computes the array and writes it as .npy or .png; the latter of u8. A file that exists is replaced when the new one is complete. *)
val write : ?format:string -> string -> ('rank, 'a, [< ('a, _, _) Expr.value Expr.scalar ]) Ndarray.t -> unit

(** Computes the arrays together and writes them under these names. *)
val write_npz : string -> (string * Graph.any) list -> unit

(** The names of the arrays in a .npz file. *)
val names : string -> string list
