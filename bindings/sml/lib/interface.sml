(* The public structures. *)
structure Warpfold : WARPFOLD = Warpfold
structure Context :> CONTEXT where type t = Context.t = Context
structure Type :> TYPE where type 'a t = 'a Type.t = Type
structure Exp :> EXP where type 'a t = 'a Exp.t = Exp
structure Random :> RANDOM = Random
structure Inner :> INNER where type 'a seq = 'a Inner.seq = Inner
structure Search :> SEARCH = Search
structure Order :> ORDER = Order
structure Numbers :> NUMBERS = Numbers
structure Segments :> SEGMENTS = Segments
structure Keep :> AXES = Keep
structure Along :> ALONG = Along
structure Files :> FILES = Files
structure RandomMatrix :> RANDOM_MATRIX = RandomMatrix
structure Blas :> BLAS = Blas
structure Linear :> LINEAR = Linear
structure Matrix :> MATRIX = Matrix
structure Cell :> CELL = Cell
structure Gradient :> GRADIENT = Gradient
structure Jit :> JIT where type ('a, 'b) value = ('a, 'b) Jit.value = Jit
structure Native :> NATIVE = Native
structure Tensor :> TENSOR where type 'a t = 'a Tensor.t where type Part.part = Tensor.Part.part = Tensor
structure Scalar :> SCALAR where type 'a t = 'a Scalar.t = Scalar
structure Seq :> SEQ where type 'a seq = 'a Seq.seq where type any = Seq.any = Seq
structure Lambdas : LAMBDAS = Lambdas
