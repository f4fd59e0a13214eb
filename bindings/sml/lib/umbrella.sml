(* Warpfold contains all public structures: a program that has structures of the same names writes Warpfold.Seq and so on. *)
structure Warpfold =
struct
  open Warpfold
  structure Context = Context structure Single = Single structure Type = Type structure Exp = Exp structure Seq = Seq structure Inner = Inner
  structure Scalar = Scalar structure Search = Search structure Order = Order structure Numbers = Numbers structure Random = Random
  structure Segments = Segments structure Lambdas = Lambdas structure Native = Native structure Tensor = Tensor structure Along = Along
  structure Keep = Keep structure Cell = Cell structure Jit = Jit structure Gradient = Gradient structure Matrix = Matrix structure Files = Files
  structure Linear = Linear structure Blas = Blas structure RandomMatrix = RandomMatrix structure BoolSeq = BoolSeq structure Word8Seq = Word8Seq
  structure Int32Seq = Int32Seq structure Word32Seq = Word32Seq structure IntSeq = IntSeq structure Int64Seq = Int64Seq structure Word64Seq = Word64Seq
  structure SingleSeq = SingleSeq structure RealSeq = RealSeq structure CharSeq = CharSeq structure IntPairSeq = IntPairSeq structure SeqArray = SeqArray
  structure BoolTensor = BoolTensor structure Word8Tensor = Word8Tensor structure Int32Tensor = Int32Tensor structure IntTensor = IntTensor
  structure SingleTensor = SingleTensor structure RealTensor = RealTensor structure BoolMatrix = BoolMatrix structure Word8Matrix = Word8Matrix
  structure Int32Matrix = Int32Matrix structure IntMatrix = IntMatrix structure SingleMatrix = SingleMatrix structure RealMatrix = RealMatrix
  structure CApi = CApi
end
