module Raw = Warpfold_raw

type any = Any.t =
  | Seq : ('a, 'b) Seq.t -> any
  | Scalar : ('a, 'b) Scalar.t -> any
  | Ndarray : ('rank, 'a, 'b) Ndarray.t -> any

type format = Text | Dot

let bytes_to_compute = function
  | Seq s -> if Node.is_manifest s then None else Some (fun () -> Node.bytes s)
  | Ndarray a -> if Node.is_manifest a then None else Some (fun () -> Node.bytes a)
  | Scalar _ -> None

let named name f = Call.named "" name f

let compute name compute_handles anys =
  named name (fun () ->
      match anys with
      | [] -> ()
      | _ ->
          let pending = List.filter_map bytes_to_compute anys in
          compute_handles (List.map Any.handle anys);
          List.iter (fun bytes -> Handle.grew (bytes ())) pending)

let force = compute "force" Node.force_handles
let wait = compute "wait" Node.wait_for_handles

let explain ?(format = Text) anys =
  let code = match format with Text -> 0 | Dot -> 1 in
  named "explain" (fun () -> Handle.use_seqs (List.map Any.handle anys) (fun array n -> Call.text (Raw.explain array n code)))
