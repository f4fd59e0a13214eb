structure Native =
struct
  open Core

  type 'a seq = 'a Rep.seq
  datatype ('a, 'b) t = Native of {function : cell, result : 'b Type.t, parameters : 'a Type.t}

  fun codes ty = List.map Type.code (Type.scalars ty)
  fun made (parameters, result, call) =
    Native {function = cell (handleOf call, Door.wf_fn_release), result = result, parameters = parameters}

  fun c {name, address, parameters, result} =
    case codes result of
      [one] =>
        int32Array (codes parameters, fn (types, n) =>
          made (parameters, result, fn out => Door.wf_fn_foreign (text name, address, types, n, int32 one, out)))
    | _ =>
        raise Warpfold {code = Warpfold.Type, message = "Native.c: a C function has one scalar result, not " ^ Type.name result}

  (* f of a C string in C's memory, as long as f runs. *)
  fun cString (s, f) =
    room (String.size s + 1, fn p =>
      (CharVector.appi (fn (k, c) => #set word8 (p, k, Byte.charToByte c)) s; #set word8 (p, String.size s, 0w0); f p))

  (* A wf_block: name, function, user, destroy, param_types, result_types, then n_params and n_results in one word. *)
  fun block {name, address, user, parameters, result} =
    int32Array (codes parameters, fn (types, _) => int32Array (codes result, fn (results, _) => cString (name, fn name =>
      scratch (fn fields =>
        (ignore (List.foldl (fn (x, k) => (setPointer (fields, k, x); k + 1)) 0 [name, address, user, null, types, results]);
         setInt32 (fields, 12, Type.width parameters);
         setInt32 (fields, 13, Type.width result);
         made (parameters, result, fn out => Door.wf_fn_block (fields, out)))))))

  fun cuda {name, text = source, parameters, result, host} =
    let
      fun withHost f =
        case host of
          NONE => f null
        | SOME (Native {function, ...}) => using ([function], fn handles => f (List.hd handles))
    in
      int32Array (codes parameters, fn (types, n) => int32Array (codes result, fn (results, m) => withHost (fn host =>
        made (parameters, result, fn out => Door.wf_fn_source (text name, text source, types, n, results, m, host, out)))))
    end

  fun map (Native {function, result, ...}) s =
    using ([function], fn handles =>
      fromAll ([cellOf s], contextOf s, result, fn (array, n, out) => Door.wf_map (List.hd handles, array, n, out)))
end
