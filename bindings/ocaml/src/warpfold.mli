(** Lazily fused parallel sequences, on the cores of a CPU or on an NVIDIA GPU.

    {[
      open Warpfold

      let s = Seq.init 1_000_000 Expr.(fun i -> cast Dtype.f32 i)
      let squares = Seq.map Expr.(fun x -> x * x) s
      let sum = Scalar.get (Seq.reduce Expr.( + ) 0. squares)
    ]}

    [Seq.init], [map] and [reduce] only build a graph; [Scalar.get] computes it, here in one pass that stores no sequence. *)

(** {1 Errors} *)

type code = Call.code =
  | Argument  (** an invalid argument or a closed context *)
  | Type  (** types or numbers of columns do not match *)
  | Memory  (** memory is exhausted even after a garbage collection; everything stays usable *)
  | Compile  (** a function or a kernel does not compile *)
  | Device  (** the device does not exist or failed *)
  | Unsupported  (** the engine cannot do that *)
  | Io  (** a file cannot be read *)
  | Internal  (** a bug in the library *)
  | Canceled  (** the computation was ended by {!Context.cancel}; everything is usable as before *)

(** The message names the function, the argument, the types and lengths involved, and the expected ones. Mismatched lengths and
    indices out of range raise [Invalid_argument] instead, as in the standard library. *)
exception Error of code * string

(** {1 Modules}

    [open Warpfold] hides the standard library's [Seq] and [Random]; [Stdlib.Seq] and [Stdlib.Random] still name them. *)

module Context = Context
module Dtype = Dtype
module Expr = Expr
module Scalar = Scalar
module Seq = Seq
module Nested = Nested
module Ndarray = Ndarray
module Axes = Axes
module Cell = Cell
module Jit = Jit
module Gradient = Gradient
module Files = Files
module Linalg = Linalg
module Random = Random
module Random_matrix = Random_matrix
module Inner = Inner
module Foreign = Foreign
module Captured = Captured

(** {1 Several sequences, scalars and arrays} *)

include module type of struct
  include Graph
end

(** The library's version. *)
val version : unit -> string
