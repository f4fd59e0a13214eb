(* Functions along axes, named by a list of axes; negative ones count from the end. The structure Along drops these axes from the shape,
   Keep keeps them with extent 1, so that the result is broadcast back to the array:

       Along.sum [0] a                                              (* the sums of the columns of a matrix *)
       let open Tensor.Infix in a / Keep.sum [~1] a end             (* rows with sum 1 *)

   All are lazy, and fuse with what computes the array. Work: the number of elements. *)
signature AXES =
sig
  type axes = int list

  (* f is associative, and b its identity; elements are combined in row-major order. *)
  val reduce : ('a Exp.t * 'a Exp.t -> 'a Exp.t) -> 'a -> axes -> 'a Tensor.t -> 'a Tensor.t
  (* 0 and 1, and the largest and the smallest value of the element type, if there are no elements *)
  val sum : axes -> 'a Tensor.t -> 'a Tensor.t
  val product : axes -> 'a Tensor.t -> 'a Tensor.t
  val min : axes -> 'a Tensor.t -> 'a Tensor.t
  val max : axes -> 'a Tensor.t -> 'a Tensor.t
  (* The elements are floating-point numbers. The variance is the mean square of the differences from the mean. *)
  val mean : axes -> 'a Tensor.t -> 'a Tensor.t
  val variance : axes -> 'a Tensor.t -> 'a Tensor.t
  val norm : axes -> 'a Tensor.t -> 'a Tensor.t       (* the root of the sum of the squares *)
  val logsumexp : axes -> 'a Tensor.t -> 'a Tensor.t  (* log of the sum of exp, without overflow *)
  val all : axes -> bool Tensor.t -> bool Tensor.t
  val any : axes -> bool Tensor.t -> bool Tensor.t
  val count : axes -> bool Tensor.t -> int Tensor.t
  (* The first index of a least or a greatest element along one axis; Subscript if there is none. nan is neither; 0 if
     all are nan. *)
  val argmin : int -> 'a Tensor.t -> int Tensor.t
  val argmax : int -> 'a Tensor.t -> int Tensor.t
end

(* The functions after `argmax` keep the shape. *)
signature ALONG =
sig
  include AXES

  (* Prefixes along an axis, as Seq.scan, and the totals; scanIncl has element i in prefix i. *)
  val scan : ('a Exp.t * 'a Exp.t -> 'a Exp.t) -> 'a -> int -> 'a Tensor.t -> 'a Tensor.t * 'a Tensor.t
  val scanIncl : ('a Exp.t * 'a Exp.t -> 'a Exp.t) -> 'a -> int -> 'a Tensor.t -> 'a Tensor.t
  val cumulativeSum : int -> 'a Tensor.t -> 'a Tensor.t
  val cumulativeProduct : int -> 'a Tensor.t -> 'a Tensor.t
  (* Each vector along an axis in order, as Seq.ascending, and the indices that its elements had. Work n log n for n elements *)
  val ascending : int -> 'a Tensor.t -> 'a Tensor.t
  val descending : int -> 'a Tensor.t -> 'a Tensor.t
  val ascendingIndices : int -> 'a Tensor.t -> int Tensor.t
  val descendingIndices : int -> 'a Tensor.t -> int Tensor.t
  (* exp of each element, divided by the sum of these along the axes, without overflow *)
  val softmax : axes -> 'a Tensor.t -> 'a Tensor.t
end
