(* A sequence, a scalar or an array of any type; for Graph and Files. *)

type t = Seq : ('a, 'b) Seq.t -> t | Scalar : ('a, 'b) Scalar.t -> t | Ndarray : ('rank, 'a, 'b) Ndarray.t -> t

let handle = function Seq s -> s.Node.handle | Scalar x -> x.Node.handle | Ndarray a -> a.Node.handle
