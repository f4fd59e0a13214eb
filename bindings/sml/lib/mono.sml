(* Sequences of one element type: all of Seq, but without the argument Type.t, and the further names that
   StandardML-GPU gives to sequences. Its programs run with IntSeq for INTGPUSequence and FusedINTGPUSequence, RealSeq for
   FLOATGPUSequence, IntPairSeq for INTTUPLEGPUSequence, SeqArray for GPUArray and Lambdas for GPUINTLambdas. *)
functor MonoSeq (type elem val ty : elem Type.t) =
struct
  open Seq

  fun fill b n = Seq.fill ty b n
  fun all b n = Seq.fill ty b n
  fun empty () = Seq.empty ty
  fun singleton x = Seq.singleton ty x
  fun $ x = Seq.singleton ty x
  fun % l = Seq.fromList ty l
  fun fromFile path = Seq.fromFile ty path
  fun fromList l = Seq.fromList ty l
  fun fromArray a = Seq.fromArray ty a
  fun fromFunction f n = Seq.fromFunction ty f n
  fun fromBytes bytes = Seq.fromBytes ty bytes
  fun fromPointers memory = Seq.fromPointers ty memory
  fun concat parts = Seq.concat ty parts
  fun toArraySequence s = ArraySlice.full (Seq.toArray s)

  fun zipwith f (s, t) = Seq.zipWith f (s, t)
  (* Sequences never change, so there is no copy. *)
  fun makeCopy s = s
  fun mapForce s = (Seq.force [Seq.any s]; s)
  fun destroy s = Seq.release s
end

structure BoolSeq = MonoSeq (type elem = bool val ty = Type.bool)
structure Word8Seq = MonoSeq (type elem = Word8.word val ty = Type.word8)
structure Int32Seq = MonoSeq (type elem = Int32.int val ty = Type.int32)
structure Word32Seq = MonoSeq (type elem = Word32.word val ty = Type.word32)
structure IntSeq = MonoSeq (type elem = int val ty = Type.int)
structure Int64Seq = MonoSeq (type elem = Int64.int val ty = Type.int64)
structure Word64Seq = MonoSeq (type elem = Word64.word val ty = Type.word64)
structure SingleSeq = MonoSeq (type elem = Single.t val ty = Type.single)
structure RealSeq = MonoSeq (type elem = real val ty = Type.real)
structure CharSeq =
struct
  structure Chars = MonoSeq (type elem = char val ty = Type.char)
  open Chars

  fun fromString s = fromBytes (Word8Array.tabulate (String.size s, fn i => Byte.charToByte (String.sub (s, i))))
  fun implode s = Byte.unpackString (Word8ArraySlice.full (Seq.toBytes s))
end
structure IntPairSeq = MonoSeq (type elem = int * int val ty = Type.pair (Type.int, Type.int))

(* Copies from and to ML arrays, with StandardML-GPU's names. *)
structure SeqArray =
struct
  fun initInt n b = Seq.fill Type.int b n
  fun initFloat n b = Seq.fill Type.real b n
  fun fromIntArray a = Seq.fromArray Type.int a
  fun fromRealArray a = Seq.fromArray Type.real a
  fun toIntArray (s : int Seq.seq) = Seq.toArray s
  fun toRealArray (s : real Seq.seq) = Seq.toArray s

  fun copyIntoIntArray (host : int array) s = Seq.copyArray s host
  fun copyIntoRealArray (host : real array) s = Seq.copyArray s host

  fun copy s = s
  fun getSize s = Seq.length s
  fun destroy s = Seq.release s
end

(* Arrays of one element type, without the argument Type.t. *)
functor MonoTensor (type elem val ty : elem Type.t) =
struct
  open Tensor

  fun fromList shape l = Tensor.fromList ty shape l
  fun fromArray shape a = Tensor.fromArray ty shape a
  fun fromPointers layout memory = Tensor.fromPointers ty layout memory
  fun scalar x = Tensor.scalar ty x
  fun fill x shape = Tensor.fill ty x shape
end
functor MonoMatrix (type elem val ty : elem Type.t) =
struct
  open Matrix

  fun fromList rows = Matrix.fromList ty rows
  fun fromArray2 a = Matrix.fromArray2 ty a
  fun eye n = Matrix.eye ty n
end

structure BoolTensor = MonoTensor (type elem = bool val ty = Type.bool)
structure Word8Tensor = MonoTensor (type elem = Word8.word val ty = Type.word8)
structure Int32Tensor = MonoTensor (type elem = Int32.int val ty = Type.int32)
structure IntTensor = MonoTensor (type elem = int val ty = Type.int)
structure SingleTensor = MonoTensor (type elem = Single.t val ty = Type.single)
structure RealTensor = MonoTensor (type elem = real val ty = Type.real)
structure BoolMatrix = MonoMatrix (type elem = bool val ty = Type.bool)
structure Word8Matrix = MonoMatrix (type elem = Word8.word val ty = Type.word8)
structure Int32Matrix = MonoMatrix (type elem = Int32.int val ty = Type.int32)
structure IntMatrix = MonoMatrix (type elem = int val ty = Type.int)
structure SingleMatrix = MonoMatrix (type elem = Single.t val ty = Type.single)
structure RealMatrix = MonoMatrix (type elem = real val ty = Type.real)
