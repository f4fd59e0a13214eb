(* Variables that hold a computed array or sequence, and are updated in place where nothing can tell.

     val weights = Cell.new (RealTensor.fill 0.0 [100, 100])
     val () = Cell.updateWith (fn (w, g) => Exp.- (w, Exp.* (Exp.real 0.1, g))) (weights, gradient)
     val now = Cell.get weights

   One thread at a time may use a cell; what `get` returns is a value like any other. *)
signature CELL =
sig
  type 'a t

  (* Computes the array. *)
  val new : 'a Tensor.t -> 'a t
  val ofSeq : 'a Seq.seq -> 'a t
  (* The value. As long as it is reachable and not released, or anything is that was made from it and is not computed, updates are not in
     place. toSeq is the elements in row-major order. *)
  val get : 'a t -> 'a Tensor.t
  val toSeq : 'a t -> 'a Seq.seq
  (* Computes the array and assigns it. If this raises an exception, the cell is as before. *)
  val set : 'a t * 'a Tensor.t -> unit

  (* Replaces each element x by f x, or by f (x, y) where y is the element of the second array at the same index: set (c, map f (get c)), at
     once. The second array is broadcast to the cell's shape; Size if that is not possible. On the CPU, the new elements are written over the old ones
     if nothing else needs those and f checks no index; otherwise they get new memory. The values are the same. If this raises an
     exception, the cell is as before. Work n, span O(1). *)
  val update : ('a Exp.t -> 'a Exp.t) -> 'a t -> unit
  val updateWith : ('a Exp.t * 'b Exp.t -> 'a Exp.t) -> 'a t * 'b Tensor.t -> unit
end
