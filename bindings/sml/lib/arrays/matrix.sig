(* Matrices: arrays of rank 2, with the names of the Basis's Array2. They are immutable. Size if an array has another rank. *)
signature MATRIX =
sig
  datatype traversal = datatype Array2.traversal

  (* The lists are rows; Size unless they have one length. *)
  val fromList : 'a Type.t -> 'a list list -> 'a Tensor.t
  val fromArray2 : 'a Type.t -> 'a Array2.array -> 'a Tensor.t
  (* tabulate f (r, c): element (i, j) is f (i, j). *)
  val tabulate : (int Exp.t * int Exp.t -> 'a Exp.t) -> int * int -> 'a Tensor.t
  (* n rows with 1 on the diagonal and 0 elsewhere *)
  val eye : 'a Type.t -> int -> 'a Tensor.t
  (* A vector on the diagonal, and 0 elsewhere *)
  val ofDiagonal : 'a Tensor.t -> 'a Tensor.t

  val dimensions : 'a Tensor.t -> int * int
  val nRows : 'a Tensor.t -> int
  val nCols : 'a Tensor.t -> int

  (* Views, of rank 1; Subscript *)
  val row : 'a Tensor.t * int -> 'a Tensor.t
  val column : 'a Tensor.t * int -> 'a Tensor.t

  (* ---- values *)

  val sub : 'a Tensor.t * int * int -> 'a
  val toList : 'a Tensor.t -> 'a list list
  val toArray2 : 'a Tensor.t -> 'a Array2.array
  (* ML functions of the computed elements, by rows or by columns *)
  val app : traversal -> ('a -> unit) -> 'a Tensor.t -> unit
  val appi : traversal -> (int * int * 'a -> unit) -> 'a Tensor.t -> unit
  val fold : traversal -> ('a * 'b -> 'b) -> 'b -> 'a Tensor.t -> 'b
  val foldi : traversal -> (int * int * 'a * 'b -> 'b) -> 'b -> 'a Tensor.t -> 'b
end
