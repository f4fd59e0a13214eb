(* Arrays in files. *)
structure FileTests =
struct
  open Arrays

  fun inFile ending f =
    let
      val name = OS.FileSys.tmpName ()
      val path = name ^ ending
      fun leave () = (OS.FileSys.remove name; OS.FileSys.remove path handle OS.SysErr _ => ())
    in
      f path handle e => (leave (); raise e);
      leave ()
    end
  fun isIo (name, path) call =
    raises "IO.Io"
      (fn IO.Io {name = n, function, cause = Warpfold.Warpfold {code = Warpfold.Io, ...}} => n = path andalso function = name | _ => false)
      call

  fun run () =
    (test "files: npy" (fn () =>
       each [[17], [3, 17], [2, 3, 5], []] (fn (shape, a) => inFile ".npy" (fn path =>
         (Files.write path a;
          isArray (shape, expected shape) (Files.read Type.int path);
          areReals (shape, real o expected shape) (Files.read Type.real path)))));
     test "files: npz" (fn () => inFile ".npz" (fn path =>
       let val (a, b) = (example ([3, 4], false), ofReals (example ([17], true)))
       in
         Files.writeNamed path [("a", Tensor.any a), ("others", Tensor.any b)];
         list (fn s => s) (["a", "others"], Files.names path);
         isArray ([3, 4], expected [3, 4]) (Files.readNamed Type.int (path, "a"));
         areReals ([17], real o expected [17]) (Files.readNamed Type.real (path, "others"));
         warpfold (Warpfold.Argument, "Files.readNamed") (fn () => Files.readNamed Type.int (path, "b"))
       end));
     test "files: csv" (fn () => inFile ".csv" (fn path =>
       let val file = TextIO.openOut path
       in
         TextIO.output (file, "x,y\n1,2.5\n-3,4e2\n");
         TextIO.closeOut file;
         areReals ([2, 2], fn [i, j] => List.nth ([1.0, 2.5, ~3.0, 400.0], 2 * i + j) | _ => 0.0) (Files.read Type.real path)
       end));
     test "files: png" (fn () =>
       List.app
         (fn shape => inFile ".png" (fn path =>
            (Files.write path (Tensor.map (fn x => Exp.cast Type.word8 x) (example (shape, false)));
             isArray (shape, fn indices => expected shape indices mod 256) (Tensor.map (Exp.cast Type.int) (Files.read Type.word8 path)))))
         [[17, 31], [3, 5, 3], [3, 5, 4]]);
     test "files: errors" (fn () =>
       (isIo ("Files.read", "/no/such.npy") (fn () => Files.read Type.int "/no/such.npy");
        isIo ("Files.write", "/no/such.npy") (fn () => Files.write "/no/such.npy" (Tensor.iota [3]));
        isIo ("Files.names", "/no/such.npz") (fn () => Files.names "/no/such.npz");
        warpfold (Warpfold.Argument, "Files.read") (fn () => Files.read Type.int "/tmp/x.nothing");
        warpfold (Warpfold.Type, "one scalar type") (fn () => Files.read (Type.pair (Type.int, Type.int)) "x.npy"))))
end
