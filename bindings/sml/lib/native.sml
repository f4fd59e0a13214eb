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
