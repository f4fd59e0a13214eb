(* The public structures. *)
structure Warpfold : WARPFOLD = Warpfold
structure Context :> CONTEXT where type t = Context.t = Context
structure Type :> TYPE where type 'a t = 'a Type.t = Type
structure Exp :> EXP where type 'a t = 'a Trace.exp where type 'a seq = 'a Rep.seq where type 'a lazy = 'a Rep.scalar = Exp
structure Seq :> SEQ where type 'a seq = 'a Rep.seq where type any = Seq.any = Seq
structure Scalar :> SCALAR where type 'a t = 'a Rep.scalar where type 'a seq = 'a Seq.seq where type any = Seq.any = Scalar
structure Random :> RANDOM where type 'a seq = 'a Seq.seq where type 'a scalar = 'a Rep.scalar = Random
structure Inner :> INNER where type 'a outer = 'a Seq.seq where type 'a seq = 'a Inner.seq = Inner
structure Search :> SEARCH where type 'a seq = 'a Seq.seq = Search
structure Order :> ORDER where type 'a seq = 'a Seq.seq = Order
structure Numbers :> NUMBERS where type 'a seq = 'a Seq.seq = Numbers
structure Segments :> SEGMENTS where type 'a seq = 'a Seq.seq = Segments
structure Keep :> AXES = Keep
structure Along :> ALONG = Along
structure Files :> FILES where type any = Seq.any = Files
structure RandomMatrix :> RANDOM_MATRIX = RandomMatrix
structure Blas :> BLAS = Blas
structure Linear :> LINEAR = Linear
structure Matrix :> MATRIX = Matrix
structure Tensor :> TENSOR
  where type 'a t = 'a Tensor.t where type 'a seq = 'a Seq.seq where type 'a scalar = 'a Scalar.t
  where type 'a inner = 'a Inner.seq where type any = Seq.any
  where type Part.part = Tensor.Part.part = Tensor
structure Cell :> CELL where type 'a seq = 'a Seq.seq where type 'a tensor = 'a Tensor.t = Cell
structure Jit :> JIT where type 'a seq = 'a Seq.seq where type 'a scalar = 'a Scalar.t where type 'a tensor = 'a Tensor.t
  where type ('a, 'b) value = ('a, 'b) Jit.value = Jit
structure Gradient :> GRADIENT where type ('a, 'b) value = ('a, 'b) Jit.value where type 'a scalar = 'a Scalar.t = Gradient
structure Lambdas : LAMBDAS = Lambdas
structure Native :> NATIVE where type 'a seq = 'a Seq.seq = Native
