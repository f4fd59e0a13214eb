(* Shapes: lists of extents, axis 0 first. Messages begin with `name`, the name of the function that the program called. *)
structure Shape =
struct
  open Warpfold

  fun toString [] = "rank 0"
    | toString shape = String.concatWith " x " (List.map Int.toString shape)
  fun wrong (name, message) = failure (Size, name ^ ": " ^ message)
  fun outside (name, message) = failure (Subscript, name ^ ": " ^ message)
  fun argument (name, message) = failed (Argument, name ^ ": " ^ message)
  (* f (), with the name before messages of operations that refuse the type of an element *)
  fun named name f =
    f ()
    handle e as Warpfold {code = Type, message} =>
      if String.isPrefix "`" message then raise failed (Type, name ^ ": " ^ message) else raise e
  (* "there is 1 index", "there are 2 indices" *)
  fun there (1, one, _) = "there is 1 " ^ one
    | there (n, _, many) = "there are " ^ Int.toString n ^ " " ^ many

  val rank = List.length
  (* The number of elements *)
  fun length (name, shape) =
    if List.exists (fn n => n < 0) shape then
      raise wrong (name, "the shape is " ^ toString shape ^ "; expected extents that are not negative")
    else
      List.foldl Int.* 1 shape
      handle Overflow => raise wrong (name, "the shape " ^ toString shape ^ " has too many elements")
  fun numbers n = List.tabulate (n, fn k => k)

  (* Row-major: the last index counts fastest. *)
  fun strides shape = #2 (List.foldr (fn (n, (stride, strides)) => (stride * n, stride :: strides)) (1, []) shape)

  (* The axis that k names; ~1 is the last one. *)
  fun axis (name, shape, k) =
    let val n = rank shape
    in
      if k >= 0 andalso k < n then k
      else if k < 0 andalso k >= ~n then n + k
      else
        raise outside
          (name, "the axis is " ^ Int.toString k ^ ", but the shape is " ^ toString shape
                 ^ (if n = 0 then "" else "; expected an axis from " ^ Int.toString (~n) ^ " to " ^ Int.toString (n - 1)))
    end
  (* The axis that is added to a shape. *)
  fun newAxis (name, shape, k) =
    let val n = rank shape + 1
    in
      if k >= ~n andalso k < n then k mod n
      else
        raise outside
          (name, "the new axis is " ^ Int.toString k ^ ", but the shape is " ^ toString shape ^ "; expected an axis from "
                 ^ Int.toString (~n) ^ " to " ^ Int.toString (n - 1))
    end
  fun extent (name, shape, k) = List.nth (shape, axis (name, shape, k))
  fun atAxis change (name, shape, k) =
    let val k = axis (name, shape, k)
    in List.take (shape, k) @ change (List.nth (shape, k)) @ List.drop (shape, k + 1) end
  fun without arguments = atAxis (fn _ => []) arguments
  fun withExtent (name, shape, k, n) = atAxis (fn _ => [n]) (name, shape, k)

  (* The row-major index of an element. *)
  fun index (name, shape, indices) =
    let
      fun each (k, [], [], i) = i
        | each (k, n :: shape', j :: indices', i) =
            if j >= 0 andalso j < n then each (k + 1, shape', indices', i * n + j)
            else
              raise outside
                (name, "index " ^ Int.toString k ^ " is " ^ Int.toString j ^ ", but the extent of axis " ^ Int.toString k ^ " is "
                       ^ Int.toString n ^ " in the shape " ^ toString shape)
        | each _ =
            raise wrong
              (name, there (List.length indices, "index", "indices") ^ " for the shape " ^ toString shape
                     ^ "; expected " ^ Int.toString (rank shape))
    in
      each (0, shape, indices, 0)
    end

  (* The shape to which both can be broadcast, by NumPy's rules. *)
  fun broadcast (name, a, b) =
    let
      fun refuse (k, i, j) =
        raise wrong
          (name, "the shapes are " ^ toString a ^ " and " ^ toString b ^ ": axis ~" ^ Int.toString k ^ " has the extents "
                 ^ Int.toString i ^ " and " ^ Int.toString j ^ "; expected equal extents, or 1")
      fun each (_, [], rest) = rest
        | each (_, rest, []) = rest
        | each (k, i :: a, j :: b) = (if i = j orelse j = 1 then i else if i = 1 then j else refuse (k, i, j)) :: each (k + 1, a, b)
    in
      if a = b then a else List.rev (each (1, List.rev a, List.rev b))
    end
end
