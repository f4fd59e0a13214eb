structure Files =
struct
  open Tensor

  (* f (), with an error of the file as the Basis's exception *)
  fun reported (name, path, f) = f () handle e as Warpfold {code = Io, ...} => raise IO.Io {name = path, function = name, cause = e}

  fun from (name, ty, path, member) =
    let val scalar = int32 (Type.code (theScalar (name, ty)))
    in
      reported (name, path, fn () =>
        ofSeq (inContext (name, ty, [], fn (c, _, out) => CApi.wf_read_array (c, text path, text "", text member, scalar, out))))
    end
  fun read ty path = from ("Files.read", ty, path, "")
  fun readNamed ty (path, member) = from ("Files.readNamed", ty, path, member)
  fun names path =
    reported ("Files.names", path, fn () =>
      String.tokens (fn c => c = #"\n")
        (textOf (fn (buffer, capacity, needed) => check ("Files.names", CApi.wf_array_names (text path, buffer, capacity, needed)))))

  (* A string of C at this address; it takes its size and one byte more. *)
  fun storeString (p, s) =
    storeBytes (p, Word8Array.tabulate (String.size s + 1, fn i => if i < String.size s then Byte.charToByte (String.sub (s, i)) else 0w0))
  fun withStrings ([], f) = f []
    | withStrings (s :: rest, f) =
        room (String.size s + 1, fn p => (storeString (p, s); withStrings (rest, fn ps => f (p :: ps))))
  fun written (name, path, members : string list, arrays : Seq.any list) =
    reported (name, path, fn () =>
      using (name, List.map (List.hd o #1) arrays, fn handles =>
        withStrings (members, fn members => pointers (handles, fn (handles, n) => pointers (members, fn (members, _) =>
          checkMemory (name, fn () => CApi.wf_write_arrays (text path, text "", handles, members, n)))))))
  fun write path a = written ("Files.write", path, [""], [any a])
  fun writeNamed path (arrays : (string * Seq.any) list) = written ("Files.writeNamed", path, List.map #1 arrays, List.map #2 arrays)
end
