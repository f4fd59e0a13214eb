(** Gradients of functions of sequences, arrays and scalars.

    {[
      let loss x y w = Seq.sum (Seq.map2 Expr.(fun p t -> softplus p - (t * p)) (Linalg.matvec x w) y)
      let value, by_w = Gradient.value_and_grad Jit.seq (loss x y) w        (* by_w is like w *)

      let step =
        Jit.(fn (ndarray @-> seq @-> seq @-> returning (pair scalar seq))) (fun x y w ->
            let value, by_w = Gradient.value_and_grad Jit.seq (loss x y) w in
            (value, Seq.map2 Expr.(fun w g -> w - (f32 0.1 * g)) w by_w))
    ]}

    Values and gradients are lazy: forced together, they share kernels, and gradients have gradients in turn. [docs/gradients.md] states the
    derivative of each operation.

    A description of {!Jit} says what the parameters are: [Jit.seq], [Jit.ndarray], [Jit.scalar], [Jit.number Dtype.f64],
    [Jit.(pair seq (list ndarray))], [Jit.conv] for records and arrays. Their elements are f32 or f64, or tuples of these. The function may use
    anything else that it captures as a constant. Functions of {!Jit} can be called in it, and all of this works within one.

    Raises [Error Argument] for parameters without floats, [Error Unsupported] for operations without a derivative, which it names, and what
    the function raises. A parameter that the value does not depend on has the gradient 0. *)

(* Printed types name a module as it is named here: Warpfold.Jit for Warpfold__Jit. Dune finds dependencies by the short names in [needed]. *)

type needed := (unit, unit) Jit.value * (unit, unit) Scalar.t [@@warning "-34"]
module Jit := Warpfold__Jit
module Scalar := Warpfold__Scalar

(** {1 Gradients of functions} *)

(** [grad parameters f x] is the gradient of [f x], a scalar, by [x]. A number has a lazy scalar as its gradient. *)
val grad : ('x, 'y) Jit.value -> ('x -> ('a, 'b) Scalar.t) -> 'y -> 'x

(** [f x] and its gradient: the function is called once. *)
val value_and_grad : ('x, 'y) Jit.value -> ('x -> ('a, 'b) Scalar.t) -> 'y -> ('a, 'b) Scalar.t * 'x

(** [vjp parameters results f x] is [f x] and a function from a cotangent, which is like [f x], to those of the parameters: the product of
    the cotangent with the Jacobian. *)
val vjp : ('x, 'y) Jit.value -> ('z, 'z) Jit.value -> ('x -> 'z) -> 'y -> 'z * ('z -> 'x)

(** [jvp parameters results f x dx] is [f x] and its derivative in the direction [dx]: the product of the Jacobian with [dx]. *)
val jvp : ('x, 'y) Jit.value -> ('z, 'z) Jit.value -> ('x -> 'z) -> 'y -> 'y -> 'z * 'z

(** [hessian_vector parameters f x v] is the product of the Hessian of [f] at [x] with [v]. *)
val hessian_vector : ('x, 'y) Jit.value -> ('x -> ('a, 'b) Scalar.t) -> 'y -> 'y -> 'x

(** {1 Gradients of values} *)

(** The same values, of which gradients can be taken. What is made from them keeps how it was made as long as it lives, computed or not. *)
val variable : ('x, 'y) Jit.value -> 'y -> 'x

(** [gradients value parameters x] is the gradient of [value] by the variables [x]. Raises [Error Argument] if [x] are no variables, and for a
    value that was computed and is not made from variables. *)
val gradients : ('a, 'b) Scalar.t -> ('x, 'y) Jit.value -> 'x -> 'x

(** The same values as constants: no gradient passes to what they were made from. *)
val stop_gradient : ('x, 'y) Jit.value -> 'x -> 'x
