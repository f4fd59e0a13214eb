(* Cells on handles. The handle of a cell's value is its own: another one, reachable or not yet collected, would keep the old elements. *)
structure Cell =
struct
  open Core

  datatype 'a t = Cell of {slot : Platform.cell ref, context : Context.t, ty : 'a Type.t, shape : int list ref}

  (* A cell for a reference that the caller owns. *)
  fun owner p = cell {from = [], make = fn _ => p, give = CApi.wf_release, isRecorded = false}
  fun retained [p] = (CApi.wf_retain p; p)
    | retained _ = raise Match

  (* The reference of a slot, which nothing else uses. *)
  fun taken (name, slot) = using (name, [slot], retained) before Platform.release slot

  fun new (name, a) =
    let
      val shape = Tensor.shapeOf (name, a)
      val s = Tensor.seqOf a
      val () = force (name, [cellOf s], contextOf s)
    in
      Cell {slot = ref (owner (using (name, [cellOf s], retained))), context = contextOf s, ty = typeOf s, shape = ref shape}
    end

  fun tensor (name, Cell {slot, context, ty, shape}) =
    Tensor.ofShape (sequence (name, context, ty, [!slot], retained, false), !shape)

  (* Computes and assigns the sequence of a reference that the caller owns. *)
  fun replace (name, Cell {slot, context, ...}, value) =
    (scratch (fn out =>
       let
         val () = setPointer (out, 0, taken (name, !slot))
         fun assign () = slot := owner (getPointer (out, 0))
       in
         checkMemory (name, fn () => CApi.wf_replace (value, out)) handle e => (assign (); CApi.wf_release value; raise e);
         assign ()
       end);
     watchBytes (Context.liveBytes context))

  (* `others`: further operands of the function, of the cell's shape. *)
  fun update (name, c as Cell {slot, ty, ...}, (function, result), others) =
    let
      val () = Type.checkValues (name, ty, result)
      val n = 1 + List.length others
      fun mapped handles =
        Trace.withFunction (name, function, List.drop (handles, n)) (fn f =>
          pointers (List.take (handles, n), fn (array, n) => handleOf (name, fn out => CApi.wf_map (f, array, n, out))))
    in
      replace (name, c, using (name, !slot :: others @ Trace.captures function, mapped))
    end

  fun new' a = new ("Cell.new", a)
  fun ofSeq s = new ("Cell.ofSeq", Tensor.ofSeq s)
  fun get c = tensor ("Cell.get", c)
  fun toSeq c = Tensor.flat ("Cell.toSeq", tensor ("Cell.toSeq", c))
  fun set (c as Cell {shape, ...}, a) =
    let
      val name = "Cell.set"
      val s = Tensor.seqOf a
    in
      replace (name, c, using (name, [cellOf s], retained));
      shape := Tensor.shapeOf (name, a)
    end
  fun updateWith f (c as Cell {ty, shape, ...}, a) =
    let
      val name = "Cell.updateWith"
      val common = Shape.broadcast (name, !shape, Tensor.shapeOf (name, a))
      val () =
        if common = !shape then ()
        else
          raise failure
            (Size, name ^ ": the result has the shape " ^ Shape.toString common ^ "; expected the cell's, " ^ Shape.toString (!shape))
      val other = Tensor.seqOf (Tensor.broadcastTo (name, a, common))
    in
      update (name, c, function2 (name, f, ty, typeOf other), [cellOf other])
    end
  val update = fn f => fn (c as Cell {ty, ...}) => update ("Cell.update", c, function1 ("Cell.update", f, ty), [])
  val new = new'
end
