(* Arrays in files. The path's ending is the format: npy and npz (NumPy's), csv (a matrix of numbers; reading only), png (bytes: height x
   width, or height x width x channels of gray and alpha, of red, green and blue, or of these and alpha). Errors: IO.Io with the system's
   reason or the damaged place of the file; Warpfold Argument for unknown formats and names, Unsupported if the library was built without
   libpng or zlib. *)
signature FILES =
sig
  (* The array in a file, with elements converted to this type. A file npy is memory-mapped if it can be, and read on demand: it must not
     shrink while the array exists. *)
  val read : 'a Type.t -> string -> 'a Tensor.t
  val write : string -> 'a Tensor.t -> unit

  (* An npz file has arrays under names: readNamed ty (path, name). writeNamed takes arrays made by Tensor.any and computes them together. *)
  val names : string -> string list
  val readNamed : 'a Type.t -> string * string -> 'a Tensor.t
  val writeNamed : string -> (string * Seq.any) list -> unit
end
