type code = Call.code = Argument | Type | Memory | Compile | Device | Unsupported | Io | Internal | Canceled

exception Error = Call.Error

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
include Graph

let version = Warpfold_raw.version
