(** Lazily fused parallel sequences, on the cores of a CPU or on an NVIDIA GPU.

    {[
      open Warpfold

      let s = Seq.init 1_000_000 Expr.(fun i -> cast Dtype.f32 i)
      let squares = Seq.map Expr.(fun x -> x * x) s
      let sum = Scalar.get (Seq.reduce Expr.( + ) 0. squares)
    ]}

    [Seq.init], [map] and [reduce] only note what is asked for; [Scalar.get] computes it, here in one pass that stores nothing. *)

(** {1 Errors} *)

type code = Call.code =
  | Argument  (** an unusable argument, a closed context *)
  | Type  (** types or numbers of columns do not fit *)
  | Memory  (** memory is exhausted, after garbage was collected; everything is usable as before *)
  | Compile  (** a function or a kernel does not compile *)
  | Device  (** no such device, or it failed *)
  | Unsupported  (** the engine cannot do that *)
  | Io  (** a file cannot be read *)
  | Internal  (** a fault of the library *)

(** With a message that names the function, the argument, the types and lengths involved, and what would be right. Lengths that
    do not fit and indices outside raise [Invalid_argument] instead, as they do in the standard library. *)
exception Error of code * string

(** {1 Modules} *)

module Context = Context
module Dtype = Dtype
module Expr = Expr
module Scalar = Scalar
module Seq = Seq
module Foreign = Foreign

(** {1 Several at once} *)

include module type of struct
  include Graph
end

(** The library's version. *)
val version : unit -> string
