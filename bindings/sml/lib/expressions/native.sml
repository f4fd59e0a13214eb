structure Native =
struct
  open Core

  datatype ('a, 'b) t = Native of {function : cell, result : 'b Type.t, parameters : 'a Type.t}

  fun codes ty = List.map Type.code (Type.scalars ty)
  (* Addresses of C functions are not valid in another process, so only CUDA C++ is recorded. *)
  fun made (name, parameters, result, from, isRecorded, call) =
    let
      fun make handles = handleOf (name, fn out => call (handles, out))
    in
      Native
        {function = inherited (name, fn () =>
           cell {from = from, make = make, give = CApi.wf_fn_release, isRecorded = isRecorded}),
         result = result, parameters = parameters}
    end

  fun c {name, address, parameters, result} =
    case codes result of
      [one] =>
        made ("Native.c", parameters, result, [], false, fn (_, out) =>
          int32Array (codes parameters, fn (types, n) => CApi.wf_fn_foreign (text name, address, types, n, int32 one, out)))
    | _ => raise failed (Warpfold.Type, "Native.c: the result type is " ^ Type.name result ^ "; expected a scalar type")

  (* Calls f with a C string in C memory, which exists while f runs. *)
  fun cString (s, f) =
    room (String.size s + 1, fn p =>
      (CharVector.appi (fn (k, c) => #set word8 (p, k, Byte.charToByte c)) s; #set word8 (p, String.size s, 0w0); f p))

  (* A wf_block: name, function, user, destroy, param_types, result_types, then n_params and n_results in one word. *)
  fun block {name, address, user, parameters, result} =
    made ("Native.block", parameters, result, [], false, fn (_, out) =>
      int32Array (codes parameters, fn (types, _) => int32Array (codes result, fn (results, _) => cString (name, fn name =>
        scratch (fn fields =>
          (ignore (List.foldl (fn (x, k) => (setPointer (fields, k, x); k + 1)) 0 [name, address, user, null, types, results]);
           setInt32 (fields, 12, Type.width parameters);
           setInt32 (fields, 13, Type.width result);
           CApi.wf_fn_block (fields, out)))))))

  fun cuda {name, text = source, parameters, result, host} =
    let
      val from = case host of NONE => [] | SOME (Native {function, ...}) => [function]
    in
      made ("Native.cuda", parameters, result, from, true, fn (handles, out) =>
        int32Array (codes parameters, fn (types, n) => int32Array (codes result, fn (results, m) =>
          CApi.wf_fn_source (text name, text source, types, n, results, m, case handles of [] => null | host :: _ => host, out))))
    end

  fun map (Native {function, result, ...}) s =
    make ("Native.map", contextOf s, result, [function, cellOf s], fn (handles, out) =>
      pointers (List.tl handles, fn (array, n) => CApi.wf_map (List.hd handles, array, n, out)))
end
