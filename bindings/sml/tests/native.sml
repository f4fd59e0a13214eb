(* Functions of C and CUDA C++. *)
structure NativeTests =
struct
  open Check
  val reals2 = Type.pair (Type.real, Type.real)
  fun hypot () = Native.c {name = "hypot", address = CFunctions.hypot, parameters = reals2, result = Type.real}
  fun source host =
    Native.cuda
      {name = "distance", text = "double distance(double x, double y) { return sqrt(x * x + y * y); }", parameters = reals2,
       result = Type.real, host = host}
  fun sides () = Seq.zip (RealSeq.fromList [3.0, 5.0], RealSeq.fromList [4.0, 12.0])
  (* C functions run only on the CPU. *)
  fun onCpu body () = Context.within (Context.create "cpu") body

  fun run () =
    (test "C's memory in and out" (fn () =>
       let
         val n = 100007
         val s = Seq.tabulate (fn i => Exp.pair (Exp.cast Type.real i, Exp.cast Type.word8 i)) n
         val (reals, bytes) = (Host.allocate (8 * n), Host.allocate n)
         val () = Seq.toPointers s [reals, bytes]
         val t = Seq.fromPointers (Type.pair (Type.real, Type.word8)) ([reals, bytes], n)
         val u = RealSeq.fromPointers ([reals], n)
       in
         Host.free reals;
         Host.free bytes;
         bool (true, ListPair.allEq (fn ((x, a), (y, b)) => Real.== (x, y) andalso a = b) (Seq.toList s, Seq.toList t));
         int (n - 1, Real.round (Seq.nth u (n - 1)));
         warpfold (Warpfold.Argument, "Seq.toPointers: there are 1 addresses for 2 columns") (fn () => Seq.toPointers s [reals])
       end);
     test "bytes in and out" (fn () =>
       let
         val n = 1000007
         fun byte i = Word8.fromInt (i mod 251)
         val bytes = Word8Array.tabulate (8 * n, byte)
         fun same (a, b) =
           Word8Array.length a = Word8Array.length b
           andalso Word8Array.foldli (fn (i, x, isSame) => isSame andalso x = Word8Array.sub (b, i)) true a
         val words = Word64Seq.fromBytes bytes
         fun shifted (i, w) = Word64.orb (Word64.<< (w, 0w8), Word64.fromLarge (Word8.toLarge (byte i)))
         val last = List.foldr shifted 0w0 (List.tabulate (8, fn k => 8 * (n - 1) + k))
         val reversed = Word8Array.array (8 * n, 0w0)
       in
         int (n, Seq.length words);
         bool (true, Seq.nth words (n - 1) = last);
         bool (true, same (bytes, Seq.toBytes words));
         bool (true, same (bytes, Seq.toBytes (Seq.rev (Seq.rev (Word8Seq.fromBytes bytes)))));
         Seq.copyBytes (Seq.rev (Word8Seq.fromBytes bytes)) reversed;
         bool (true, Word8Array.sub (reversed, 0) = byte (8 * n - 1) andalso Word8Array.sub (reversed, 8 * n - 1) = byte 0);
         bool (true, same (bytes, Seq.toBytes (RealSeq.fromBytes bytes)));
         reals ([1.0, ~2.0], Seq.toList (RealSeq.fromBytes (Seq.toBytes (RealSeq.fromList [1.0, ~2.0]))));
         bool (true, Seq.toList (BoolSeq.fromBytes (Word8Array.fromList [0w0, 0w1, 0w7])) = [false, true, true]);
         int (0, Word8Array.length (Seq.toBytes (RealSeq.fromBytes (Word8Array.fromList []))));
         size (fn () => RealSeq.fromBytes (Word8Array.array (12, 0w0)));
         contains ("12 bytes; expected a multiple of 8", Warpfold.lastMessage ());
         size (fn () => Seq.copyBytes words (Word8Array.array (8, 0w0)));
         warpfold (Warpfold.Type, "not (i") (fn () => Seq.toBytes (IntPairSeq.fromList [(1, 2)]))
       end);
     test "bytes at every distance of two blocks, modulo a page" (fn () =>
       let
         val length = 40960  (* with its header, the next array is 8 bytes further in its page *)
         val original = Word8Seq.fromFunction (fn i => Word8.fromInt (i mod 251)) length
         val arrays = List.tabulate (512, fn _ => Word8Array.array (length, 0w255))
         fun isCopied array = (Seq.copyBytes original array; Seq.equal Exp.== (original, Word8Seq.fromBytes array))
       in
         bool (true, List.all isCopied arrays);
         bool (true, Word8Array.foldli (fn (i, x, isSame) => isSame andalso x = Word8.fromInt (i mod 251)) true (List.last arrays))
       end);
     test "a copy to an array" (fn () =>
       let
         val n = 1000007
         val numbers = Array.array (n, 7)
         val pairs = Array.array (3, (0, 0))
         val bits = Array.array (2, true)
         val halves = Array.array (3, 0.0)
       in
         Seq.copyArray (Seq.tabulate (fn i => Exp.* (i, Exp.int 3)) n) numbers;
         bool (true, Array.foldli (fn (i, x, isSame) => isSame andalso x = 3 * i) true numbers);
         Seq.copyArray (IntPairSeq.fromList [(1, ~2), (3, 4), (5, 6)]) pairs;
         bool (true, Array.foldr op :: [] pairs = [(1, ~2), (3, 4), (5, 6)]);
         Seq.copyArray (BoolSeq.fromList [false, true]) bits;
         bool (true, Array.foldr op :: [] bits = [false, true]);
         Seq.copyArray (RealSeq.fromList [0.5, ~1.5, 2.5]) halves;
         reals ([0.5, ~1.5, 2.5], Array.foldr op :: [] halves);
         Seq.copyArray (IntSeq.fromList []) (Array.fromList []);
         size (fn () => Seq.copyArray (IntSeq.fromList [1, 2]) numbers);
         contains ("Seq.copyArray: the array has length 1000007, the sequence 2", Warpfold.lastMessage ())
       end);
     test "a C function" (onCpu (fn () =>
       let val lengths = Native.map (hypot ()) (sides ())
       in
         contains ("hypot", Seq.explain [Seq.any lengths]);
         reals ([18.0], [Seq.reduce Lambdas.add 0.0 lengths])
       end));
     test "a C function of singles" (onCpu (fn () =>
       let val root = Native.c {name = "sqrtf", address = CFunctions.sqrtf, parameters = Type.single, result = Type.single}
       in reals ([1.5], List.map Single.toReal (Seq.toList (Native.map root (SingleSeq.fromList [Single.fromReal 2.25])))) end));
     test "a C function of the wrong type" (onCpu (fn () =>
       warpfold (Warpfold.Type, "expected a scalar type") (fn () =>
         Native.c {name = "hypot", address = CFunctions.hypot, parameters = reals2, result = reals2})));
     test "a block function" (onCpu (fn () =>
       let
         val products =
           Native.block {name = "products", address = CFunctions.products, user = CFunctions.factor, parameters = Type.real,
                         result = reals2}
         val (product, quotient) = Seq.unzip (Native.map products (RealSeq.fromList [1.0, 2.0, ~6.0]))
       in
         contains ("products", Seq.explain [Seq.any product]);
         reals ([8.0, 16.0, ~48.0], Seq.toList product);
         reals ([0.125, 0.25, ~0.75], Seq.toList quotient)
       end));
     test "CUDA C++ with a C function for the CPU" (onCpu (fn () =>
       reals ([5.0, 13.0], Seq.toList (Native.map (source (SOME (hypot ()))) (sides ())))));
     test "CUDA C++ alone, on the CPU" (onCpu (fn () =>
       warpfold (Warpfold.Unsupported, "distance") (fn () => Seq.toList (Native.map (source NONE) (sides ()))))))
end
